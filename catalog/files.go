package catalog

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"path"
	"runtime"
	"slices"
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
	stamp  Stamp        // the state it was found in
	mode   fs.FileMode  // its type
	target string       // what to read, when path is a link
}

// name returns the name that the file is opened by.
func (f *file) name() string {
	if f.target != "" {
		return f.target
	}
	return f.path
}

func stampOf(i vfs.Info) Stamp {
	return Stamp{Dev: i.Dev, Ino: i.Ino, Size: i.Size, ModTime: i.ModTime}
}

// files returns the files to read, the one changed last first.
func (o *Options) files() ([]file, error) {
	found, err := o.found()
	if err != nil {
		return nil, err
	}
	// Files are large to move about: each is moved once.
	type key struct {
		at   int64
		file int32
	}
	order := make([]key, len(found))
	for i := range found {
		order[i] = key{found[i].stamp.ModTime, int32(i)}
	}
	slices.SortFunc(order, func(a, b key) int {
		if a.at != b.at {
			return cmp.Compare(b.at, a.at)
		}
		return cmp.Compare(found[b.file].path, found[a.file].path)
	})
	for start := range order {
		if order[start].file < 0 {
			continue // it is in its place
		}
		first, to := found[start], start
		for {
			from := int(order[to].file)
			order[to].file = -1
			if from == start {
				found[to] = first
				break
			}
			found[to], to = found[from], from
		}
	}
	return found, nil
}

// sooner orders files as they are read: the one changed last first.
func (f *file) sooner(other *file) bool {
	if f.stamp.ModTime != other.stamp.ModTime {
		return f.stamp.ModTime > other.stamp.ModTime
	}
	return f.path > other.path
}

// newest yields the files that were found as files orders them, without putting
// more in order than is asked for.
func newest(found []file) iter.Seq[file] {
	return func(yield func(file) bool) {
		heap := make([]int32, len(found)) // each comes before those at 2i+1 and 2i+2
		for i := range heap {
			heap[i] = int32(i)
		}
		down := func(at int) {
			for {
				next := 2*at + 1
				if next >= len(heap) {
					return
				}
				if next+1 < len(heap) && found[heap[next+1]].sooner(&found[heap[next]]) {
					next++
				}
				if !found[heap[next]].sooner(&found[heap[at]]) {
					return
				}
				heap[at], heap[next] = heap[next], heap[at]
				at = next
			}
		}
		for at := len(heap)/2 - 1; at >= 0; at-- {
			down(at)
		}
		for len(heap) > 0 {
			if !yield(found[heap[0]]) {
				return
			}
			last := len(heap) - 1
			heap[0], heap = heap[last], heap[:last]
			down(0)
		}
	}
}

// found returns the files to read, each once, in any order.
func (o *Options) found() ([]file, error) {
	if o.SessionDir != "" {
		agent := dialect.Name("")
		if len(o.Agents) == 1 {
			agent = o.Agents[0]
		}
		found, err := o.inDir(o.SessionDir, agent)
		if err != nil {
			return nil, err
		}
		return o.owned(found), nil
	}
	var all [][]file
	for _, place := range o.places() {
		all = append(all, o.inHome(place)...)
	}
	return distinct(all), nil
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

// distinct joins what was found in directories, and drops files that were found
// twice, through two roots.
func distinct(dirs [][]file) []file {
	n, twice := 0, false
	seen := make(map[string]bool, len(dirs))
	for _, files := range dirs {
		if len(files) > 0 {
			dir := path.Dir(files[0].path)
			n, twice, seen[dir] = n+len(files), twice || seen[dir], true
		}
	}
	all := make([]file, 0, n)
	for i, files := range dirs {
		all, dirs[i] = append(all, files...), nil
	}
	if !twice {
		return all
	}
	clear(seen)
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
func (o *Options) inHome(p layout.Place) [][]file {
	agent := dialect.Name(p.Name)
	if p.Flat != "" {
		found, err := o.inDir(p.Flat, agent)
		o.unread(p.Flat, err) // nobody named it here: no error
		return [][]file{found}
	}
	var all [][]file
	if p.Stray != "" {
		found, _ := o.inDir(p.Stray, agent) // most homes have none
		all = append(all, slices.DeleteFunc(found, func(f file) bool {
			_, _, ok := layout.ParseFileName(base(f.path))
			return !ok
		}))
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
		all = append(all, o.inDirs(root, names, agent)...)
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
	found, err := vfs.Survey(o.fsys(), path.Clean(dir), layout.Ext)
	if err != nil {
		return nil, err
	}
	all := make([]file, 0, len(found))
	for _, at := range found {
		if at.Mode.IsDir() {
			continue
		}
		f := file{path: at.Path, agent: agent, mode: at.Mode, stamp: Stamp{Dev: at.Dev, Ino: at.Ino, Size: at.Size, ModTime: at.ModTime}}
		if at.Mode&fs.ModeSymlink != 0 && !o.led(&f) {
			continue // it leads nowhere
		}
		all = append(all, f)
	}
	return all, nil
}

// led looks at what a link leads to, and returns false when there is nothing.
func (o *Options) led(f *file) bool {
	target, err := vfs.Resolve(o.fsys(), f.path)
	if err != nil {
		return false
	}
	info, err := o.fsys().Stat(target)
	if err == nil {
		f.target, f.stamp, f.mode = target, stampOf(info), info.Mode.Type()
	}
	return !errors.Is(err, fs.ErrNotExist)
}
