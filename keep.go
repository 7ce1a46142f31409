package cambium

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tend"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/undo"
)

// A BusyError is for a session that is not removed because others have it open.
type BusyError struct {
	// Path is the session.
	Path string
	// Others are those who have it open.
	Others []presence.Holder
}

// Error says who has it open.
func (e *BusyError) Error() string { return fmt.Sprintf("session %q is %v", e.Path, e.Others[0]) }

// Unwrap says that it is [undo.ErrBusy].
func (e *BusyError) Unwrap() error { return undo.ErrBusy }

// ErrNoRecord is for what cannot be put on record: the environment has no place where
// Cambium keeps things, or the sessions are in a store that does not say which it is by
// a method Key() string.
var ErrNoRecord = errors.New("there is no place for the record of what is done")

// Delete moves the session at a path to the trash, with its artifacts. Undo brings it
// back. One that others have open is left where it is: the error is a [*BusyError].
// What is no session is refused, but for an empty file.
func (e *Engine) Delete(ctx context.Context, path string) (undo.Operation, error) {
	j, err := e.record(ctx)
	if err != nil {
		return undo.Operation{}, err
	}
	info, err := e.stat(ctx, path)
	if err != nil {
		return undo.Operation{}, fmt.Errorf("open session %q: %w", path, err)
	}
	known := e.options()
	removal := tend.Removal{
		Path: path, Env: e.env(), Disk: !e.shared(), Regular: info.Mode.IsRegular(), Open: e.Read, FS: vfs.OS(), Programs: known.Others(),
		Blank: info.Size == 0 || !e.shared() && tend.Blank(vfs.OS(), path, info.Size),
	}
	c, err := removal.Change(ctx)
	if err != nil {
		return undo.Operation{}, err
	}
	others, err := e.holders(ctx, path)
	if err != nil {
		return undo.Operation{}, err
	}
	if len(others) > 0 {
		return undo.Operation{}, &BusyError{path, others}
	}
	return j.Trash(ctx, c)
}

// Undoable returns what was done to sessions and can be taken back, the last first:
// removals, moves, renames, migrations, repairs.
func (e *Engine) Undoable(ctx context.Context) ([]undo.Operation, error) {
	j, err := e.record(ctx)
	if err != nil {
		return nil, err
	}
	return tend.Undoable(ctx, j)
}

// Undo takes back one operation, named by its id or the beginning of one; "" is the
// last. The error wraps undo.ErrUnknown, undo.ErrUndone, undo.ErrConflict or
// undo.ErrBusy, or is an [*undo.Ambiguous].
func (e *Engine) Undo(ctx context.Context, id string) (undo.Restored, error) {
	j, err := e.record(ctx)
	if err != nil {
		return undo.Restored{}, err
	}
	return j.Undo(ctx, id, tend.Reverter(e.session()))
}

// Trash returns what is in the trash, the last first.
func (e *Engine) Trash(ctx context.Context) ([]undo.Trashed, error) {
	j, err := e.record(ctx)
	if err != nil {
		return nil, err
	}
	return tend.Trashed(ctx, j)
}

// Restore brings a session back from the trash, named by its id there: to where it was,
// or to a path, if to is not "".
func (e *Engine) Restore(ctx context.Context, id, to string) (undo.Restored, error) {
	j, err := e.record(ctx)
	if err != nil {
		return undo.Restored{}, err
	}
	return j.Restore(ctx, id, to)
}

// A Draft is what a session holds that never got its file: what a person typed before
// the model answered.
type Draft struct {
	// ID is that of the session, Agent its dialect, CWD its working directory.
	ID    string
	Agent dialect.Name
	CWD   string
	// Path is where the session was to be written, "" when that is not known; File is
	// where the draft is.
	Path, File string
	// Modified is when it was last written to.
	Modified time.Time
	// Entries counts its entries; Prompt is what a person typed first.
	Entries int
	Prompt  string
	// Busy says that a process has it open, Damaged that it cannot be read or does not
	// say where it belongs.
	Busy, Damaged bool
}

