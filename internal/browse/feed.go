package browse

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/fsnotify/fsnotify"
)

// A feed brings the sessions to a picker: all of them at first, as they are
// found, then what changes, as long as it runs.
type feed struct {
	lib   *work.Library
	opt   catalog.Options
	dir   string // this project's
	send  func(tea.Msg)
	again chan struct{} // asks to look anew

	known map[string]catalog.Info
	here  map[string]bool // by working directory
	took  time.Duration   // the last look
	first bool
	away  string // what was said of a store that does not answer
}

// newFeed returns a feed of the sessions of all projects.
func newFeed(l *work.Library, opt catalog.Options, dir string, send func(tea.Msg)) *feed {
	if opt.Index == nil {
		opt.Index = &memoryIndex{records: map[string]catalog.Record{}}
	}
	return &feed{
		lib: l, opt: opt, dir: dir, send: send, again: make(chan struct{}, 1),
		known: map[string]catalog.Info{}, here: map[string]bool{}, first: true,
	}
}

// look has the feed look for changes soon.
func (f *feed) look() {
	select {
	case f.again <- struct{}{}:
	default: // it will
	}
}

// How often sessions are brought while they are found, how many at most, and how
// many at first: what a screen holds.
const (
	batchFirst = 64
	batchTime  = 50 * time.Millisecond
	batchMost  = 1000
)

// Quiet time after a change before it is looked at, and how much longer than a
// look takes it is until the next.
const (
	calm      = 250 * time.Millisecond
	calmTimes = 10
)

// begin brings sessions of this project that are known already.
func (f *feed) begin(all []catalog.Info) {
	pins := f.lib.Pins()
	items := make([]picker.Item, len(all))
	for i, info := range all {
		info.Pinned = pins.Has(&info)
		f.known[info.Path] = info
		items[i] = picker.Item{Info: info, Here: true}
	}
	f.send(picker.Found{Items: items})
}

// run brings the sessions until ctx ends.
func (f *feed) run(ctx context.Context) {
	f.scan(ctx)
	watch, err := fsnotify.NewWatcher()
	watched := err == nil && f.lib.Shared == nil
	if watched {
		defer func() { _ = watch.Close() }() // nothing was written
	} else {
		if err == nil {
			_ = watch.Close() // nothing was written
		}
		watch = &fsnotify.Watcher{} // there are too many: now and then must do
	}
	soon := f.next(watch, watched)
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-watch.Events:
			if ok && soon == nil && ofSessions(e) {
				soon = time.After(max(calm, calmTimes*f.took))
			}
		case <-watch.Errors: // of events that were lost: the next will come
		case <-f.again:
			soon = time.After(0)
		case <-soon:
			f.scan(ctx)
			soon = f.next(watch, watched)
		}
	}
}

// How often sessions are looked at where they cannot be watched: on a disk, and in
// a store, which lists them at little cost.
const (
	seldom = 10 * time.Second
	often  = 2 * time.Second
)

// next watches what was found and says when to look again, nil for when
// something happens: soon, if directories were found that were not watched while
// they were read.
func (f *feed) next(watch *fsnotify.Watcher, watched bool) <-chan time.Time {
	switch {
	case f.lib.Shared != nil:
		return time.After(max(often, calmTimes*f.took))
	case !watched:
		return time.After(max(seldom, calmTimes*f.took))
	case f.watch(watch):
		return time.After(max(calm, calmTimes*f.took))
	}
	return nil
}

// ofSessions reports whether an event is about a session or a directory.
func ofSessions(e fsnotify.Event) bool {
	base := filepath.Base(e.Name)
	return e.Op != fsnotify.Chmod && !strings.HasPrefix(base, ".") &&
		(strings.HasSuffix(base, ".jsonl") || !strings.Contains(base, ".") || strings.HasPrefix(base, "-"))
}

// maxWatched is how many directories are watched, those with the newest
// sessions: systems allow so many.
const maxWatched = 2000

