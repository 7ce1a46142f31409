package catalog

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
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
	// Progress, if not nil, is told how many of how many files were read.
	Progress func(done, total int)
}

func (o *Options) fsys() vfs.FS {
	if o.FS == nil {
		return vfs.OS()
	}
	return o.FS
}

// A file is a session file that is yet to be read.
type file struct {
	path   string
	agent  dialect.Name // "" when no home says
	info   vfs.Info
	target string // what to read, when path is a link
}

// Scan describes all sessions there are, the file changed last first, as they
// are read. An error of one file is a row with Damaged set; the sequence ends
// with an error only when a directory that was named cannot be read, or ctx
// ends.
func Scan(ctx context.Context, o Options) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		files, err := o.files()
		if err != nil {
			yield(Info{}, err)
			return
		}
		for n, f := range files {
			if err := ctx.Err(); err != nil {
				yield(Info{}, err)
				return
			}
			if o.Progress != nil {
				o.Progress(n, len(files))
			}
			info, ok := o.describe(ctx, f)
			if ok && !yield(info, nil) {
				return
			}
		}
		if o.Progress != nil {
			o.Progress(len(files), len(files))
		}
	}
}

// List returns what Scan gives, ordered by Modified, newest first.
func List(ctx context.Context, o Options) ([]Info, error) {
	var all []Info
	for info, err := range Scan(ctx, o) {
		if err != nil {
			return all, err
		}
		all = append(all, info)
	}
	slices.SortStableFunc(all, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return all, nil
}

// Newest returns the session whose file changed last, with or without
// messages. The error is a [*NotFound] when there is none.
func Newest(ctx context.Context, o Options) (Info, error) {
	o.Empty = true
	for info, err := range Scan(ctx, o) {
		if err != nil {
			return Info{}, err
		}
		if info.ID != "" || !info.Damaged {
			return info, nil
		}
	}
	return Info{}, &NotFound{}
}

// files returns the files to read, the one changed last first.
func (o *Options) files() ([]file, error) {
	var all []file
	if o.SessionDir != "" {
		agent := dialect.Name("")
		if len(o.Agents) == 1 {
			agent = o.Agents[0]
		}
		found, err := o.inDir(o.SessionDir, agent)
		if err != nil {
			return nil, err
		}
		all = found
	} else {
		for _, place := range o.places() {
			all = append(all, o.inHome(place)...)
		}
	}
	all = distinct(all)
	slices.SortStableFunc(all, func(a, b file) int {
		switch {
		case a.info.ModTime != b.info.ModTime:
			if a.info.ModTime > b.info.ModTime {
				return -1
			}
			return 1
		}
		return strings.Compare(b.path, a.path)
	})
	return all, nil
}

// distinct drops files that were found twice, through two roots.
func distinct(all []file) []file {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(f file) bool {
		was := seen[f.path]
		seen[f.path] = true
		return was
	})
}

func (o *Options) places() []layout.Place {
	agents := o.Agents
	if len(agents) == 0 {
		for _, name := range layout.Names() {
			agents = append(agents, dialect.Name(name))
		}
	}
	var all []layout.Place
	for _, a := range agents {
		all = append(all, layout.For(string(a), o.Env, layout.Overrides{AgentDir: o.AgentDir}))
	}
	return all
}

// inHome returns the session files of one home: those one level under its
// roots. A root that is not there, or cannot be read, has none.
func (o *Options) inHome(p layout.Place) []file {
	agent := dialect.Name(p.Name)
	var all []file
	if p.Flat != "" {
		all, _ = o.inDir(p.Flat, agent) // nobody named it here: no error
		return all
	}
	for _, root := range []string{p.Sessions, p.Former} {
		if root == "" {
			continue
		}
		names, err := o.fsys().Names(root)
		if err != nil {
			continue
		}
		for _, name := range names {
			found, err := o.inDir(path.Join(root, name), agent)
			if err == nil {
				all = append(all, found...)
			}
		}
	}
	return all
}

// inDir returns the session files directly in a directory.
func (o *Options) inDir(dir string, agent dialect.Name) ([]file, error) {
	entries, err := o.fsys().ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []file
	for _, e := range entries {
		if !strings.HasSuffix(e.Name, layout.Ext) || strings.HasPrefix(e.Name, ".") || e.Mode.IsDir() {
			continue
		}
		f := file{path: path.Join(dir, e.Name), agent: agent, info: e}
		if e.Mode&fs.ModeSymlink != 0 {
			target, err := vfs.Resolve(o.fsys(), f.path)
			if err != nil {
				continue // it leads nowhere
			}
			info, err := o.fsys().Stat(target)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				f.target, f.info = target, info
			}
		}
		all = append(all, f)
	}
	return all, nil
}

func unix(ns int64) time.Time { return time.Unix(0, ns).UTC() }
