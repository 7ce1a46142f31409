package catalog

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// ErrNoHome is the error of a search for sessions in the agents' homes where nobody knows
// these: the home directory is not known, or not by an absolute path, and no directory is
// named instead. Nothing is looked for below the working directory then.
var ErrNoHome = errors.New("the home directory is not known: HOME is not an absolute path")

// A look is what was found of sessions: their folders, and an item for each, in no
// order.
type look struct {
	folders []folder
	items   []item
	gone    []string // known to the index, would have been found, and were not
	trouble error    // with the index, of which nothing was used then
}

// look looks for session files on all cores, and meanwhile asks the index, if
// there is one to be asked, what it keeps of them. The error is that of a directory
// that was named.
func (o *Options) look(ctx context.Context, index Index) (*look, error) {
	shelf := shelve(ctx, index, o.SessionDir)
	from := o.source()
	places, unread, err := o.toLookInto(ctx, from)
	if err != nil {
		return new(look), err
	}
	l := &look{folders: make([]folder, len(places))}
	errs := make([]error, len(places))
	var next atomic.Int64
	var mu sync.Mutex // guards l.items
	work := func() {
		m, found, parked := meeting{o: o}, vfs.Roll{}, []int32(nil)
		for {
			n := int32(next.Add(1)) - 1
			if n >= int32(len(places)) {
				break
			}
			d := &l.folders[n]
			*d, errs[n] = o.survey(ctx, from, &places[n], &found)
			if !shelf.full() {
				d.roll, parked = found.Clone(), append(parked, n)
				continue
			}
			d.parts = shelf.take(d.dir, errs[n])
			m.meet(d, n, &found)
		}
		for _, n := range parked {
			d := &l.folders[n]
			found := d.roll
			d.roll, d.parts = nil, shelf.wait().take(d.dir, errs[n])
			m.meet(d, n, found)
		}
		mu.Lock()
		l.items = append(l.items, m.items...)
		mu.Unlock()
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(places)) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	l.trouble = shelf.wait().err
	for n := range places {
		if p := &places[n]; errs[n] != nil && p.named {
			return l, errs[n]
		} else if !p.quiet {
			unread = append(unread, triedDir{p.dir, errs[n]})
		}
	}
	for _, u := range unread {
		o.unread(ctx, from, u.dir, u.err) // now that the index tells nothing any more
	}
	l.gone = o.missing(ctx, from, l.folders, shelf)
	return l, nil
}

// A triedDir is a directory that could not be read, or one that could.
type triedDir struct {
	dir string
	err error
}

// toLookInto returns the directories to look into, each once, and what could not
// be read on the way. The error is [ErrNoHome].
func (o *Options) toLookInto(ctx context.Context, from source.Source) (all []place, unread []triedDir, err error) {
	if o.SessionDir != "" {
		p := place{dir: path.Clean(o.SessionDir), named: true}
		if len(o.Agents) == 1 {
			p.agent = o.Agents[0]
		} else {
			p.agent = dialect.Name(places.Owner(path.Join(o.SessionDir, "0"+ident.Ext), o.Env))
		}
		return []place{p}, nil, nil
	}
	seen := map[string]bool{} // what was looked into, and roots below which all was
	places := o.places()
	if len(places) == 0 {
		return nil, nil, ErrNoHome
	}
	for _, p := range places {
		agent := dialect.Name(p.Name)
		if p.Flat != "" {
			if dir := path.Clean(p.Flat); !seen[dir] {
				seen[dir] = true
				all = append(all, place{dir: dir, agent: agent})
			}
			continue
		}
		for _, root := range []string{p.Sessions, p.Former} {
			root = path.Clean(root)
			if root == "." || seen[root+"/"] {
				continue
			}
			seen[root+"/"] = true
			names, err := from.Names(ctx, root)
			unread = append(unread, triedDir{root, err})
			all = slices.Grow(all, len(names))
			for _, name := range names {
				all = append(all, place{dir: strings.TrimSuffix(root, "/") + "/" + name, agent: agent})
			}
		}
		if p.Stray != "" && !seen[path.Clean(p.Stray)] {
			dir := path.Clean(p.Stray)
			seen[dir] = true
			all = append(all, place{dir: dir, agent: agent, stray: true, quiet: true}) // most homes have none
		}
	}
	for _, p := range o.strangers() {
		for _, dir := range p.Folders(ctx, vfs.Owned(o.fsys()), o.Env, func(dir string, err error) { unread = append(unread, triedDir{dir, err}) }) {
			all = append(all, place{dir: dir, agent: p.Name()})
		}
	}
	return distinct(all, seen), unread, nil
}

