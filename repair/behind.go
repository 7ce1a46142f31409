package repair

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/state"
)

// A recorder is a Keeper that says what was done before.
type recorder interface {
	List(ctx context.Context) ([]state.Operation, error)
	Trashed(ctx context.Context) ([]state.Trashed, error)
}

// leftBehind finds the session to which a file without a header belongs: a program that had
// the session open made it at its old place, after the session was moved from there or
// removed. It plans to unite them, and reports false when there is no such session.
func (d *Doctor) leftBehind(ctx context.Context, r *Report, path string) bool {
	k, ok := d.opt.Keeper.(recorder)
	if !ok || d.opt.Store != nil {
		return false
	}
	f := Finding{Kind: kindHeader, Fixable: true}
	trashed, err := k.Trashed(ctx)
	if err != nil {
		return false
	}
	for _, t := range trashed {
		session := filepath.Join(t.Dir, "session")
		if t.Op != state.Remove || t.Path != path || t.Size < 0 {
			continue
		}
		if is, err := state.IsStray(ctx, d.store, path, session); err != nil || !is {
			continue
		}
		f.Detail = "there is no header: a program went on here with a session that is in the trash"
		f.Plan = fmt.Sprintf("the session is brought back (%s), with what was said since", t.ID)
		r.whole(f)
		r.fix = func(ctx context.Context) (string, error) {
			_, err := d.opt.Keeper.Undo(ctx, t.ID, nil)
			return "", err
		}
		return true
	}
	all, err := k.List(ctx)
	if err != nil {
		return false
	}
	for i := len(all) - 1; i >= 0; i-- {
		o := all[i]
		if o.Op != state.Move || o.Path != path || o.Status != state.Done {
			continue
		}
		if is, err := state.IsStray(ctx, d.store, path, o.To); err != nil || !is {
			continue
		}
		f.Detail = fmt.Sprintf("there is no header: a program went on here with a session that was moved to %q", o.To)
		f.Plan = "what was said since is appended to that session, and the file is moved to the trash"
		r.whole(f)
		r.fix = d.takingIn(path, o.To)
		return true
	}
	return false
}

// takingIn returns a repair that appends to a session what its stray holds, which is
// then moved to the trash.
func (d *Doctor) takingIn(stray, session string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if err := state.Append(ctx, d.store, stray, session); err != nil {
			return "", err
		}
		o, err := d.opt.Keeper.Trash(ctx, state.Change{Op: state.Remove, Path: stray})
		if err != nil {
			return "", err
		}
		k := d.opt.Keeper.(recorder)
		trashed, err := k.Trashed(ctx)
		for _, t := range trashed {
			if t.ID == o.ID { // its program may have written until then
				err = state.Append(ctx, d.store, filepath.Join(t.Dir, "session"), session)
			}
		}
		return o.ID, err
	}
}
