package catalog

import (
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// A file is a session file that was found.
type file struct {
	path   string
	agent  dialect.Name // "" when no home says
	info   vfs.Info
	target string // what to read, when path is a link
}

// name returns the name that the file is opened by.
func (f *file) name() string {
	if f.target != "" {
		return f.target
	}
	return f.path
}

// stamp returns the state in which the file was found.
func (f *file) stamp() Stamp { return stampOf(f.info) }

func stampOf(i vfs.Info) Stamp {
	return Stamp{Dev: i.Dev, Ino: i.Ino, Size: i.Size, ModTime: i.ModTime}
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
		all = o.owned(found)
	} else {
		for _, place := range o.places() {
			all = append(all, o.inHome(place)...)
		}
	}
	all = distinct(all)
	slices.SortFunc(all, func(a, b file) int {
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

// owned gives the files of one directory the dialect of the home that it, or the
// file that a link leads to, lies in.
func (o *Options) owned(all []file) []file {
	owner := dialect.Name(layout.Owner(path.Join(o.SessionDir, "0"+layout.Ext), o.Env))
	for i := range all {
		f := &all[i]
		if f.agent == "" && f.target != "" {
			f.agent = dialect.Name(layout.Owner(f.path, o.Env))
		}
		if f.agent == "" {
			f.agent = owner
		}
	}
	return all
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
// roots, and those that the program left beside them. A root that is not there
// has none, nor has one that cannot be read, which is told.
func (o *Options) inHome(p layout.Place) []file {
	agent := dialect.Name(p.Name)
	var all []file
	if p.Flat != "" {
		all, err := o.inDir(p.Flat, agent)
		o.unread(p.Flat, err) // nobody named it here: no error
		return all
	}
	if p.Stray != "" {
		found, err := o.inDir(p.Stray, agent)
		for _, f := range found {
			if _, _, ok := layout.ParseFileName(base(f.path)); ok && err == nil {
				all = append(all, f)
			}
		}
	}
	for _, root := range []string{p.Sessions, p.Former} {
		if root == "" {
			continue
		}
		names, err := o.fsys().Names(root)
		if err != nil {
			o.unread(root, err)
			continue
		}
		for _, found := range o.inDirs(root, names, agent) {
			all = append(all, found...)
		}
	}
	return all
}

// inDirs returns what inDir does of each of the directories in root, on all
// cores; nothing for one that cannot be read, which is told.
func (o *Options) inDirs(root string, names []string, agent dialect.Name) [][]file {
	all, errs := make([][]file, len(names)), make([]error, len(names))
	var next atomic.Int64
	work := func() {
		for {
			n := int(next.Add(1)) - 1
			if n >= len(names) {
				return
			}
			all[n], errs[n] = o.inDir(path.Join(root, names[n]), agent)
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	for n, err := range errs {
		o.unread(path.Join(root, names[n]), err)
	}
	return all
}

// unread tells of a directory that could not be read, unless there is none.
func (o *Options) unread(dir string, err error) {
	if o.Unread == nil || err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if info, err := o.fsys().Stat(dir); err == nil && !info.Mode.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return // a file beside the directories
	}
	o.Unread(dir, err)
}

// inDir returns the session files directly in a directory.
func (o *Options) inDir(dir string, agent dialect.Name) ([]file, error) {
	entries, err := o.fsys().ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := make([]file, 0, len(entries))
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
