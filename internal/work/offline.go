package work

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// Away reports whether an error means that a shared store does not answer.
func Away(err error) bool {
	return errors.Is(err, postgres.ErrAway) || errors.Is(err, jetstream.ErrAway)
}

// short names a file after a text.
func short(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// ReachStore opens the store that is named, with what is kept here before it. One
// that does not answer is opened all the same, if it did once.
func (l *Library) ReachStore(ctx context.Context) (*Shared, error) {
	open := Openers()[l.Scheme]
	far, err := l.Reach(ctx, open, l.Store)
	own := places.Own(l.Env)
	keeps := filepath.IsAbs(own.Cache) && filepath.IsAbs(own.State)
	known := filepath.Join(own.Cache, "stores", "known", short(PlainURL(l.Store)))
	key := ""
	switch {
	case err == nil && !keeps:
		return far, nil
	case err == nil:
		key = far.Key
		noteKey(known, key)
	case keeps && Away(err):
		raw, _ := readFile(known, maxKey) // none: it never answered
		key = string(raw)
	}
	if key == "" {
		return nil, &Error{Reaching, "", err}
	}
	away := err
	o := l.keeping(key)
	o.Reach = func(ctx context.Context) (*offline.Remote, error) {
		far, err := open(ctx, l.Store, true)
		if err != nil {
			return nil, err
		}
		if far.Key != key {
			return nil, errors.Join(fmt.Errorf("open store: it is another one now, %s instead of %s", far.Key, key), far.Close())
		}
		return remoteOf(far), nil
	}
	s := &Shared{Key: key}
	if away == nil {
		s.Offline = offline.New(remoteOf(far), o)
	} else {
		o.Why = away
		s.Offline = offline.New(nil, o)
		l.NoIndex = true // it would take what is not kept here for gone
	}
	s.Store, s.Blobs, s.Close = s.Offline, s.Offline.Blobs(), s.Offline.Close
	return s, nil
}

// keeping says where things of a store are kept on this machine.
func (l *Library) keeping(key string) offline.Options {
	own := places.Own(l.Env)
	return offline.Options{
		Name:  PlainURL(l.Store),
		Cache: filepath.Join(own.Cache, "stores", short(key)), Waiting: filepath.Join(own.State, "waiting", short(key)),
		Away: Away, Say: func(text string) { l.note("", text) }, Now: l.Now,
	}
}

func remoteOf(s *Shared) *offline.Remote {
	return &offline.Remote{Store: s.Store, Blobs: s.Blobs, Close: s.Close}
}

// noteKey keeps which store a URL leads to. It is a convenience, never an error.
func noteKey(path, key string) {
	if was, err := readFile(path, maxKey); err != nil || string(was) != key {
		_ = replaceFile(path, []byte(key))
	}
}

// maxKey is more than the key of a store has, in bytes.
const maxKey = 64 << 10

// SendWaiting sends what waited for the shared store, which was just opened.
func (l *Library) SendWaiting(ctx context.Context) {
	if d := l.Shared.Offline; d != nil && d.Away() == nil {
		_ = l.sendAll(ctx, d) // it was told, and waits on
	}
}

// sendAll sends what waits for a store and tells how that went. The error says
// that something waits still.
func (l *Library) sendAll(ctx context.Context, d *offline.Store) error {
	if all, err := d.Wait(); err == nil && len(all) == 0 {
		return nil
	}
	done, err := d.Send(ctx)
	if done.Lines > 0 {
		l.note("", offline.Tell(done))
	}
	if err != nil && ctx.Err() == nil {
		l.note("", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

// sendBefore sends what waits on this machine for a store that sync opened, or says
// what would be sent. The error says that something waits still.
func (l *Library) sendBefore(ctx context.Context, s *Shared, dry bool) error {
	o := l.keeping(s.Key)
	if !filepath.IsAbs(o.Waiting) {
		return nil
	}
	remote := remoteOf(s)
	remote.Close = nil // sync goes on with it
	d := offline.New(remote, o)
	defer func() { _ = d.Close() }() // there is nothing to close
	if !dry {
		return l.sendAll(ctx, d)
	}
	waiting, err := d.Wait()
	lines := 0
	for _, w := range waiting {
		lines += len(w.Lines)
	}
	if lines > 0 {
		l.note("", fmt.Sprintf("would be sent first: %s that waited for the store", term.Plural(lines, "line")))
	}
	return err
}
