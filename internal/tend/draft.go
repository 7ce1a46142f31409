package tend

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/undo"
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
func Drafts(ctx context.Context, j *state.Journal) ([]state.Kept, error) {
	all, err := j.Drafts(ctx)
	all = slices.DeleteFunc(all, func(k state.Kept) bool { return k.Saved })
	slices.SortStableFunc(all, func(x, y state.Kept) int { return y.Modified.Compare(x.Modified) })
	return all, err
}

// Describe reads what a draft holds, opened so.
func Describe(ctx context.Context, k state.Kept, o session.Options) Draft {
	d := Draft{Kept: k, Damaged: !k.Marked}
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
func typed(line []byte) string {
	m, _ := jsonedit.Get(line, "message")
	switch role, _ := jsonedit.Text(m, "role"); role {
	case message.RoleUser:
		content, _ := jsonedit.Get(m, "content")
		return contentText(content)
	case message.RoleBashExecution:
		command, _ := jsonedit.Text(m, "command")
		return "!" + command
	}
	return ""
}

// contentText returns the text of content that is a string or blocks.
func contentText(content []byte) string {
	if s, ok := jsonedit.String(content); ok {
		return s
	}
	var parts []string
	for block := range jsonedit.Elements(content) {
		if s, ok := jsonedit.Text(block, "text"); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// FindDraft returns the draft that arg names: the id of its session, the beginning of
// one (4 characters or more), or its path, which may be given relative to a directory.
// The error may be a [*NoDraft] or a [*ManyDrafts].
func FindDraft(ctx context.Context, j *state.Journal, arg, dir string) (state.Kept, error) {
	all, err := j.Drafts(ctx)
	if err != nil {
		return state.Kept{}, err
	}
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, arg)
	}
	var found []state.Kept
	for _, k := range all {
		switch {
		case arg == k.ID, path == k.File:
			found = append([]state.Kept{k}, found...)
		case len(arg) >= 4 && strings.HasPrefix(k.ID, arg):
			found = append(found, k)
		}
	}
	same := slices.DeleteFunc(slices.Clone(found), func(k state.Kept) bool { return k.ID != arg && k.File != path })
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

// RestoreDraft makes a draft the session that it was to be, where that belongs or at a
// path. The error may be a [*Homeless] or an [*UnderWay].
func RestoreDraft(ctx context.Context, j *state.Journal, k state.Kept, to string) (undo.Restored, error) {
	if !k.Marked && to == "" {
		return undo.Restored{}, &Homeless{k.File}
	}
	r, err := j.RestoreDraft(ctx, k, to)
	if isBusy(err) {
		return r, &UnderWay{k.File}
	}
	return r, err
}

// DiscardDraft moves a draft to the trash. The error may be an [*UnderWay].
func DiscardDraft(ctx context.Context, j *state.Journal, k state.Kept) (undo.Operation, error) {
	if k.Busy {
		return undo.Operation{}, &UnderWay{k.File}
	}
	return j.Trash(ctx, undo.Change{Op: state.Discard, Path: k.File, Session: k.ID, Agent: k.Agent})
}
