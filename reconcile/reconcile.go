// Package reconcile syncs two places of sessions: each gets the entries that it lacks, and
// nothing is taken away from either. doc/share.md says what happens to sessions that went on
// in both.
package reconcile

import (
	"context"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
)

var (
	// ErrEmptied: a side had sessions and has none any more. Look there; Options.Anew sends
	// them again.
	ErrEmptied error = exchange.ErrEmptied
	// ErrRunning: another run syncs the same sides. Wait for it.
	ErrRunning error = exchange.ErrRunning
)

// A Side is one of the two places.
type Side struct{ side exchange.Side }

// Homes is the side of the agents' directories on this machine.
func Homes(env layout.Env, over layout.Overrides) Side { return Side{exchange.Homes(env, over)} }

// Directory is the side of one directory, on a drive for example.
func Directory(dir string) Side { return Side{exchange.Directory(dir)} }

// Shared is the side of a store that many machines have. key tells stores apart and holds
// no password.
func Shared(key string, store storage.Store, blobs blob.Store) Side {
	return Side{exchange.Shared(key, store, blobs)}
}

// Options say what is synced and how. The zero value syncs all.
type Options struct {
	// Agents are the agents whose sessions are synced; nil means all four.
	Agents []string
	// DryRun finds out what would be moved and writes nothing.
	DryRun bool
	// Anew sends sessions to a side that had some and has none any more.
	Anew bool
	// State is a directory in which to remember what was seen last; "" for nowhere.
	State string
	// Failed is told of each session that could not be synced, by its name, and Warn what
	// else there is to say. They are called one at a time; nil means nobody.
	Failed func(name string, err error)
	Warn   func(text string)
}

// A Report counts what a run did, or would do.
type Report struct {
	// Sessions are those that were looked at, Failed those that could not be synced.
	Sessions, Failed int
	// Out and In are the entries that went there and came here.
	Out, In int64
}

// Run gives each side what it lacks; here is made by [Homes]. The error is for a run that could not begin or had to
// end; a session that cannot be synced is none.
func Run(ctx context.Context, here, there Side, o Options) (Report, error) {
	all := exchange.Options{Agents: o.Agents, DryRun: o.DryRun, Anew: o.Anew, State: o.State, Warn: o.Warn}
	if o.Failed != nil {
		all.Failed = func(f exchange.Failure) { o.Failed(f.Name, f.Err) }
	}
	r, err := exchange.Run(ctx, here.side, there.side, all)
	return Report{Sessions: r.Sessions, Failed: r.Failed, Out: r.Out.Entries, In: r.In.Entries}, err
}
