package work

import (
	"context"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
)

// Doctor returns what finds and mends damage in the sessions; progress is told how many
// files it looked at. A shared store is looked at itself, and not what is kept of it
// here.
func (l *Library) Doctor(ctx context.Context, progress func(done, total int)) (*repair.Doctor, error) {
	c := l.Catalog()
	o := repair.Options{
		Env: l.StoreEnv(), Agents: c.Agents, AgentDir: c.AgentDir, SessionDir: c.SessionDir, Keeper: l.Journal(), Now: l.Now,
		Progress: progress,
	}
	if l.Shared == nil {
		return repair.New(o), nil
	}
	o.Store, o.Blobs = l.Shared.Store, l.Shared.Blobs
	if d := l.Shared.Offline; d != nil {
		far, err := d.Far(ctx)
		if err != nil {
			return nil, &Error{Reaching, "", err}
		}
		o.Store, o.Blobs = far.Store, far.Blobs
		o.Spare = append(o.Spare, d.KeptBlobs())
	}
	o = vfs.On(o, storefs.NewWritable(ctx, o.Store))
	for _, name := range places.Names() {
		p := places.For(name, l.Env, layout.Overrides{})
		o.Spare = append(o.Spare, p.Blobs)
	}
	return repair.New(o), nil
}

// Interrupted returns what commands were killed in, and Settle would settle.
func (l *Library) Interrupted(ctx context.Context) ([]state.Operation, error) {
	all, err := l.Journal().Interrupted(ctx)
	if err != nil {
		return nil, l.RecordError("", err)
	}
	return all, nil
}
