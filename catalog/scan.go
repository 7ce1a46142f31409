package catalog

import (
	"context"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
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
	// Empty includes sessions that are hollow, as Info.hollow says.
	Empty bool
	// Text asks for Info.Text.
	Text bool
	// Store holds the sessions; nil means files.
	Store storage.Store
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

	// fs is the file system of files; nil means the machine's.
	fs vfs.FS
	// programs are those whose sessions are found, too, where homes are looked into.
	programs foreign.Programs
	// watch wants to know what each session took and cost.
	watch usage.Watch
}

var (
	_ = vfs.Taken(func(o *Options) *vfs.FS { return &o.fs }, nil)
	_ = foreign.Taken(func(o *Options) *foreign.Programs { return &o.programs })
	_ = usage.Watched(func(o *Options) *usage.Watch { return &o.watch })
)

// source is where sessions are looked for.
func (o *Options) source() source.Source {
	own := source.Of(o.Store, o.fs)
	if o.Store != nil {
		return own
	}
	return foreign.Source(own, o.fs, o.programs)
}

func (o *Options) fsys() vfs.FS {
	if o.fs == nil {
		return vfs.OS()
	}
	return o.fs
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
		for f, err := range Files(ctx, o) {
			if !yield(f.Info, err) {
				return
			}
		}
	}
}

// A File is a session and where it is read.
type File struct {
	Info Info
	// Name is what to open: Info.Path, or the file that leads to if it is a link.
	Name string
	// State is what the listing saw of the file.
	State FileState
	// Settled says that the file was left alone for a while: for as long as its
	// state is this one it says the same.
	Settled bool
}

// A FileState says which file it is, and in which state it was seen.
type FileState struct {
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
	// Beside says that in its directory there are files whose names begin with a
	// dot, as locks do.
	Beside bool
}

// Files is [Scan] for who reads the sessions afterwards.
func Files(ctx context.Context, o Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		s, err := newScan(ctx, &o, true)
		if err != nil {
			yield(File{}, err)
			return
		}
		defer s.close(ctx)
		for n := range s.items {
			if err := ctx.Err(); err != nil {
				yield(File{}, err)
				return
			}
			if o.Progress != nil {
				o.Progress(n, len(s.items))
			}
			info, f, ok := s.info(ctx, n)
			if err := ctx.Err(); err != nil {
				yield(File{}, err)
				return
			}
			if ok && !yield(s.seen(n, info, &f), nil) {
				return
			}
		}
		if o.Progress != nil {
			o.Progress(len(s.items), len(s.items))
		}
	}
}

// seen returns item n as Files yields it.
func (s *scan) seen(n int, info Info, f *file) File {
	is := &f.stamp
	return File{
		Info: info, Name: f.name(),
		State: FileState{
			Dev: is.Dev, Ino: is.Ino, Size: is.Size, ModTime: is.ModTime, Beside: s.folders[s.items[n].folder].hidden,
		},
		Settled: f.mode.IsRegular() && is.ModTime <= s.begun-settled,
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
	return o.newest(ctx, func(*Info) bool { return true })
}

// newest returns the one that changed last of those that pass.
func (o Options) newest(ctx context.Context, passes func(*Info) bool) (Info, error) {
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
		if !got.none && o.wants(&got.info) && passes(&got.info) && (got.info.ID != "" || !got.info.Damaged) {
			return got.info, nil
		}
	}
	return Info{}, &NotFound{}
}
