package cli

import (
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/layout"
)

// A lazyIndex is the index of sessions, once it is asked for.
type lazyIndex struct {
	index   *index.Index
	trouble bool // was told
}

// useIndex has a listing use the index: it lies in Cambium's cache directory, is
// opened when it is first asked, and is done without when something is wrong
// with it, which is told once.
func (a *app) useIndex(o *catalog.Options) {
	dir := layout.Own(a.env).Cache
	if a.flags.noIndex || !filepath.IsAbs(dir) {
		return
	}
	if a.known.index == nil {
		a.known.index = index.New(index.Options{Dir: dir, Report: a.indexTrouble})
	}
	o.Index, o.Trouble = a.known.index, a.indexTrouble
}

// indexTrouble says what is wrong with the index; the answer is complete without.
func (a *app) indexTrouble(err error) {
	if !a.known.trouble {
		a.note("", err.Error())
	}
	a.known.trouble = true
}

// closeIndex closes what useIndex opened.
func (a *app) closeIndex() {
	if a.known.index != nil {
		_ = a.known.index.Close() // it is never the truth
	}
}
