package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
)

// A Keeper keeps what was done to sessions, so that it can be taken back, and the
// trash. Options.Undo is one where the methods that need it are to work.
type Keeper interface {
	repair.Keeper
	// List returns what was done, oldest first.
	List(ctx context.Context) ([]state.Operation, error)
	// Find returns what is meant by an id, "" for the last that can be taken back.
	Find(ctx context.Context, id string) (state.Operation, error)
	// Drafts returns the sessions that have no file yet.
	Drafts(ctx context.Context) ([]state.Kept, error)
}

// tendMethods are those that look after sessions: take away and take back, repair,
// convert, compact.
func tendMethods() []method {
	return []method{
		{
			name: "dropSession",
			says: "Moves a session and its artifacts to the trash; null for what is not there.", gives: named("Operation").orNil(),
			writes: true, shows: some, find: dropSession, params: []param{need("path", log)},
		},
		{
			name: "undo",
			says: "Takes back the last operation, or the one that an id names.", gives: named("Operation"), fails: []int{codeNotFound, codeAmbiguous},
			writes: true, find: undoOperation, params: []param{may("id", text)},
		},
		{
			name: "listOperations",
			says: "What can be taken back, the last first.", gives: listOf(named("Operation")),
			find: listOperations,
		},
		{
			name: "listDrafts",
			says: "Sessions that have no file yet.", gives: listOf(named("Draft")),
			find: listDrafts,
		},
		{
			name: "doctor",
			says: "What is wrong with a session, or with all; with fix it is repaired.", gives: listOf(named("Finding")),
			fails:  []int{codeNotFound, codeAmbiguous},
			writes: true, shows: nothingKept, find: doctor, params: []param{may("path", log), may("fix", flag)},
		},
		{
			name: "convert",
			says: "Writes the session as one of another agent.", gives: named("Converted"), fails: []int{codeNotFound},
			writes: true, on: convertSession,
			params: []param{need("to", text).of(places.Names()...), may("path", place), may("cwd", place), may("keepId", flag), may("leafId", text)},
		},
		{
			name: "prepareCompaction",
			says: "What a compaction would sum up and keep; null when there is nothing to sum up.", gives: is("object", "null"),
			on: prepareCompaction, params: []param{may("keepRecentTokens", count), may("reserveTokens", count)},
		},
		{
			name: "compact",
			says: "Compacts the branch by a summary that the client made of what prepareCompaction answered.", gives: isEntry,
			writes: true, on: compactBranch,
			params: []param{
				need("summary", text), may("shortSummary", text), may("keepRecentTokens", count), may("reserveTokens", count),
				may("details", anything), may("usage", object), may("stored", flag),
			},
		},
	}
}

// keeper returns what keeps what was done.
func (c *call) keeper() (Keeper, error) {
	k, ok := c.s.o.Undo.(Keeper)
	if !ok {
		return nil, &fault{code: codeInternal, message: "this server keeps no record of what was done to sessions"}
	}
	return k, nil
}

// dropSession moves a session to the trash (omp 18.2.3 deletes it).
func dropSession(ctx context.Context, c *call) (entry.JSON, error) {
	k, err := c.keeper()
	if err != nil {
		return nil, err
	}
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return null, unlessNone(err)
	}
	known := c.engine()
	if c.s.o.Store == nil {
		if err := known.Others().Refusal(c.s.o.FS, path, session.ErrReadOnly); err != nil {
			return nil, err
		}
	}
	change := state.Change{Op: state.Remove, Path: path}
	if at, err := c.s.o.FS.Stat(path); err == nil && c.s.o.Store == nil {
		change.File = state.File{Dev: at.Dev, Ino: at.Ino}
	}
	s, err := c.looked(ctx, path)
	if err == nil {
		change.Session, change.Agent = s.ID(), string(s.Dialect())
		err = s.Close()
	}
	if errors.Is(err, session.ErrNotFound) {
		return null, nil
	}
	if err != nil && !errors.Is(err, session.ErrNotSession) {
		return nil, err
	}
	done, err := k.Trash(ctx, change)
	if err != nil {
		return nil, err
	}
	return operation(done, done.Path, ""), nil
}

