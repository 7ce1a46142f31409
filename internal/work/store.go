package work

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// A Shared store is one that is not on the local disk. Names in it are those of a
// home directory that is the root: the sessions of cambium are under
// "/.cambium/agent/sessions".
type Shared struct {
	storage.Store
	Blobs blob.Store
	// Key tells stores apart, without a password.
	Key string
	// Close closes it.
	Close func() error
	// Offline stands before the store, if there is a place to keep things; nil in
	// what an Opener opens.
	Offline *offline.Store
	// Asked is what the command asks of it.
	Asked offline.Look

	ctx context.Context // that of who uses it: what reads it as files has none
}

// An Opener opens the store of a URL. It is made if it is not there and existing is
// false; else the error wraps fs.ErrNotExist.
type Opener func(ctx context.Context, url string, existing bool) (*Shared, error)

// Openers are the kinds of shared stores, by the scheme of their URL.
func Openers() map[string]Opener { return openers(postgres.Options{Extract: search.WordsOf}) }

// Wordless opens stores for who sends much at once: the words of them are taken out when
// they are first searched.
func Wordless() map[string]Opener { return openers(postgres.Options{}) }

// Upgrading opens stores and brings them up to date, whatever their URLs say of that.
func Upgrading() map[string]Opener {
	return openers(postgres.Options{Extract: search.WordsOf, Upgrade: true})
}

// openers open databases as the options say, and other stores.
func openers(o postgres.Options) map[string]Opener {
	database := func(ctx context.Context, url string, existing bool) (*Shared, error) {
		o := o
		o.Existing = existing
		s, err := postgres.Open(ctx, url, o)
		if err != nil {
			return nil, err
		}
		return &Shared{Store: s, Blobs: s.Blobs(), Key: s.Key(), Close: s.Close}, nil
	}
	return map[string]Opener{"postgres": database, "postgresql": database, "nats": openNATS, "tls": openNATS}
}

func openNATS(ctx context.Context, url string, existing bool) (*Shared, error) {
	s, err := jetstream.Open(ctx, url, jetstream.Options{Existing: existing})
	if err != nil {
		return nil, err
	}
	return &Shared{Store: s, Blobs: s.Blobs(), Key: s.Key(), Close: s.Close}, nil
}

// Attach has the library keep its sessions in a shared store that is open, for as
// long as ctx lasts. Close closes it.
func (l *Library) Attach(ctx context.Context, s *Shared) {
	s.ctx = ctx
	l.Shared = s
}

// Reach opens the store of a URL, which is made, and that noted, if it is not there
// and the library makes it.
func (l *Library) Reach(ctx context.Context, open Opener, url string) (*Shared, error) {
	stop := l.front.wait("open store")
	s, missing := open(ctx, url, true)
	err := missing
	if NoStore(missing) && l.Makes {
		s, err = open(ctx, url, false)
	}
	stop()
	if missing != nil && err == nil {
		l.note("", "a store was made in "+lacking(missing))
	}
	return s, err
}

// lacking returns where there was no store.
func lacking(err error) string {
	var store *serverstatus.Missing
	if errors.As(err, &store) {
		return store.Where
	}
	return err.Error()
}

// NoStore reports whether an error means that there is no store where one is
// looked for.
func NoStore(err error) bool {
	var path *fs.PathError // a file that the URL names
	return errors.Is(err, fs.ErrNotExist) && !errors.As(err, &path) && !Away(err)
}

// Refused reports whether an error means that a shared store takes nothing from this
// user, or from nobody.
func Refused(err error) bool {
	return errors.Is(err, postgres.ErrRefused) || errors.Is(err, jetstream.ErrRefused) || errors.Is(err, postgres.ErrReadOnly)
}