// strangers returns the programs whose homes are looked into.
func (o *Options) strangers() []foreign.Program {
	if o.Store != nil || o.SessionDir != "" || o.AgentDir != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o.programs.All), func(p foreign.Program) bool {
		return o.Agents != nil && !slices.Contains(o.Agents, p.Name())
	})
}

// distinct takes out what is looked into twice: a directory that was named, and
// lies below a root as well.
func distinct(all []place, seen map[string]bool) []place {
	twice := func(p *place) bool { return seen[p.dir] && seen[dirOf(p.dir)+"/"] }
	if !slices.ContainsFunc(all, func(p place) bool { return twice(&p) }) {
		return all
	}
	once := map[string]bool{}
	return slices.DeleteFunc(all, func(p place) bool {
		was := once[p.dir]
		once[p.dir] = true
		return was
	})
}

// unread tells of a directory that could not be read, unless there is none.
func (o *Options) unread(ctx context.Context, from source.Source, dir string, err error) {
	if o.Unread == nil || err == nil || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if info, err := from.Stat(ctx, dir); err == nil && !info.Mode.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return // a file beside the directories
	}
	o.Unread(dir, err)
}

// missing returns the files that are known, would have been found, and were not.
func (o *Options) missing(ctx context.Context, from source.Source, folders []folder, s *shelf) (gone []string) {
	for i := range folders {
		d := &folders[i]
		for _, at := range d.gone {
			b, n := d.record(at)
			gone = append(gone, string(b.path(n)))
		}
	}
	covers := o.covering(ctx, from)
	for dir, left := range s.left() {
		if !covers(dir) {
			continue
		}
		for _, b := range left {
			for n := range b.len() {
				gone = append(gone, string(b.path(n)))
			}
		}
	}
	return gone
}

// covering returns what reports whether files of a directory would have been
// found: it was looked into, or would have been if it still were there.
func (o *Options) covering(ctx context.Context, from source.Source) func(dir string) bool {
	if o.SessionDir != "" {
		return func(dir string) bool { return dir == path.Clean(o.SessionDir) }
	}
	roots := map[string]bool{} // whether what lies one below counts
	for _, p := range o.places() {
		for _, flat := range []string{p.Flat, p.Stray} {
			if flat != "" && (flat == p.Flat || p.Flat == "") {
				roots[path.Clean(flat)] = false
			}
		}
		for _, root := range []string{p.Sessions, p.Former} {
			if root != "" && p.Flat == "" {
				roots[path.Clean(root)] = true
			}
		}
	}
	seen := map[string]bool{}
	there := func(root string) bool {
		is, asked := seen[root]
		if !asked {
			// What lies in a home that is not mounted is not gone.
			_, err := from.Stat(ctx, root)
			is = err == nil
			seen[root] = is
		}
		return is
	}
	strangers := foreign.Programs{All: o.strangers(), Env: o.Env}
	return func(dir string) bool {
		if strangers.In(dir) != nil {
			return there(path.Dir(dir))
		}
		if deep, ok := roots[dir]; ok && !deep {
			return there(dir)
		}
		root := path.Dir(dir)
		return roots[root] && there(root)
	}
}
