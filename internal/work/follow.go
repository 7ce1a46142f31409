package work

import (
	"context"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/session"
)

// FollowOptions say what is shown of a session that is followed.
type FollowOptions struct {
	// Last is with how many of the last entries it begins.
	Last int
	// Idle is after how long without an entry it ends; 0 never ends it.
	Idle time.Duration
}

// A Follower tells what others append to a session.
type Follower struct {
	// Session is the one that is followed.
	Session *session.Session

	l        *Library
	o        FollowOptions
	next     int             // the first position that was not told
	seen     map[string]bool // the ids of the entries that were there or told
	replaced bool            // positions mean nothing any more
}

// Watch opens the session that arg names to follow it. What becomes of its file is
// noted. The caller closes Session.
func Watch(ctx context.Context, l *Library, arg string, o FollowOptions) (*Follower, error) {
	f := &Follower{l: l, o: o, seen: map[string]bool{}}
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return nil, err
	}
	if f.Session, err = l.OpenReadAt(ctx, path, f.happened); err != nil {
		return nil, err
	}
	l.Damage(f.Session)
	f.next = max(0, f.Session.Len()-o.Last)
	for i := range f.next {
		if id, ok := f.Session.List().ID(i); ok {
			f.seen[id] = true
		}
	}
	return f, nil
}

// Batches yields the positions of entries that were not told yet, those that are there
// first, until ctx ends or nothing came for so long. An error is the last.
func (f *Follower) Batches(ctx context.Context) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		if !yield(f.fresh(), nil) {
			return
		}
		watching, stop := context.WithCancel(ctx)
		defer stop()
		idle := time.AfterFunc(time.Hour, func() {})
		if f.o.Idle > 0 {
			idle = time.AfterFunc(f.o.Idle, stop)
		}
		defer idle.Stop()
		for err := range f.Session.Watch(watching) {
			if err != nil {
				yield(nil, opening(f.Session.Path(), err))
				return
			}
			if !yield(f.fresh(), nil) {
				return
			}
			if f.o.Idle > 0 {
				idle.Reset(f.o.Idle)
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// happened notes what becomes of the file, and when entries are at other positions.
func (f *Follower) happened(e session.Event) {
	text := e.Text
	switch e.Kind {
	case session.Replaced:
		f.replaced = true
	case session.Moved:
		text = "it was moved, to " + e.Text
	case session.Gone:
		text += "; waiting for it"
	default:
		return
	}
	if text != "" {
		f.l.note(f.Session.Path(), text)
	}
}

// fresh returns the positions that were not told yet.
func (f *Follower) fresh() (fresh []int) {
	list := f.Session.List()
	from := f.next
	if f.replaced {
		from = 0
	}
	for i := from; i < list.Len(); i++ {
		id, ok := list.ID(i)
		if f.replaced && (!ok || f.seen[id]) {
			continue
		}
		f.seen[id] = true
		fresh = append(fresh, i)
	}
	f.next, f.replaced = list.Len(), false
	return fresh
}