// Drafts returns the drafts whose sessions were never written, the newest first.
func (e *Engine) Drafts(ctx context.Context) ([]Draft, error) {
	j, err := e.record(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := tend.Drafts(ctx, j)
	if err != nil {
		return nil, err
	}
	all := make([]Draft, len(kept))
	for i, k := range kept {
		d := tend.Describe(ctx, k, e.session())
		all[i] = Draft{
			ID: k.ID, Agent: dialect.Name(k.Agent), CWD: d.CWD, Path: k.Path, File: k.File, Modified: k.Modified,
			Entries: d.Entries, Prompt: d.First, Busy: k.Busy, Damaged: d.Damaged,
		}
	}
	return all, nil
}

// RestoreDraft makes a draft the session that it was to be, where that belongs or, if to
// is not "", at a path. arg is the id of its session, the beginning of one, or its file.
func (e *Engine) RestoreDraft(ctx context.Context, arg, to string) (undo.Restored, error) {
	j, err := e.record(ctx)
	if err != nil {
		return undo.Restored{}, err
	}
	k, err := tend.FindDraft(ctx, j, arg, e.opt.Env.Cwd)
	if err != nil {
		return undo.Restored{}, err
	}
	return tend.RestoreDraft(ctx, j, k, to)
}

// DiscardDraft moves a draft to the trash. arg is as for RestoreDraft.
func (e *Engine) DiscardDraft(ctx context.Context, arg string) (undo.Operation, error) {
	j, err := e.record(ctx)
	if err != nil {
		return undo.Operation{}, err
	}
	k, err := tend.FindDraft(ctx, j, arg, e.opt.Env.Cwd)
	if err != nil {
		return undo.Operation{}, err
	}
	return tend.DiscardDraft(ctx, j, k)
}

// Doctor returns what finds damage in the engine's sessions, plans and mends it. What a
// repair replaces is on record, so that Undo takes it back; without a place for that the
// doctor only looks.
func (e *Engine) Doctor(ctx context.Context) *repair.Doctor {
	o := repair.Options{
		Env: e.env(), Agents: []dialect.Name{e.agent()}, AgentDir: e.opt.AgentDir, SessionDir: e.opt.SessionDir, Now: e.opt.Now,
	}
	if e.shared() {
		o.Store, o.Blobs = e.opt.Store, e.opt.Blobs
	}
	if j, err := e.record(ctx); err == nil {
		o.Keeper = j
	}
	known := e.options()
	return repair.New(foreign.On(o, known.Others()))
}

// record returns the record of what is done to the engine's sessions.
func (e *Engine) record(ctx context.Context) (*state.Journal, error) {
	k := tend.Keep{Env: e.opt.Env, Agent: e.opt.Agent, Context: ctx, Now: e.opt.Now, Random: e.opt.Random}
	if !filepath.IsAbs(places.Own(e.opt.Env).State) {
		return nil, ErrNoRecord
	}
	if e.shared() {
		named, ok := e.opt.Store.(interface{ Key() string })
		if !ok {
			return nil, ErrNoRecord
		}
		k.Store, k.Dir = e.opt.Store, tend.StoreDir(e.opt.Env, named.Key())
	}
	if k.Now == nil {
		k.Now = time.Now
	}
	if k.Random == nil {
		k.Random = rand.Reader
	}
	if e.opt.Log != nil {
		k.Report = func(path string, err error) {
			e.opt.Log.Warn("the record of a change is not complete", "path", path, "error", err)
		}
	}
	return k.Journal(), nil
}

// stat describes what is at the path of a session.
func (e *Engine) stat(ctx context.Context, path string) (storage.Info, error) {
	if e.shared() {
		return e.opt.Store.Stat(ctx, path)
	}
	info, err := vfs.OS().Stat(path)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return storage.Info{Name: path, Size: info.Size, Mode: info.Mode}, err
}

// holders returns who has a session open, as far as that is more than a guess.
func (e *Engine) holders(ctx context.Context, path string) (all []presence.Holder, err error) {
	if e.presence != nil {
		all, err = e.presence.Who(ctx, path, "")
		return slices.DeleteFunc(all, func(h presence.Holder) bool { return h.PID == 0 && !h.Sure }), err
	}
	if !e.shared() {
		return nil, nil
	}
	held, _, err := powers.Holders(ctx, e.opt.Store, path)
	for _, h := range held {
		all = append(all, presence.Holder{
			Program: state.Program, PID: h.PID, Host: h.Host, Terminal: h.Terminal, Since: h.Since, Leased: true, Sure: true, Why: "says so",
		})
	}
	return all, err
}