// watch watches the directories of all sessions and those above them, where new
// ones appear, and reports whether some were not watched before. One that cannot
// be watched is not.
func (f *feed) watch(w *fsnotify.Watcher) (more bool) {
	had := w.WatchList()
	all := make([]catalog.Info, 0, len(f.known))
	for _, info := range f.known {
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b catalog.Info) int { return b.ModTime.Compare(a.ModTime) })
	seen := make(map[string]bool, len(had))
	for _, dir := range had {
		seen[dir] = true
	}
	add := func(dir string) {
		if !seen[dir] && len(seen) < maxWatched {
			seen[dir] = true
			more = w.Add(dir) == nil || more
		}
	}
	for _, place := range work.Places(f.lib) {
		add(place)
	}
	for _, info := range all {
		dir := filepath.Dir(info.Path)
		add(filepath.Dir(dir))
		add(dir)
	}
	return more
}

// scan looks for sessions and brings what is new, what changed and what went.
func (f *feed) scan(ctx context.Context) {
	begun := time.Now()
	pins := f.lib.Pins()
	read := picker.Progress{}
	f.opt.Progress = func(done, total int) { read = picker.Progress{Done: done, Total: total} }
	seen := make(map[string]bool, len(f.known))
	var batch []picker.Item
	last := begun
	flush := func() {
		if f.first {
			f.send(read)
		}
		if len(batch) > 0 {
			f.send(picker.Found{Items: batch})
			batch = nil
		}
		last = time.Now()
	}
	look := f.store().Look()
	var failed error
	for info, err := range catalog.Scan(ctx, f.opt) {
		if err != nil {
			failed = err
			break
		}
		seen[info.Path] = true
		info.Pinned = pins.Has(&info)
		if f.changed(info) {
			batch = append(batch, f.item(info))
		}
		screenful := f.first && len(seen) == batchFirst
		if screenful || len(batch) >= batchMost || time.Since(last) > batchTime {
			flush()
		}
	}
	flush()
	if ctx.Err() != nil {
		return
	}
	f.reach(look.Outage(len(seen) > 0))
	if failed == nil {
		f.gone(seen)
	}
	f.busy(ctx)
	f.took = time.Since(begun)
	if f.first || failed != nil {
		f.send(picker.Done{Err: failed})
	}
	f.first = false
}

// store is what stands before a shared store, nil for none.
func (f *feed) store() *offline.Store {
	if f.lib.Shared == nil {
		return nil
	}
	return f.lib.Shared.Offline
}

// reach says how the store answered, if that is not as it was.
func (f *feed) reach(o offline.Outage, why error) {
	text := ""
	switch o {
	case offline.Partly:
		text = fmt.Sprintf("The store does not answer: only what is kept of it here is listed (%v)", why)
	case offline.Unreachable:
		text = fmt.Sprintf("The store does not answer, and nothing of it is kept here (%v)", why)
	}
	if text != f.away {
		f.away = text
		f.send(picker.Away{Text: text})
	}
}

// changed reports whether a session is not as it was, and keeps how it is.
func (f *feed) changed(info catalog.Info) bool {
	old, ok := f.known[info.Path]
	info.Busy = old.Busy
	f.known[info.Path] = info
	return !ok || !reflect.DeepEqual(old, info)
}

// item is what a picker is told of a session.
func (f *feed) item(info catalog.Info) picker.Item {
	here, ok := f.here[info.CWD]
	if !ok {
		here = f.dir != "" && f.lib.SameDir(info.CWD, f.dir)
		f.here[info.CWD] = here
	}
	info.Busy = f.known[info.Path].Busy
	return picker.Item{Info: info, Here: here}
}

// gone says which sessions are no longer there.
func (f *feed) gone(seen map[string]bool) {
	var paths []string
	for path := range f.known {
		if !seen[path] {
			paths = append(paths, path)
			delete(f.known, path)
		}
	}
	if len(paths) > 0 {
		f.send(picker.Gone{Paths: paths})
	}
}

// busy finds out who has which session open and says of which that changed.
func (f *feed) busy(ctx context.Context) {
	has := f.lib.WhoHas(ctx)
	var items []picker.Item
	for path, info := range f.known {
		who := has(path, nil)
		if !reflect.DeepEqual(who, info.Busy) && len(who)+len(info.Busy) > 0 {
			info.Busy = who
			f.known[path] = info
			items = append(items, f.item(info))
		}
	}
	if len(items) > 0 {
		f.send(picker.Found{Items: items})
	}
}
