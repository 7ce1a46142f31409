package cli

import (
	"context"

	"github.com/cambium-dev/cambium/search"
)

// openHit goes on with the session of the best hit, from the entry that was
// found.
func openHit(ctx context.Context, a *app, text string, o searchOptions, hits func(func(search.Hit) bool) error) error {
	var best search.Hit
	found := false
	if err := hits(func(h search.Hit) bool { best, found = h, true; return false }); err != nil {
		return err
	}
	if !found {
		return nothingFound(text)
	}
	a.lib.GoesOn = true
	return a.resume(ctx, best.Info.Path, resumeOptions{leaf: best.EntryID, print: o.path, look: o.path})
}
