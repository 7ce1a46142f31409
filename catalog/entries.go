package catalog

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/damage"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// An EntryQuery says which entries of the sessions are meant. The zero value means
// all of them.
type EntryQuery struct {
	// Session limits them to one session, by its id or its path.
	Session string
	// Since and Until limit them to those of a time, Until not included. An entry
	// that does not say its time is of no time.
	Since, Until time.Time
	// Kinds and Roles limit them to entries of these kinds, and messages of these
	// roles; nil means all.
	Kinds []entry.Kind
	Roles []entry.Role
	// Model limits them to answers of a model: "provider/id", or the id alone.
	Model string
}

// An Entry is one entry of one of many sessions. Its bytes are as they are stored,
// brought to the present version: references to blobs are not resolved.
type Entry struct {
	entry.Entry
	// Session describes the session. It is the same for all entries of one session
	// and must not be changed. It has no Text.
	Session *Info
	// Active says that the entry is on the branch on which the session goes on.
	Active bool
	// Inherited says that the entry was copied from the session that this one is a
	// fork of, and is there, too: sums over sessions leave it out.
	Inherited bool
}

// A SessionError is for a session that could not be read, or not all of it. The other
// sessions are read all the same.
type SessionError struct {
	// Path is the session.
	Path string
	// Damage is what is wrong with its lines, nil when it could not be read.
	Damage damage.Report
	// Err is why it could not be read, nil when lines are damaged.
	Err error
}

// Error says what is wrong with which session.
func (e *SessionError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("read session %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("read session %q: %v", e.Path, e.Damage)
}

// Unwrap returns why it could not be read.
func (e *SessionError) Unwrap() error { return e.Err }

// Entries yields the entries of all sessions that o tells, in the order of their
// files: the file changed last first, and a fork after the session that it was copied
// from. Each file is read once. Held are at most 16 MiB of the lines of one session,
// and some bytes for each of its entries.
//
// A session that cannot be read, or not all of it, yields a [*SessionError] behind its
// entries, and the sequence goes on; any other error ends it. Of o Empty, Text and Index
// do not count.
func Entries(ctx context.Context, o Options, q EntryQuery) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		o.Empty, o.Text = true, false
		found, err := o.look(ctx, nil)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		w := newEntryWalk(&o, &q, found, yield)
		for f := range found.newest() {
			if !w.visit(ctx, f, 0) {
				return
			}
		}
	}
}

// matches reports whether an entry is meant, by its envelope.
func (q *EntryQuery) matches(kind entry.Kind, role entry.Role, at int64) bool {
	if q.Kinds != nil && !slices.Contains(q.Kinds, kind) || q.Roles != nil && !slices.Contains(q.Roles, role) {
		return false
	}
	if q.Model != "" && role != entry.RoleAssistant {
		return false
	}
	if q.Since.IsZero() && q.Until.IsZero() {
		return true
	}
	return at != entry.NoTime && (q.Since.IsZero() || at >= q.Since.UnixMilli()) && (q.Until.IsZero() || at < q.Until.UnixMilli())
}

// Model returns the model of an answer as "provider/id"; "" for any other entry.
func (e *Entry) Model() string {
	if e.Role != entry.RoleAssistant {
		return ""
	}
	model, _ := jsonedit.Text(e.Message(), "model")
	provider, _ := jsonedit.Text(e.Message(), "provider")
	return strings.TrimPrefix(provider+"/"+model, "/")
}

// ofModel reports whether an answer is of a model.
func (e *Entry) ofModel(model string) bool {
	is := e.Model()
	return is == model || strings.HasSuffix(is, "/"+model)
}

// Tool returns the name of the tool of a tool's result; "" for any other entry.
func (e *Entry) Tool() string {
	if e.Role != entry.RoleToolResult {
		return ""
	}
	name, _ := jsonedit.Text(e.Message(), "toolName")
	return name
}

// Usage returns what the entry says that it took and cost, and whether it says so.
func (e *Entry) Usage() (Usage, bool) {
	switch e.Kind {
	case entry.Message, entry.Compaction, entry.BranchSummary, entry.ModelUsage, entry.Usage:
		return usageIn(usageOf(e.Kind, e.Role, inEntry{e}), e.Role)
	}
	return Usage{}, false
}

// inEntry finds the members of an entry.
type inEntry struct{ *Entry }

// Key returns the usage of the line.
func (e inEntry) Key(int) []byte { v, _ := jsonedit.Get(e.Raw(), "usage"); return v }

// Inner returns a member of the message.
func (e inEntry) Inner(i int) []byte { v, _ := jsonedit.Get(e.Message(), innerNames[i]); return v }