// operation describes what was done to a session, which is now at path.
func operation(o state.Operation, path, note string) entry.JSON {
	var v jsonedit.Object
	v.String("undoId", o.ID).String("op", string(o.Op)).String("path", path).Add("at", date(o.At))
	if note != "" {
		v.String("note", note)
	}
	return v.Value()
}

func undoOperation(ctx context.Context, c *call) (entry.JSON, error) {
	k, err := c.keeper()
	if err != nil {
		return nil, err
	}
	meant, err := c.meant(ctx, k)
	if err != nil {
		return nil, kept(err)
	}
	r, err := k.Undo(ctx, meant.ID, func(ctx context.Context, change state.Change) (string, string, error) {
		o := c.options()
		o.Dialect, o.AgentDir, o.Dir, o.OnVisit, o.OnEvent = dialect.Name(change.Agent), "", "", nil, nil
		return session.Revert(ctx, change, o)
	})
	if err != nil {
		return nil, kept(err)
	}
	return operation(r.Operation, r.Now, r.Note), nil
}

// meant returns the operation that is to be taken back: the one that the call names, or
// the last one that the client may see. Of others it is told nothing.
func (c *call) meant(ctx context.Context, k Keeper) (state.Operation, error) {
	id := c.args.text("id")
	o, err := k.Find(ctx, id)
	if err != nil || c.sees(o) {
		return o, err
	}
	if id == "" {
		all, err := k.List(ctx)
		if err != nil {
			return o, err
		}
		for _, o := range slices.Backward(all) {
			if o.Undoable() && c.sees(o) {
				return o, nil
			}
		}
	}
	return o, fmt.Errorf("find operation: %w: %q", state.ErrUnknown, id)
}

// sees reports whether the client may use the paths of an operation.
func (c *call) sees(o state.Operation) bool {
	return c.s.allow(o.Path, false) == nil && (o.To == "" || c.s.allow(o.To, false) == nil)
}

// kept says an error of the record in the terms of the wire.
func kept(err error) error {
	var many *state.Ambiguous
	switch {
	case errors.As(err, &many):
		return &fault{code: codeParams, message: err.Error(), data: new(jsonedit.Object).String("parameter", "id").Value()}
	case errors.Is(err, state.ErrUnknown):
		return &fault{code: codeNotFound, message: err.Error()}
	case errors.Is(err, state.ErrUndone), errors.Is(err, state.ErrConflict), errors.Is(err, state.ErrBusy):
		return &fault{code: codeRefused, message: err.Error()}
	}
	return err
}

func listOperations(ctx context.Context, c *call) (entry.JSON, error) {
	k, err := c.keeper()
	if err != nil {
		return nil, err
	}
	done, err := k.List(ctx)
	if err != nil {
		return nil, err
	}
	var all jsonedit.Array
	for i := len(done) - 1; i >= 0; i-- {
		o := done[i]
		if (o.Status == state.Begun || o.Status == state.Done) && c.sees(o) {
			all.Add(operation(o, o.Path, ""))
		}
	}
	return all.Value(), nil
}

func listDrafts(ctx context.Context, c *call) (entry.JSON, error) {
	k, err := c.keeper()
	if err != nil {
		return nil, err
	}
	drafts, err := k.Drafts(ctx)
	if err != nil {
		return nil, err
	}
	var all jsonedit.Array
	for _, d := range drafts {
		if c.s.allow(d.Path, false) != nil {
			continue
		}
		var o jsonedit.Object
		o.String("id", d.ID).String("file", d.File)
		if d.Marked {
			o.String("path", d.Path).String("agent", d.Agent)
		}
		all.Add(o.Add("updatedAt", date(d.Modified)).Bool("busy", d.Busy).Bool("saved", d.Saved).Value())
	}
	return all.Value(), nil
}

