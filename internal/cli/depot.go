package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/depot"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// awayStore reports whether an error means that a shared store does not answer.
func awayStore(err error) bool {
	return errors.Is(err, postgres.ErrAway) || errors.Is(err, jetstream.ErrAway)
}

// short names a file after a text.
func short(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// reachStore opens the store that is named, with what is kept here before it. One
// that does not answer is opened all the same, if it did once.
func (a *app) reachStore(ctx context.Context) (*shared, error) {
	open := storeKinds()[a.storeScheme]
	far, err := a.reach(ctx, open, a.flags.store)
	own := layout.Own(a.env)
	keeps := filepath.IsAbs(own.Cache) && filepath.IsAbs(own.State)
	known := filepath.Join(own.Cache, "stores", "known", short(plainURL(a.flags.store)))
	key := ""
	switch {
	case err == nil && !keeps:
		return far, nil
	case err == nil:
		key = far.key
		noteKey(known, key)
	case keeps && awayStore(err):
		raw, _ := readFile(known, maxKey) // none: it never answered
		key = string(raw)
	}
	if key == "" {
		return nil, storeTrouble(err)
	}
	away := err
	o := a.keeping(key)
	o.Reach = func(ctx context.Context) (*depot.Remote, error) {
		far, err := open(ctx, a.flags.store, true)
		if err != nil {
			return nil, err
		}
		if far.key != key {
			return nil, errors.Join(fmt.Errorf("open store: it is another one now, %s instead of %s", far.key, key), far.close())
		}
		return remoteOf(far), nil
	}
	s := &shared{key: key}
	if away == nil {
		s.depot = depot.New(remoteOf(far), o)
	} else {
		s.depot = depot.New(nil, o)
		a.flags.noIndex = true // it would take what is not kept here for gone
	}
	s.Store, s.blobs, s.close = s.depot, s.depot.Blobs(), s.depot.Close
	return s, nil
}

// keeping says where things of a store are kept on this machine.
func (a *app) keeping(key string) depot.Options {
	own := layout.Own(a.env)
	return depot.Options{
		Cache: filepath.Join(own.Cache, "stores", short(key)), Waiting: filepath.Join(own.State, "waiting", short(key)),
		Away: awayStore, Say: func(text string) { a.note("", text) }, Now: a.Now,
	}
}

func remoteOf(s *shared) *depot.Remote {
	return &depot.Remote{Store: s.Store, Blobs: s.blobs, Close: s.close}
}

// noteKey keeps which store a URL leads to. It is a convenience, never an error.
func noteKey(path, key string) {
	if was, err := readFile(path, maxKey); err != nil || string(was) != key {
		_ = replaceFile(path, []byte(key))
	}
}

// maxKey is more than the key of a store has, in bytes.
const maxKey = 64 << 10

// sendWaiting sends what waited for the shared store, which was just opened.
func (a *app) sendWaiting(ctx context.Context) {
	if d := a.shared.depot; d != nil && d.Away() == nil {
		_ = a.sendAll(ctx, d) // it was told, and waits on
	}
}

// sendAll sends what waits for a store and tells how that went. The error says
// that something waits still.
func (a *app) sendAll(ctx context.Context, d *depot.Store) error {
	if all, err := d.Wait(); err == nil && len(all) == 0 {
		return nil
	}
	done, err := d.Send(ctx)
	if done.Lines > 0 {
		a.note("", depot.Tell(done))
	}
	if err != nil && ctx.Err() == nil {
		a.note("", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

// sendBefore sends what waits on this machine for a store that sync opened, or says
// what would be sent. The error says that something waits still.
func (a *app) sendBefore(ctx context.Context, s *shared, dry bool) error {
	o := a.keeping(s.key)
	if !filepath.IsAbs(o.Waiting) {
		return nil
	}
	remote := remoteOf(s)
	remote.Close = nil // sync goes on with it
	d := depot.New(remote, o)
	defer func() { _ = d.Close() }() // there is nothing to close
	if !dry {
		return a.sendAll(ctx, d)
	}
	waiting, err := d.Wait()
	lines := 0
	for _, w := range waiting {
		lines += len(w.Lines)
	}
	if lines > 0 {
		a.note("", fmt.Sprintf("would be sent first: %s that waited for the store", plural(lines, "line")))
	}
	return err
}
