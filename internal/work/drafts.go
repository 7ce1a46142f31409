package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// A Draft is what a session holds that never got its file.
type Draft struct {
	state.Kept
	CWD     string
	Entries int
	// First is what a person typed first, "" for nothing.
	First string
	// Damaged says that it cannot be read, or not be told where it belongs.
	Damaged bool
}

// A NoDraft error is for a name that no draft has.
type NoDraft struct{ Arg string }

// Error says which name.
func (e *NoDraft) Error() string { return fmt.Sprintf("no draft is called %q", e.Arg) }

// A ManyDrafts error is for a name that several drafts have.
type ManyDrafts struct {
	Arg   string
	Files []string
}

// Error says how many.
func (e *ManyDrafts) Error() string { return fmt.Sprintf("%q names %d drafts", e.Arg, len(e.Files)) }

// A Homeless error is for a draft that does not say where its session belongs.
type Homeless struct{ Path string }

// Error says which draft.
func (e *Homeless) Error() string {
	return fmt.Sprintf("restore draft %q: its header does not say where its session belongs", e.Path)
}

// An UnderWay error is for a draft that another process writes to.
type UnderWay struct{ Path string }

// Error says which draft.
func (e *UnderWay) Error() string {
	return fmt.Sprintf("draft %q: another process has it open", e.Path)
}

// Drafts returns the drafts whose sessions do not hold them, the newest first.
func (l *Library) Drafts(ctx context.Context) ([]state.Kept, error) {
	all, err := l.Journal().Drafts(ctx)
	if err != nil {
		return nil, l.RecordError("", err)
	}
	all = slices.DeleteFunc(all, func(k state.Kept) bool { return k.Saved })
	slices.SortStableFunc(all, func(x, y state.Kept) int { return y.Modified.Compare(x.Modified) })
	return all, nil
}

// Describe reads what a draft holds.
func (l *Library) Describe(ctx context.Context, k state.Kept) Draft {
	d := Draft{Kept: k, Damaged: !k.Marked}
	o := l.Session()
	o.ReadOnly, o.Undo = true, nil
	if _, ok := spelling.ByName(k.Agent); ok {
		o.Dialect = dialect.Name(k.Agent)
	}
	s, err := session.Open(ctx, k.File, o)
	if err != nil {
		d.Damaged = true
		return d
	}
	defer s.Close()
	d.CWD, d.Entries = s.Header().CWD, s.Len()
	for e, err := range s.Entries(ctx) {
		if err != nil || e.Kind != entry.Message {
			continue
		}
		if d.First = typed(e.Raw()); d.First != "" {
			break
		}
	}
	return d
}

// typed is what a person typed, of the line of a message: a prompt, or a command of
// their own behind "!"; "" for any other message.
func typed(line jsontext.Value) string {
	m, _ := jsonedit.Get(line, "message")
	switch role, _ := jsonedit.Text(m, "role"); role {
	case message.RoleUser:
		content, _ := jsonedit.Get(m, "content")
		return transcript.ContentText(content)
	case message.RoleBashExecution:
		command, _ := jsonedit.Text(m, "command")
		return "!" + command
	}
	return ""
}

// draft returns the draft that arg names: the id of its session, the beginning of one
// (4 characters or more), or its path. The error may be a [*NoDraft] or a
// [*ManyDrafts].
func (l *Library) draft(ctx context.Context, arg string) (state.Kept, error) {
	all, err := l.Journal().Drafts(ctx)
	if err != nil {
		return state.Kept{}, l.RecordError("", err)
	}
	var found []state.Kept
	for _, k := range all {
		switch {
		case arg == k.ID, filepath.Base(k.File) == filepath.Base(arg) && l.Absolute(arg) == k.File:
			found = append([]state.Kept{k}, found...)
		case len(arg) >= 4 && strings.HasPrefix(k.ID, arg):
			found = append(found, k)
		}
	}
	same := slices.DeleteFunc(slices.Clone(found), func(k state.Kept) bool { return k.ID != arg && k.File != l.Absolute(arg) })
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return state.Kept{}, &NoDraft{arg}
	}
	many := &ManyDrafts{Arg: arg}
	for _, k := range found {
		many.Files = append(many.Files, k.File)
	}
	return state.Kept{}, many
}

// RestoreDraft makes the draft that arg names the session that it was to be, where that
// belongs or at a path. The error may be that of a name, a [*Homeless] or an
// [*UnderWay].
func (l *Library) RestoreDraft(ctx context.Context, arg, to string) (w Whereabouts, err error) {
	k, err := l.draft(ctx, arg)
	if err != nil {
		return w, err
	}
	if !k.Marked && to == "" {
		return w, &Homeless{k.File}
	}
	r, err := l.Journal().RestoreDraft(ctx, k, l.Absolute(to))
	switch {
	case errors.Is(err, state.ErrBusy):
		return w, &UnderWay{k.File}
	case err != nil:
		return w, l.RecordError(k.File, err)
	}
	if r.Note != "" {
		l.note(r.Now, "the session is here: "+r.Note)
	}
	return Whereabouts{ID: k.ID, Path: r.Now}, nil
}

// DiscardDraft moves the draft that arg names to the trash. The error may be that of a
// name, or an [*UnderWay].
func (l *Library) DiscardDraft(ctx context.Context, arg string) (o state.Operation, err error) {
	k, err := l.draft(ctx, arg)
	if err != nil {
		return o, err
	}
	if k.Busy {
		return o, &UnderWay{k.File}
	}
	o, err = l.Journal().Trash(ctx, state.Change{Op: state.Discard, Path: k.File, Session: k.ID, Agent: k.Agent})
	if err != nil {
		return o, l.RecordError(k.File, err)
	}
	return o, nil
}