func doctor(ctx context.Context, c *call) (entry.JSON, error) {
	places := c.places()
	o := vfs.On(repair.Options{
		Env: c.s.o.Env, Agents: places.Agents, AgentDir: places.AgentDir, SessionDir: places.SessionDir, Store: c.s.o.Store, Blobs: c.s.o.Blobs, Now: c.s.o.Now, Progress: c.progress,
	}, c.s.o.FS)
	fix := c.args.flag("fix")
	if fix {
		k, err := c.keeper()
		if err != nil {
			return nil, err
		}
		o.Keeper = k
	}
	known := c.engine()
	d := repair.New(foreign.On(o, known.Others()))
	var all jsonedit.Array
	report := func(r *repair.Report) error {
		if c.s.allow(r.Path, false) != nil {
			return nil
		}
		if fix && r.Fixable() {
			if err := d.Fix(ctx, r); err != nil {
				return fmt.Errorf("repair %q: %w", r.Path, err)
			}
		}
		for _, f := range r.Findings {
			all.Add(finding(f))
		}
		return nil
	}
	if !c.args.has("path") {
		for r, err := range d.All(ctx) {
			if err != nil {
				return nil, err
			}
			if err := report(r); err != nil {
				return nil, err
			}
		}
		return all.Value(), nil
	}
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return nil, err
	}
	reports, err := d.Session(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, r := range reports {
		if err := report(r); err != nil {
			return nil, err
		}
	}
	return all.Value(), nil
}

// finding returns a finding as the command prints it.
func finding(f repair.Finding) entry.JSON {
	var o jsonedit.Object
	o.String("path", f.Path).String("kind", string(f.Kind))
	if f.Line > 0 {
		o.Int("line", int64(f.Line))
	}
	if f.Byte >= 0 {
		o.Int("byte", f.Byte)
	}
	o.String("detail", f.Detail).String("plan", f.Plan)
	if f.Note {
		o.Bool("note", true)
	}
	o.Bool("fixable", f.Fixable).Bool("fixed", f.Fixed)
	if f.UndoID != "" {
		o.String("undoId", f.UndoID)
	}
	return o.Value()
}

func convertSession(ctx context.Context, c *call) (entry.JSON, error) {
	path := c.args.text("path")
	if path != "" {
		if err := c.s.allow(path, false); err != nil {
			return nil, err
		}
	}
	o := session.ConvertOptions{
		To: dialect.Name(c.args.text("to")), Path: path, CWD: c.args.text("cwd"), KeepID: c.args.flag("keepId"), At: c.args.textOrNil("leafId"),
		Directories: layout.Overrides{SessionDir: c.sessionDir()},
	}
	done, err := c.h.session.Convert(ctx, o)
	if err != nil {
		return nil, err
	}
	report, err := json.Marshal(done.Report)
	if err != nil {
		return nil, err
	}
	var v jsonedit.Object
	v.String("id", done.ID).String("path", done.Path)
	if done.ParentSession != "" {
		v.String("parentSession", done.ParentSession)
	}
	return v.Add("report", report).Value(), nil
}

// preparation plans the compaction of the leaf's branch; nil when there is nothing to
// sum up.
func (c *call) preparation() (*compaction.Preparation, error) {
	settings := compact.Settings{KeepRecent: int(c.args.count("keepRecentTokens")), Reserve: int(c.args.count("reserveTokens"))}
	if c.args.has("keepRecentTokens") && settings.KeepRecent == 0 {
		settings.KeepRecent = -1
	}
	list, path := c.h.session.Snapshot()
	p, err := compaction.RulesOf(c.h.session.Dialect()).Prepare(list, path, settings)
	if errors.Is(err, compact.ErrCompacted) || errors.Is(err, compact.ErrNothing) {
		return nil, nil
	}
	return p, err
}

func prepareCompaction(_ context.Context, c *call) (entry.JSON, error) {
	p, err := c.preparation()
	if p == nil || err != nil {
		return null, err
	}
	return p.JSON(), nil
}

func compactBranch(ctx context.Context, c *call) (entry.JSON, error) {
	p, err := c.preparation()
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &fault{code: codeRefused, message: "there is nothing to compact"}
	}
	body := p.Body(compact.Result{
		Summary: p.Join(c.args.text("summary"), ""), ShortSummary: c.args.text("shortSummary"),
		Details: c.args["details"], Usage: c.args["usage"], Time: c.s.o.Now().UnixMilli(),
	})
	var id entry.ID
	id, err = c.h.session.Append(ctx, body)
	return c.appended(id, err)
}
