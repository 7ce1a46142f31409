package catalog

import (
	"context"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// Options say where to look and what for.
type Options struct {
	// Env is what is known of the machine.
	Env layout.Env
	// Agents are the dialects whose homes are looked into; nil means all.
	Agents []dialect.Name
	// AgentDir overrides the agent directory; it needs one dialect in Agents.
	AgentDir string
	// SessionDir is the one directory to look into, instead of the homes.
	SessionDir string
	// CWD limits the answer to the sessions of a working directory; "" means
	// all projects.
	CWD string
	// Empty includes sessions without a message.
	Empty bool
	// Text asks for Info.Text.
	Text bool
	// FS is the file system; nil means the machine's.
	FS vfs.FS
	// Index, if not nil, keeps what is found, so that only files that changed
	// are read.
	Index Index
	// Trouble, if not nil, is told what is wrong with Index, once.
	Trouble func(error)
	// Unread, if not nil, is told of each directory of a home that is there but
	// cannot be read, whenever it is looked into: its sessions are not found.
	Unread func(dir string, err error)
	// Titles, if not nil, returns the names that agents keep beside their
	// sessions, by the session's id (omp 18.2.3). Recent asks for them, once, when
	// it comes to a session of omp.
	Titles func(context.Context) (map[string]string, error)
	// Now is the clock; nil means the machine's.
	Now func() time.Time
	// Progress, if not nil, is told how many of how many files were read.
	Progress func(done, total int)
}

func (o *Options) fsys() vfs.FS {
	if o.FS == nil {
		return vfs.OS()
	}
	return o.FS
}

// now returns the time.
func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Scan describes all sessions there are, the file changed last first, as they
// are read: on all cores, a few ahead of who asks. An error of one file is a
// row with Damaged set; the sequence ends with an error only when a directory
// that was named cannot be read, or ctx ends. What was read is given to the
// index when the sequence ends, wherever that is.
func Scan(ctx context.Context, o Options) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		s, err := newScan(ctx, &o, true)
		if err != nil {
			yield(Info{}, err)
			return
		}
		defer s.close(ctx)
		for n := range s.items {
			if err := ctx.Err(); err != nil {
				yield(Info{}, err)
				return
			}
			if o.Progress != nil {
				o.Progress(n, len(s.items))
			}
			info, _, ok := s.info(ctx, n)
			if err := ctx.Err(); err != nil {
				yield(Info{}, err)
				return
			}
			if ok && !yield(info, nil) {
				return
			}
		}
		if o.Progress != nil {
			o.Progress(len(s.items), len(s.items))
		}
	}
}

// List returns what Scan gives, ordered by Modified, newest first.
func List(ctx context.Context, o Options) ([]Info, error) {
	rows, err := ReadRows(ctx, o)
	if rows == nil || rows.Len() == 0 {
		return nil, err
	}
	all := make([]Info, rows.Len())
	for n := range all {
		all[n] = rows.Info(n)
	}
	return all, err
}

// Newest returns the session whose file changed last, with or without
// messages; no other file is read whole. The error is a [*NotFound] when there is none.
func Newest(ctx context.Context, o Options) (Info, error) {
	o.Empty = true
	found, err := o.look(ctx, nil)
	if err != nil {
		return Info{}, err
	}
	r := newReader(&o, newKin(&o, found))
	for f := range found.newest() {
		if err := ctx.Err(); err != nil {
			return Info{}, err
		}
		got := r.describe(ctx, f)
		if !got.none && o.wants(&got.info) && (got.info.ID != "" || !got.info.Damaged) {
			return got.info, nil
		}
	}
	return Info{}, &NotFound{}
}
