package rpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// A handle is one open session and what was asked of it.
type handle struct {
	s       *Conn
	number  int
	name    string
	session *session.Session // set by the first thing in the queue

	closed atomic.Bool

	turns // what is to be done with the session

	// telling is held while the client is told, which may take as long as it
	// likes. quiet says that it was not told the handle yet: what happens is
	// kept in events until it was.
	telling sync.Mutex
	quiet   bool         // guarded by telling
	follows bool         // entries are told whole
	hush    bool         // nothing is told of what the client's own calls did
	events  []entry.JSON // guarded by telling

	seen    vfs.Info     // of the session's file, when follow last looked at it
	queued  atomic.Int64 // entries that are not saved, after the last call
	release func()       // gives back the handle's place
}

// newHandle makes a handle, the first use of which is to open its session.
// Handles are numbered in the order of the calls.
func (s *Conn) newHandle(release func(), hush bool) *handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	h := &handle{s: s, number: s.last, name: strconv.Itoa(s.last), quiet: true, hush: hush, release: release}
	s.handles[h.name] = h
	return h
}

// drop ends the handle for further calls.
func (h *handle) drop() {
	h.s.mu.Lock()
	_, there := h.s.handles[h.name]
	delete(h.s.handles, h.name)
	h.s.mu.Unlock()
	if there {
		h.release()
	}
}

// count notes how many entries are not saved.
func (h *handle) count() {
	if h.session != nil && !h.closed.Load() {
		h.queued.Store(int64(h.session.Queued()))
	}
}

// tell notifies the client of what happened to the session.
func (h *handle) tell(e session.Event) {
	if h.hush && !e.Foreign && (e.Kind == session.Appended || e.Kind == session.Replaced || e.Kind == session.Renamed) {
		return
	}
	var o jsonedit.Object
	o.String("handle", h.name).String("kind", e.Kind.String())
	if e.IDs != nil {
		o.Add("ids", jsonedit.Strings(e.IDs...))
	}
	if e.Kind != session.Tips {
		o.Bool("foreign", e.Foreign)
	}
	if e.Kind == session.Appended && h.follows && h.session != nil {
		o.Add("entries", h.entries(e.IDs))
	}
	if err := e.Err; err != nil {
		if e.Kind == session.Unsaved && !errors.Is(err, session.ErrUnsaved) {
			err = fmt.Errorf("%w: %w", session.ErrUnsaved, err) // the event is its cause alone
		}
		if h.session != nil {
			err = h.unsaved("", err)
		}
		o.Add("error", faultOf(err).json())
	}
	switch {
	case e.Kind == session.Renamed:
		o.String("title", e.Text)
	case e.Text != "":
		o.String("text", e.Text)
	}
	message := notification("session.event", o.Value())
	if jsonl.Valid(message) != nil {
		h.s.o.Log.Warn("event is not JSON", "kind", e.Kind.String())
		return
	}
	h.telling.Lock()
	defer h.telling.Unlock()
	if h.quiet {
		h.events = append(h.events, message)
		return
	}
	h.s.tell(message) // under the lock: in the order of what happened
}

// entries returns entries of the session; what cannot be read is left out.
func (h *handle) entries(ids []string) entry.JSON {
	var all jsonedit.Array
	for _, id := range ids {
		if e, err := h.session.Entry(id); err == nil {
			all.Add(e.Raw())
		}
	}
	return all.Value()
}

// known tells what happened before the client was told the handle.
func (h *handle) known() {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.quiet = false
	h.s.tell(h.events...)
	h.events = nil
}

// close saves and closes the session. With entries that cannot be saved it
// stays open, so that nothing is lost.
func (h *handle) close(ctx context.Context) error {
	if err := h.session.Flush(ctx); err != nil {
		return h.unsaved("", err)
	}
	h.closed.Store(true)
	h.drop()
	return h.session.Close()
}

// unsaved adds to an error what is known of entries that are not on disk.
func (h *handle) unsaved(id string, err error) error {
	if errors.Is(err, session.ErrUnsaved) {
		return &late{err: err, id: id, queued: h.session.Queued()}
	}
	return err
}

// closeAll closes what is open when no call is under way any more.
func (s *Conn) closeAll() error {
	s.mu.Lock()
	open := slices.SortedFunc(maps.Values(s.handles), func(a, b *handle) int { return a.number - b.number })
	clear(s.handles)
	s.mu.Unlock()
	var errs []error
	for _, h := range open {
		path := h.session.Path()
		err := h.session.Close()
		h.release()
		if err != nil {
			errs = append(errs, fmt.Errorf("close session %q: %w", path, err))
		}
	}
	return errors.Join(errs...)
}

// follow looks from time to time whether others did something to the open
// sessions, and returns what ends it. A session is read only when its file
// looks other than before.
func (s *Conn) follow(ctx context.Context) (stop func()) {
	every := s.o.Poll
	if every < 0 {
		return func() {}
	}
	if every == 0 {
		every = time.Second
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.look(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// look has those sessions read whose file changed and nobody is busy with.
func (s *Conn) look(ctx context.Context) {
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.handles))
	s.mu.Unlock()
	for _, h := range open {
		idle := h.idle()
		if !idle || h.session == nil || !h.session.OnDisk() {
			continue
		}
		now, err := s.o.FS.Stat(h.session.Path())
		if err != nil {
			continue // whoever removed it did not mean us to put it back unasked
		}
		now.Nlink = 0 // another name for it says nothing
		if now == h.seen {
			continue
		}
		h.seen = now
		h.push(&s.work, func(func()) {
			if h.closed.Load() {
				return
			}
			if _, err := h.session.Refresh(ctx); err != nil && ctx.Err() == nil {
				s.o.Log.Debug("look at session", "path", h.session.Path(), "error", err)
			}
		})
	}
}
