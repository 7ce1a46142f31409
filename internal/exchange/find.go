package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/storage"
)

const (
	// firstPrefix is how much of a log is read to know its header, and
	// maxPrefix how far that goes for one that is longer.
	firstPrefix = 4 << 10
	maxPrefix   = 4 << 20
)

// A logAt is a session's log as it was found on a side.
type logAt struct {
	agent  string
	name   string // as the store opens it
	mark   storage.Mark
	size   int64
	header entry.Header
	// shelved says that a directory has the name that its artifacts' would have.
	shelved bool
}

// logs lists the logs of an agent on a side. What cannot be used is told to skip.
func (s *Side) logs(ctx context.Context, agent string, skip func(name string, err error)) ([]*logAt, error) {
	p := s.place(agent)
	if p.Flat != "" {
		return s.logsIn(ctx, agent, p.Flat, skip)
	}
	var all []*logAt
	if p.Stray != "" && s.home {
		stray, err := s.logsIn(ctx, agent, p.Stray, skip)
		if err != nil {
			return nil, err
		}
		for _, l := range stray {
			if _, _, ok := ident.ParseFileName(filepath.Base(l.name)); ok {
				all = append(all, l)
			}
		}
	}
	for _, root := range p.Roots() {
		if err := s.straight(ctx, root); err != nil {
			return nil, err
		}
		for info, err := range s.store.List(ctx, root) {
			if errors.Is(err, storage.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("list sessions: %w", err)
			}
			if !info.Mode.IsDir() {
				if info.Mode&fs.ModeSymlink == 0 {
					continue
				}
				if !s.home {
					skip(info.Name, fmt.Errorf("read %q: %w: it is a symbolic link", info.Name, ErrOutside))
					continue
				}
			}
			found, err := s.logsIn(ctx, agent, info.Name, skip)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// straight refuses a directory below the root of a side to which a symbolic link
// leads: who writes there writes elsewhere.
func (s *Side) straight(ctx context.Context, dir string) error {
	if s.root == "" {
		return nil
	}
	for d := dir; len(d) > len(s.root); d = filepath.Dir(d) {
		info, err := s.store.Stat(ctx, d)
		if err == nil && info.Mode&fs.ModeSymlink != 0 {
			return fmt.Errorf("use %q: %w: it is a symbolic link", d, ErrOutside)
		}
	}
	return nil
}

// logsIn lists the logs directly in a directory; none if it is not one.
func (s *Side) logsIn(ctx context.Context, agent, dir string, skip func(string, error)) ([]*logAt, error) {
	var all []*logAt
	dirs := make(map[string]bool)
	for info, err := range s.store.List(ctx, dir) {
		if errors.Is(err, storage.ErrNotExist) || err != nil && s.home && dirLink(err) {
			return nil, nil
		}
		if err != nil && s.fsys != nil && ctx.Err() == nil {
			skip(dir, &unreadError{fmt.Errorf("list sessions: %w", err)})
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		if info.Mode.IsDir() {
			dirs[info.Name] = true
		}
		base := path.Base(filepath.ToSlash(info.Name))
		if !strings.HasSuffix(base, ident.Ext) || base[0] == '.' {
			continue
		}
		if !s.home && strings.ContainsFunc(base+path.Base(filepath.ToSlash(dir)), unicode.IsControl) {
			skip(info.Name, fmt.Errorf("read %q: its name has control characters; rename it there", info.Name))
			continue
		}
		if info.Mode&fs.ModeSymlink != 0 {
			if !s.home {
				skip(info.Name, fmt.Errorf("read %q: %w: it is a symbolic link", info.Name, ErrOutside))
				continue
			}
			if info, err = s.store.Stat(ctx, info.Target); err != nil {
				continue // it leads nowhere
			}
		}
		if info.IsLog() {
			all = append(all, &logAt{agent: agent, name: info.Name, mark: info.Mark, size: info.Size})
		}
	}
	for _, l := range all {
		l.shelved = dirs[ident.ArtifactDir(l.name)]
	}
	return all, nil
}

// dirLink says that a name in a sessions root is no directory after all, or leads to one
// in a circle.
func dirLink(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// An unreadError says that a directory of sessions cannot be read.
type unreadError struct{ err error }

func (e *unreadError) Error() string { return e.err.Error() }
func (e *unreadError) Unwrap() error { return e.err }

// errNoHeader: the beginning of a log holds no valid header.
var errNoHeader = errors.New("it has no valid header; `cambium doctor` tells more")

// readHeader reads the header of a log. An empty log has none and no error.
func (s *Side) readHeader(ctx context.Context, l *logAt) error {
	for n := firstPrefix; ; n *= 16 {
		prefix, err := powers.ReadPrefix(ctx, s.store, l.name, n)
		if err != nil {
			return err
		}
		var ok bool
		if l.header, ok = headerIn(prefix, len(prefix) < n); ok {
			l.header.Raw = nil
			return nil
		}
		if len(bytes.TrimSpace(prefix)) == 0 && len(prefix) < n {
			return nil
		}
		if len(prefix) < n || n >= maxPrefix {
			return fmt.Errorf("read session %q: %w", l.name, errNoHeader)
		}
	}
}

// headerIn finds the header in the first bytes of a log.
func headerIn(prefix []byte, whole bool) (entry.Header, bool) {
	var slot *entry.Slot
	for off := int64(0); len(prefix) > 0; {
		line, rest, ended := bytes.Cut(prefix, []byte{'\n'})
		if !ended && !whole {
			break
		}
		text := jsonl.Trim(line, off).In(line)
		var e entry.Envelope
		if len(text) > 0 && e.Scan(text) == nil {
			switch e.Kind {
			case entry.Title:
				if at, ok := spelling.ParseSlot(line); ok {
					slot = &at
				}
			case entry.Session:
				h, ok := entry.ParseHeader(bytes.Clone(text))
				h.Slot = slot
				return h, ok
			}
		}
		off += int64(len(line)) + 1
		prefix = rest
	}
	return entry.Header{}, false
}

// marked returns the agent that the first lines of a log tell it is of.
func (s *Side) marked(ctx context.Context, name string) string {
	prefix, err := powers.ReadPrefix(ctx, s.store, name, maxPrefix/16)
	if err != nil {
		return "" // it will be told when it is read
	}
	header, _ := headerIn(prefix, false)
	var m spelling.Marks
	for line := range bytes.SplitSeq(prefix, []byte{'\n'}) {
		var e entry.Envelope
		if e.Scan(line) == nil {
			m.See(e.Kind, line)
		}
	}
	return string(spelling.NameOf("", &header, m))
}
