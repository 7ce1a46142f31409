package work

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/storage"
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
		return repair.New(foreign.On(o, foreign.From(l.Session()))), nil
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

// A Checkup looks for damage in sessions, and with fix repairs it.
type Checkup struct {
	// Count is what was found so far.
	Count Tally

	l      *Library
	doctor *repair.Doctor
	fix    bool
}

// A Tally counts what a checkup found.
type Tally struct {
	// Files are those in which something is wrong, Wrong the findings; Fixable are of
	// those what is not repaired yet, Fixed what is.
	Files, Wrong, Fixable, Fixed int
	// Failed could not be looked at or repaired, Locked of those because another held
	// the lock.
	Failed, Locked int
}

// A Checked is a file in which something was found. Err says why it was not repaired,
// nil if it was, or was not to be.
type Checked struct {
	*repair.Report
	Err error
}

// NewCheckup returns a checkup; progress is told how many files it looked at.
func NewCheckup(ctx context.Context, l *Library, fix bool, progress func(done, total int)) (*Checkup, error) {
	doctor, err := l.Doctor(ctx, progress)
	return &Checkup{l: l, doctor: doctor, fix: fix}, err
}

// Session looks at the session that arg names and what lies beside it. An error is the
// last.
func (c *Checkup) Session(ctx context.Context, arg string) iter.Seq2[Checked, error] {
	return func(yield func(Checked, error) bool) {
		path, err := c.l.Resolve(ctx, arg)
		if err != nil {
			yield(Checked{}, err)
			return
		}
		all, err := c.doctor.Session(ctx, path)
		if err != nil {
			yield(Checked{}, opening(path, fmt.Errorf("look at %q: %w", path, Cause(err))))
			return
		}
		for _, r := range all {
			if !c.check(ctx, r, yield) {
				return
			}
		}
	}
}

// All looks at all that the agents keep, and at what commands were killed in, which
// with fix is settled. An error is the last.
func (c *Checkup) All(ctx context.Context) iter.Seq2[Checked, error] {
	return func(yield func(Checked, error) bool) {
		all, err := c.interrupted(ctx)
		if err != nil {
			yield(Checked{}, err)
			return
		}
		for _, r := range all {
			if !c.check(ctx, r, yield) {
				return
			}
		}
		for r, err := range c.doctor.All(ctx) {
			if err != nil {
				yield(Checked{}, &Error{Listing, c.l.SessionDir, err})
				return
			}
			if !c.check(ctx, r, yield) {
				return
			}
		}
	}
}

// check repairs what was found in a file, if that is asked for, counts it and yields it.
func (c *Checkup) check(ctx context.Context, r *repair.Report, yield func(Checked, error) bool) bool {
	checked := Checked{Report: r}
	if c.fix && r.Fixable() && r.Findings[0].Kind != repair.Interrupted {
		err := c.l.UnlessBusy(ctx, r.Path)
		if err == nil {
			err = c.doctor.Fix(ctx, r)
		}
		if err != nil {
			checked.Err = saving(r.Path, err)
		}
		if errors.Is(err, context.Canceled) {
			yield(checked, checked.Err)
			return false
		}
	}
	c.Count.add(checked)
	return yield(checked, nil)
}

// interrupted reports what commands were killed in.
func (c *Checkup) interrupted(ctx context.Context) (reports []*repair.Report, err error) {
	report := func(o state.Operation, f repair.Finding) {
		f.Path, f.Kind, f.Byte, f.Fixable = o.Path, repair.Interrupted, -1, true
		f.Detail = fmt.Sprintf("a %s was interrupted", o.Op)
		if o.Status == state.Undoing {
			f.Detail = fmt.Sprintf("the taking back of a %s was interrupted", o.Op)
		}
		reports = append(reports, &repair.Report{Path: o.Path, Findings: []repair.Finding{f}})
	}
	if c.fix {
		for _, s := range c.l.Settle(ctx) {
			report(s.Operation, repair.Finding{Plan: SettledText(s), Fixed: s.Err == nil, UndoID: s.ID})
		}
		return reports, nil
	}
	all, err := c.l.Interrupted(ctx)
	for _, o := range all {
		report(o, repair.Finding{Plan: "finish it, or take it back; so does the next command that writes"})
	}
	return reports, err
}

// add counts what was found in a file.
func (t *Tally) add(c Checked) {
	if c.Err != nil {
		t.Failed++
		if errors.Is(c.Err, storage.ErrLocked) {
			t.Locked++
		}
	}
	if c.Damaged() {
		t.Files++
	}
	for _, f := range c.Findings {
		if f.Note {
			continue
		}
		if t.Wrong++; f.Kind == repair.Unreadable {
			t.Failed++
		}
		switch {
		case f.Fixed:
			t.Fixed++
		case f.Fixable:
			t.Fixable++
		}
	}
}
