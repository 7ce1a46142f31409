package offline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Sent says what was sent.
type Sent struct {
	// Lines were sent, of so many Logs.
	Lines, Logs int
}

// Send sends all that waits. What cannot be sent stays, and the error says why;
// the rest is sent all the same. It is nil when nothing waits.
func (s *Store) Send(ctx context.Context) (done Sent, err error) {
	all, err := s.Wait()
	if err != nil {
		return done, fmt.Errorf("read what waits: %w", err)
	}
	for _, w := range all {
		one := s.locked(ctx, w.Name, func() error {
			now, err := s.waits(w.Name)
			if err != nil || now == nil {
				return err
			}
			if err := s.send(ctx, now); err != nil {
				return err
			}
			done.Lines, done.Logs = done.Lines+len(now.Lines), done.Logs+1
			return nil
		})
		if err = errors.Join(err, one); s.Away() != nil {
			break
		}
	}
	return done, err
}

// sendFirst sends what waits for a log, for what cannot be done before.
func (s *Store) sendFirst(ctx context.Context, name string) error {
	if w, err := s.waits(name); err != nil || w == nil {
		return err
	}
	return s.locked(ctx, name, func() error {
		w, err := s.waits(name)
		if err != nil || w == nil {
			return err
		}
		return s.send(ctx, w)
	})
}

// send sends what waits for a log, behind what others appended, and no longer
// keeps it. The lock of the name is held.
func (s *Store) send(ctx context.Context, w *Waiting) error {
	var mark storage.Mark
	clean := false
	_, err := s.ask(ctx, func(ctx context.Context, r *Remote) (err error) {
		if err := s.sendBlobs(ctx, r); err != nil {
			return err
		}
		mark, clean, err = s.deliver(ctx, r, w)
		return err
	})
	if err != nil {
		return fmt.Errorf("send what waits for %q: %w", w.Name, err)
	}
	s.mu.Lock()
	delete(s.sent, w.Name)
	if clean {
		s.sent[w.Name] = sent{len(w.Lines), mark}
	}
	s.said = map[string]bool{} // it may be away again
	s.mu.Unlock()
	if err := os.Remove(s.waitingFile(w.Name)); err != nil {
		return fmt.Errorf("send what waits for %q: %w", w.Name, err)
	}
	return nil
}

// tries is how often lines are given again because others were sooner.
const tries = 50

// deliver appends the lines that are not there yet. clean says that there is
// nothing else between them and what they were appended behind.
func (s *Store) deliver(ctx context.Context, r *Remote, w *Waiting) (mark storage.Mark, clean bool, err error) {
	for range tries {
		mark, clean, err = s.deliverOnce(ctx, r, w)
		var changed *storage.Changed
		if !errors.As(err, &changed) && !errors.Is(err, storage.ErrExist) {
			return mark, clean, err
		}
	}
	return mark, false, err
}

