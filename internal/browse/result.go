package browse

import (
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
)

// A Deed is what was done, or to be done, for a wish.
type Deed uint8

// The deeds, about sessions.
const (
	// Undid took back what was done last.
	Undid Deed = iota
	// Removed moved them to the trash.
	Removed
	// Named gave one the name that is the text of the result, or took it away.
	Named
	// Labelled did that with the label of its last entry.
	Labelled
	// Forked made a copy of one.
	Forked
	// Moved made one of the directory that is the text of the result.
	Moved
	// Pinned has them on top, Unpinned no longer.
	Pinned
	Unpinned
)

// A Result is what came of a wish. The list is looked at anew after it.
type Result struct {
	Did  Deed
	Text string
	// Count is of how many sessions.
	Count int
	// Undo are the ids of what can be taken back.
	Undo []string
	// Notes are what is worth knowing besides.
	Notes []work.Note
	// Err is why it was not done, or not for all.
	Err error
}

// A Reason says why a wish is refused.
type Reason uint8

const (
	// NothingDone: nothing was done here that can be taken back.
	NothingDone Reason = iota
	// NoDirectory: the directory to move to is not there.
	NoDirectory
	// PinnedElsewhere: omp has the session pinned.
	PinnedElsewhere
)

// A Refusal is the error of a wish that cannot be carried out.
type Refusal struct {
	Why Reason
	// Dir is the directory that is not there.
	Dir string
}

// Error says why.
func (r *Refusal) Error() string {
	switch r.Why {
	case NoDirectory:
		return fmt.Sprintf("move session to %q: there is no such directory", r.Dir)
	case PinnedElsewhere:
		return "omp has it pinned"
	}
	return "nothing was done here that can be taken back"
}

// todo says what to do about it, "" for nothing.
func (r *Refusal) todo() string {
	switch r.Why {
	case NothingDone:
		return "`cambium undo` takes back what was done before"
	case PinnedElsewhere:
		return "take the pin away there"
	}
	return ""
}

// Told is what a person is told of a result.
func (b *Browser) Told(r Result) picker.Told { return b.wishes.told(r) }

func (w *wishes) told(r Result) picker.Told {
	told := picker.Told{Undo: len(r.Undo) > 0}
	if r.Err == nil {
		if told.Text = w.done(r); len(r.Notes) > 0 {
			told.Text += " (" + term.Line(r.Notes[0].String()) + ")"
		}
		return told
	}
	x := w.why(r.Err)
	if r.Did == Removed && r.Count > 0 {
		x.Text = fmt.Sprintf("moved %s to the trash, then: %s", theme.Plural(r.Count, "session"), x.Text)
	}
	told.Bad, told.Text = true, x.Text
	if x.Todo != "" {
		told.Text += "; " + x.Todo
	}
	return told
}

// why is an error in a person's words.
func (w *wishes) why(err error) Explanation {
	var refused *Refusal
	if errors.As(err, &refused) {
		return Explanation{Text: refused.Error(), Todo: refused.todo()}
	}
	return w.explain(err)
}

// done says what was done.
func (w *wishes) done(r Result) string {
	switch r.Did {
	case Removed:
		return "moved " + theme.Plural(r.Count, "session") + " to the trash"
	case Named:
		if r.Text == "" {
			return "the name was taken away"
		}
		return fmt.Sprintf("renamed to “%s”", r.Text)
	case Labelled:
		if r.Text == "" {
			return "the label was taken away"
		}
		return fmt.Sprintf("labelled “%s”", r.Text)
	case Forked:
		return "forked"
	case Moved:
		return "moved to " + work.Tilde(w.lib.Env.Home, r.Text)
	case Pinned:
		return "pinned " + theme.Plural(r.Count, "session")
	case Unpinned:
		return "no longer pinned: " + theme.Plural(r.Count, "session")
	}
	return "taken back"
}
