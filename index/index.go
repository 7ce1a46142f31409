// Package index keeps what was found in sessions in a file, so that sessions are listed
// in milliseconds, searched without reading them, and large ones opened again without
// reading them whole.
//
// It is a package of its own because it brings a database with it: who imports
// [github.com/cambium-dev/cambium] alone has none.
//
//	known, err := index.Open(env, nil)
//	defer known.Close()
//	engine, err := cambium.Open(ctx, cambium.Options{Env: env, Index: known})
package index

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// An Index is what an engine takes as its Index, a listing as [catalog.Options] Index, and
// a session as its Memory. It is never the truth: what is wrong with it costs time only.
// It is safe for concurrent use, by several processes too.
type Index interface {
	catalog.Index
	session.Memory
	io.Closer
}

// Open returns the index of a machine, the one that the command uses: it lies in
// Cambium's cache directory. Nothing is opened or made before it is needed. report, if
// not nil, is told when it had to be built anew, and why. The error is for an environment
// without a home. The caller closes it.
func Open(env layout.Env, report func(error)) (Index, error) {
	dir := places.Own(env).Cache
	if env.Home == "" || !filepath.IsAbs(dir) {
		return nil, errors.New("open index: the environment says no place for it")
	}
	return index.New(index.Options{Dir: dir, Report: report}), nil
}
