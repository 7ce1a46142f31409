package offline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Open opens a log. One that cannot be asked for is that of the copy, or of what
// waits.
func (s *Store) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	l := &log{s: s, name: name, mode: mode}
	away, err := s.askSoon(ctx, func(ctx context.Context, r *Remote) (err error) {
		l.remote, err = r.Open(ctx, name, mode)
		return err
	})
	waits, werr := s.waits(name)
	switch {
	case werr != nil:
		return nil, fmt.Errorf("open log %q: %w", name, werr)
	case err == nil:
		return l, nil
	case !away && (waits == nil || !errors.Is(err, storage.ErrNotExist)):
		return nil, err
	case mode == storage.Create && (waits != nil || s.copyOf(name) != nil):
		return nil, fmt.Errorf("open log %q: %w", name, storage.ErrExist)
	case mode != storage.Create && waits == nil && s.copyOf(name) == nil:
		return nil, fmt.Errorf("open log %q: it was not read here before: %w", name, err)
	}
	s.reading()
	return l, nil
}

// reading says that what is read is what is kept here.
func (s *Store) reading() {
	s.say("the store does not answer: what was read of it here before is shown")
}

// Stat describes a name, as the copy has it when the store is away.
func (s *Store) Stat(ctx context.Context, name string) (info storage.Info, err error) {
	away, err := s.askSoon(ctx, func(ctx context.Context, r *Remote) (err error) {
		info, err = r.Stat(ctx, name)
		return err
	})
	if !away && !errors.Is(err, storage.ErrNotExist) {
		return info, err
	}
	if here, ok := s.statHere(name, away); ok {
		return here, nil
	}
	return storage.Info{}, err
}

// statHere describes a log by what is kept here: of one that the store says is not
// there, what waits.
func (s *Store) statHere(name string, away bool) (storage.Info, bool) {
	w, err := s.waits(name)
	c := s.copyOf(name)
	if err != nil || w == nil && (c == nil || !away) {
		return storage.Info{}, false
	}
	info := storage.Info{Name: name, Mode: 0o600}
	if c != nil {
		info = c.info()
	}
	if w != nil {
		info.Mark = w.mark()
		for _, line := range w.Lines {
			info.Size += int64(len(line)) + 1
		}
		info.ModTime = max(info.ModTime, w.Since.UnixNano())
	}
	return info, true
}

// List describes what is in a directory, of which only the copies are known when
// the store is away.
func (s *Store) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		var all []storage.Info
		away, err := s.ask(ctx, func(ctx context.Context, r *Remote) error {
			all = nil
			for info, err := range r.List(ctx, dir) {
				if err != nil {
					return err
				}
				all = append(all, info)
			}
			return nil
		})
		if away || errors.Is(err, storage.ErrNotExist) {
			if here := s.listHere(dir, away); len(here) > 0 {
				if away {
					s.reading()
				}
				all, err = here, nil
			} else if away {
				err = fmt.Errorf("list %q: %w", dir, storage.ErrNotExist)
			}
		}
		if err != nil {
			yield(storage.Info{}, err)
			return
		}
		for _, info := range all {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// listHere describes what is known here of a directory.
func (s *Store) listHere(dir string, away bool) []storage.Info {
	found := map[string]storage.Info{}
	note := func(name string) {
		rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
		if !ok {
			return
		}
		base, _, deeper := strings.Cut(rest, "/")
		if deeper {
			sub := path.Join(dir, base)
			found[sub] = storage.Info{Name: sub, Mode: os.ModeDir | 0o700}
		} else if info, ok := s.statHere(name, away); ok {
			found[name] = info
		}
	}
	if away {
		for _, head := range s.heads() {
			if c := readCopied(head); c != nil {
				note(c.Name)
			}
		}
	}
	waiting, _ := s.Wait() // what cannot be read is said when it is sent
	for _, w := range waiting {
		note(w.Name)
	}
	var all []storage.Info
	for _, info := range found {
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b storage.Info) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Rename needs the store, and that nothing waits for the log.
func (s *Store) Rename(ctx context.Context, old, new string) error {
	if err := s.sendFirst(ctx, old); err != nil {
		return err
	}
	_, err := s.ask(ctx, func(ctx context.Context, r *Remote) error { return r.Rename(ctx, old, new) })
	if err == nil {
		s.forget(old)
	}
	return err
}

// Remove needs the store, and that nothing waits for the log.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := s.sendFirst(ctx, name); err != nil {
		return err
	}
	_, err := s.ask(ctx, func(ctx context.Context, r *Remote) error { return r.Remove(ctx, name) })
	if err == nil {
		s.forget(name)
	}
	return err
}

// Lease needs the store.
func (s *Store) Lease(ctx context.Context, name string, who storage.Holder) (l storage.Lease, err error) {
	_, err = s.ask(ctx, func(ctx context.Context, r *Remote) (err error) {
		l, err = powers.Hold(ctx, r.Store, name, who)
		return err
	})
	return l, err
}

// TakeOver needs the store.
func (s *Store) TakeOver(ctx context.Context, name string, who storage.Holder) (l storage.Lease, err error) {
	_, err = s.ask(ctx, func(ctx context.Context, r *Remote) (err error) {
		l, err = powers.TakeOver(ctx, r.Store, name, who)
		return err
	})
	return l, err
}

// Holders returns who has a log open; nobody is known of when the store is away.
func (s *Store) Holders(ctx context.Context, name string) (list []storage.Holder, err error) {
	away, err := s.askSoon(ctx, func(ctx context.Context, r *Remote) (err error) {
		list, _, err = powers.Holders(ctx, r.Store, name)
		return err
	})
	if away {
		return nil, nil
	}
	return list, err
}

// Survey returns who has which log open; nobody is known of when the store is away.
func (s *Store) Survey(ctx context.Context) (all map[string][]storage.Holder, err error) {
	away, err := s.askSoon(ctx, func(ctx context.Context, r *Remote) (err error) {
		all, err = powers.Survey(ctx, r.Store)
		return err
	})
	if away {
		return nil, nil
	}
	return all, err
}

// plain is a store without its powers.
type plain struct{ storage.Store }

// Search searches the store, or the copies when it is away.
func (s *Store) Search(ctx context.Context, dir string, text []byte) iter.Seq2[powers.Hit, error] {
	return func(yield func(powers.Hit, error) bool) {
		stopped, found := false, false
		away, err := s.ask(ctx, func(ctx context.Context, r *Remote) error {
			for hit, err := range powers.Search(ctx, r.Store, dir, text) {
				if err != nil && hit.Name == "" {
					return err
				}
				if found = true; !yield(hit, err) {
					stopped = true
					return nil
				}
			}
			return nil
		})
		switch {
		case stopped || err == nil:
		case !away || found:
			yield(powers.Hit{}, err)
		default:
			powers.Search(ctx, plain{s}, dir, text)(yield)
		}
	}
}

// ReadPrefix returns the first bytes of a log.
func (s *Store) ReadPrefix(ctx context.Context, name string, n int) (data []byte, err error) {
	away, err := s.askSoon(ctx, func(ctx context.Context, r *Remote) (err error) {
		data, err = powers.ReadPrefix(ctx, r.Store, name, n)
		return err
	})
	if away || errors.Is(err, storage.ErrNotExist) {
		return powers.ReadPrefix(ctx, plain{s}, name, n)
	}
	return data, err
}