func (s *Store) deliverOnce(ctx context.Context, r *Remote, w *Waiting) (mark storage.Mark, clean bool, err error) {
	log, err := r.Open(ctx, w.Name, storage.Write)
	if errors.Is(err, storage.ErrNotExist) {
		return s.deliverNew(ctx, r, w)
	}
	if err != nil {
		return mark, false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	info, err := log.Stat(ctx)
	if err != nil {
		return mark, false, err
	}
	rest, foreign, err := lacking(ctx, log, w.after, w.Lines)
	var changed *storage.Changed
	if errors.As(err, &changed) { // it was written anew: what waits may be anywhere in it
		rest, _, err = lacking(ctx, log, storage.Mark{}, w.Lines)
		foreign = true
	}
	if err != nil {
		return mark, false, err
	}
	mark = info.Mark
	if len(rest) > 0 {
		// What is in place of a part is found there the next time.
		if mark, err = log.Append(ctx, mark, rest); err != nil {
			return mark, false, err
		}
	}
	return mark, !foreign && !w.after.IsZero(), powers.Sync(ctx, log)
}

// deliverNew begins the log that is not there: as it was meant, or, if it was there
// and is gone, with the copy of it.
func (s *Store) deliverNew(ctx context.Context, r *Remote, w *Waiting) (mark storage.Mark, clean bool, err error) {
	var lines [][]byte
	if !w.after.IsZero() {
		c := s.copyOf(w.Name)
		if c == nil || !s.sound(c) {
			return mark, false, errors.New("it is not there any more, and no copy of it is here")
		}
		for line, err := range s.lines(c) {
			if err != nil {
				return mark, false, err
			}
			lines = append(lines, bytes.Clone(line.Bytes))
		}
	}
	log, err := r.Open(ctx, w.Name, storage.Create)
	if err != nil {
		return mark, false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	mark, err = log.Append(ctx, mark, append(lines, w.Lines...))
	if err == nil {
		err = powers.Sync(ctx, log)
	}
	return mark, w.after.IsZero(), err
}

// lacking returns those of some lines that a log does not hold behind a mark, and
// whether it holds others there.
func lacking(ctx context.Context, log storage.Log, from storage.Mark, lines [][]byte) (rest [][]byte, foreign bool, err error) {
	there := map[[sha256.Size]byte]int{}
	n := 0
	for line, err := range log.Read(ctx, from) {
		if err != nil {
			return nil, false, err
		}
		there[sha256.Sum256(line.Bytes)]++
		n++
	}
	for _, line := range lines {
		sum := sha256.Sum256(line)
		if there[sum] > 0 {
			there[sum]--
			n--
			continue
		}
		rest = append(rest, line)
	}
	return rest, n > 0, nil
}

// keepSending tries to send what waits, by itself, as long as the store is open.
func (s *Store) keepSending() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending || s.life.Err() != nil {
		return
	}
	s.sending = true
	s.keeper.Go(func() {
		tick := time.NewTicker(s.opt.Pause)
		defer tick.Stop()
		for {
			select {
			case <-s.life.Done():
				return
			case <-tick.C:
			}
			done, err := s.Send(context.WithValue(s.life, unasked{}, true))
			if done.Lines > 0 {
				s.say(Tell(done))
			}
			if err != nil && s.Away() == nil && s.life.Err() == nil {
				s.say(err.Error())
			}
			s.mu.Lock()
			if all, err := s.Wait(); err == nil && len(all) == 0 {
				s.sending = false
				s.mu.Unlock()
				return
			}
			s.mu.Unlock()
		}
	})
}

// Tell says what was sent.
func Tell(done Sent) string {
	if done.Lines == 1 {
		return "the line that had waited for the store was sent"
	}
	return fmt.Sprintf("the %d lines that had waited for the store were sent", done.Lines)
}

// waitingBlobs is the directory of blobs that wait.
func (s *Store) waitingBlobs() string { return filepath.Join(s.opt.Waiting, "blobs") }

// sendBlobs sends the blobs that wait.
func (s *Store) sendBlobs(ctx context.Context, r *Remote) error {
	all, err := os.ReadDir(s.waitingBlobs())
	if err != nil || r.Blobs == nil {
		return nil //nolint:nilerr // there are none
	}
	for _, e := range all {
		digits, ext, _ := strings.Cut(e.Name(), ".")
		ref, ok := blob.ParseHash(digits)
		if !ok {
			continue
		}
		path := filepath.Join(s.waitingBlobs(), e.Name())
		data, err := os.ReadFile(path)
		if err != nil || blob.RefOf(data) != ref {
			continue // sent by another process, or half written
		}
		if _, err := r.Blobs.Put(ctx, data, ext); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Blobs returns the blobs of the store: those that were read here are kept, and
// those that are put while it is away wait.
func (s *Store) Blobs() blob.Store { return blobs{s} }

type blobs struct{ s *Store }

func (b blobs) kept() *blob.Dir {
	return blob.OpenDir(filepath.Join(b.s.opt.Cache, "blobs"), blob.DirOptions{})
}

func (b blobs) waiting() *blob.Dir { return blob.OpenDir(b.s.waitingBlobs(), blob.DirOptions{}) }

// Put stores a blob in the store, or has it wait.
func (b blobs) Put(ctx context.Context, data []byte, ext string) (ref blob.Ref, err error) {
	away, err := b.s.ask(ctx, func(ctx context.Context, r *Remote) (err error) {
		if r.Blobs == nil {
			return errors.ErrUnsupported
		}
		ref, err = r.Blobs.Put(ctx, data, ext)
		return err
	})
	if away {
		return b.waiting().Put(ctx, data, "")
	}
	return ref, err
}

// Read returns a blob that is kept here, else that of the store.
func (b blobs) Read(ctx context.Context, ref blob.Ref) (data []byte, err error) {
	for _, dir := range []*blob.Dir{b.kept(), b.waiting()} {
		if data, err := dir.Read(ctx, ref); err == nil {
			return data, nil
		}
	}
	_, err = b.s.ask(ctx, func(ctx context.Context, r *Remote) (err error) {
		if r.Blobs == nil {
			return blob.ErrNotExist
		}
		data, err = r.Blobs.Read(ctx, ref)
		return err
	})
	if err == nil && int64(len(data)) < b.s.opt.Most/2 {
		if _, err := b.kept().Put(ctx, data, ""); err == nil {
			b.s.evict()
		}
	}
	return data, err
}
