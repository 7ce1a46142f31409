package session

import (
	"context"
	"errors"
	"path"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// localStore returns the store of the local disk. Files of omp get the lock
// file beside them that omp looks for.
func localStore(s *Session) storage.Store {
	return local.New(vfs.On(local.Options{
		Sidecar: func(name string) string {
			if _, ok := s.locked.Load(name); !ok {
				return ""
			}
			dir, base := path.Split(name)
			return dir + "." + base + ".lock"
		},
		Report: func(name string, err error) {
			// A report comes during a call of this session, under its lock.
			s.opt.Log.Warn("storage", "path", name, "error", err)
			if errors.Is(err, storage.ErrLocked) {
				s.happened(journal.Event{Kind: journal.Unlocked, Name: name, Err: err})
			}
		},
	}, s.opt.fs))
}

// lockToo makes the log of a book one that gets omp's lock file, if it is omp's.
func (s *Session) lockToo(b *book) {
	name := b.log.Name()
	if b.rules.Name != dialect.Omp || !s.local || name == "" {
		return
	}
	s.locked.Store(name, true)
	if target, err := vfs.Resolve(s.opt.fs, name); err == nil {
		s.locked.Store(target, true)
	}
}

// logOptions returns how the log of a book is kept. The book's rules and blobs
// are looked up when they are needed: they are known after the log was read.
func (s *Session) logOptions(b *book, name string) journal.Options {
	opt := journal.Options{
		Store: s.store, Name: name, Write: !s.opt.ReadOnly, Sync: journal.Sync(s.opt.Sync),
		Prepare:   func(line []byte) ([]byte, error) { return b.prepare(s, line) },
		Resolve:   b.resolve,
		Migrate:   b.migrate,
		ParseSlot: spelling.ParseSlot,
		Rebuild:   func(torn []byte, x *entry.Index) entry.Header { return spelling.MadeUp(name, s.opt.Env.Cwd, torn, x) },
		OnEvent:   s.happened,
		Log:       s.opt.Log,
	}
	if s.local {
		opt.Memory = s.opt.Memory
	}
	if name == "" {
		opt.Store, opt.Prepare = nil, nil
	}
	return opt
}

// old is how to migrate the first n entries of a log of an older version.
type old struct {
	n    int
	line func(i int, raw []byte) ([]byte, error)
}

// migrate is spelling.Migrate that keeps what it found out, for the rewrite.
func (b *book) migrate(x *entry.Index, h entry.Header, load func(int) ([]byte, error)) (func(int, []byte) ([]byte, error), error) {
	line, err := spelling.Migrate(x, h, load)
	b.old = old{x.Len(), line}
	return line, err
}

// prepare makes a line fit to be stored: what is too large goes to the blobs.
func (b *book) prepare(s *Session, line []byte) ([]byte, error) {
	put := func(data []byte, ext string) (string, error) {
		if b.blobs == nil {
			return "", errors.ErrUnsupported
		}
		ref, err := b.blobs.Put(context.Background(), data, ext)
		return ref.String(), err
	}
	out, _, err := spelling.Prepare(line, b.rules.Persist, put)
	return out, err
}

// resolve puts back into a line what was left out of it. What is missing stays
// as it is stored. What the dialect forgets is forgotten when a log is read, not
// while the answer that it came with is the session's own.
func (b *book) resolve(line []byte) ([]byte, error) {
	rules := b.rules.Persist
	if !rules.MayForget(line) {
		rules.Forget = "" // not looked for again
	} else {
		id, _ := jsonedit.Text(line, "id")
		if _, own := b.own.Load(id); own {
			rules.Forget = ""
		}
	}
	return b.resolveBy(line, rules)
}

// mine notes an entry that is appended here.
func (b *book) mine(id entry.ID, line []byte) {
	if b.rules.Persist.MayForget(line) {
		b.own.Store(id, true)
	}
}

// inherit takes over what another book knows of its own entries.
func (b *book) inherit(from *book) *book {
	from.own.Range(func(id, own any) bool { b.own.Store(id, own); return true })
	return b
}

// whole returns the line of entry i in the present version with what was left
// out of it, and with all that the dialect forgets in memory: what is written
// again.
func (b *book) whole(i int) ([]byte, error) {
	line, err := b.raw(i)
	if err != nil {
		return nil, err
	}
	return b.remembered(line)
}

// remembered is resolve for what is written again.
func (b *book) remembered(line []byte) ([]byte, error) {
	rules := b.rules.Persist
	rules.Forget = ""
	return b.resolveBy(line, rules)
}

func (b *book) resolveBy(line []byte, rules spelling.Persist) ([]byte, error) {
	get := func(text string) ([]byte, error) {
		ref, ok := blob.ParseRef(text)
		if !ok || b.blobs == nil {
			return nil, blob.ErrNotExist
		}
		return b.blobs.Read(context.Background(), ref)
	}
	out, missing, err := spelling.Resolve(line, rules, get)
	if len(missing) > 0 {
		b.lost.note(line, missing)
	}
	return out, err
}
