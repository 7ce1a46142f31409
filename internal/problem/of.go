package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// draftTrouble says what to do about a draft that is not there, or not to be had;
// ok is false for any other error.
func draftTrouble(err error) (p Problem, ok bool) {
	var (
		none     *work.NoDraft
		many     *work.ManyDrafts
		homeless *work.Homeless
		under    *work.UnderWay
	)
	switch {
	case errors.As(err, &none):
		return Problem{Exit: ExitNotFound, Text: none.Error(), Err: err, Todo: "`cambium drafts` lists them"}, true
	case errors.As(err, &many):
		return Problem{Exit: ExitAmbiguous, Text: many.Error(), Err: err, Todo: "give more of the id, or the path of the draft",
			Candidates: many.Files, Hints: many.Files}, true
	case errors.As(err, &homeless):
		return Problem{Exit: ExitDamaged, Path: homeless.Path, Text: homeless.Error(), Err: err, Todo: "say --to and a path"}, true
	case errors.As(err, &under):
		return Problem{Exit: ExitRefused, Path: under.Path, Text: under.Error(), Err: err, Todo: "its session is under way; end that, and try again"}, true
	}
	return Problem{}, false
}

// manyEntries says which entries there are to choose from.
func manyEntries(e *work.ManyEntries) Problem {
	p := Problem{Exit: ExitAmbiguous, Path: e.Path, Text: e.Error(), Err: e, Todo: "give the whole id"}
	for _, c := range e.First {
		text := ""
		if c.Line != nil {
			text = term.Cut(term.Line(transcript.GistOf(c.Kind, c.Line).String()), 60)
		}
		p.Candidates = append(p.Candidates, c.ID)
		p.Hints = append(p.Hints, c.ID+"  "+text)
	}
	return p
}

// Of says how any error ends the command.
func Of(err error) Problem {
	var (
		known     Problem
		ambiguous *catalog.Ambiguous
		none      *catalog.NotFound
		id        *ident.IDError
		syntax    *search.SyntaxError
	)
	p := Problem{Exit: ExitFailed, Text: err.Error(), Err: err}
	switch {
	case errors.As(err, &known):
		if known.Exit == 0 && !known.Printed {
			known.Exit = ExitFailed
		}
		return known
	case ofWork(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		p.Exit, p.Text = ExitInterrupted, "interrupted"
	case errors.As(err, &ambiguous):
		p.Exit, p.Todo = ExitAmbiguous, "give more of the id, or --first for the newest"
		for _, c := range ambiguous.Candidates {
			p.Candidates = append(p.Candidates, c.Path)
		}
	case errors.As(err, &none):
		p.Exit, p.Todo = ExitNotFound, "`cambium ls` lists the sessions"
		if len(none.Like) > 0 {
			p.Todo = "these have it in their names"
		}
	case errors.As(err, &id):
		p.Exit = ExitUsage
	case errors.As(err, &syntax):
		return query(syntax)
	case errors.Is(err, catalog.ErrNoHome):
		p.Todo = "set HOME to your home directory, or name a directory with --agent-dir or --session-dir"
	case errors.Is(err, storage.ErrLocked), errors.Is(err, vfs.ErrHeld):
		p.Exit, p.Todo = ExitRefused, lockedTodo(err)
	case errors.Is(err, session.ErrUnsaved):
		p.Todo = unsavedTodo(err)
	case errors.Is(err, session.ErrReadOnly), errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrExist):
		p.Exit = ExitRefused
	case errors.Is(err, vfs.ErrLink):
		p.Exit, p.Todo = ExitRefused, "put a copy of what the link leads to in its place, or remove the link"
	case errors.Is(err, session.ErrNotSession), errors.Is(err, vfs.ErrNotRegular):
		p.Exit = ExitDamaged
	case errors.Is(err, session.ErrNotFound):
		p.Exit = ExitNotFound
	}
	return p
}

// lockedTodo says what to do about a lock that another holds.
func lockedTodo(err error) string {
	var locked *storage.Locked
	var held *vfs.Held
	switch {
	case errors.As(err, &locked):
		return locked.Todo
	case errors.As(err, &held):
		return held.By.Todo()
	}
	return vfs.Holder{}.Todo()
}

// told is an error of the library as the command ends with it; others stay as they
// are.
func told(err error) error {
	var p Problem
	if err != nil && !errors.As(err, &p) && ofWork(err, &p) {
		return p
	}
	return err
}

// ofWork reports whether an error is one of what was asked of the library, and sets p
// to how it ends the command.
func ofWork(err error, p *Problem) bool {
	var (
		step     *work.Error
		empty    *work.Empty
		readOnly *work.ReadOnly
		open     *work.Busy
		name     *work.NameError
		label    *work.LabelError
		none     *work.NoEntry
		many     *work.ManyEntries
		own      *work.Own
		side     *work.SideError
		line     *work.LineError
		stumble  *work.Stumble
		unbegun  *work.NotBegun
		picture  *work.PictureError
		noDir    *work.NoAgentDir
	)
	switch {
	case errors.As(err, &step):
		*p = ofStep(step)
	case errors.As(err, &empty):
		*p = Problem{Exit: ExitNotFound, Path: empty.Path, Text: empty.Error(), Err: err, Todo: "`cambium append` begins a session in it"}
	case errors.As(err, &readOnly):
		*p = Problem{Exit: ExitRefused, Path: readOnly.Path, Text: readOnly.Error(), Err: err, Todo: "go on with it in the program that wrote it"}
	case errors.As(err, &open):
		*p = refused(open)
	case errors.As(err, &name):
		*p = nameTrouble(name)
	case errors.As(err, &label):
		*p = Problem{Exit: ExitRefused, Path: label.Path, Text: label.Error(), Err: err}
	case errors.As(err, &none):
		*p = Of(none.Err)
		p.Path, p.Todo = none.Path, "`cambium tree SESSION` shows the entries"
	case errors.As(err, &many):
		*p = manyEntries(many)
	case errors.As(err, &own):
		*p = Problem{Exit: ExitRefused, Path: own.Path, Text: own.Error(), Err: err,
			Todo: "`cambium trash empty` and `cambium drafts discard` are for what lies there"}
	case errors.As(err, &side):
		*p = sideTrouble(side)
	case errors.As(err, &line):
		*p = lineTrouble(line)
	case errors.As(err, &picture):
		*p = pictureTrouble(picture)
	case errors.As(err, &noDir):
		*p = Problem{Exit: ExitNotFound, Path: noDir.Path, Text: noDir.Error(), Todo: "name the directory of an agent, such as ~/.pi/agent"}
	case errors.As(err, &stumble):
		*p = Problem{Exit: ExitFailed, Path: stumble.Path, Text: stumble.Error()}
	case errors.As(err, &unbegun):
		*p = Problem{Exit: ExitNotFound, Path: unbegun.Path, Text: unbegun.Error(), Todo: fmt.Sprintf("%q is not begun yet; leave --leaf out", unbegun.Path)}
	default:
		draft, ok := draftTrouble(err)
		*p = draft
		return ok
	}
	return true
}

// ofStep says how the command ends of which a step failed.
func ofStep(e *work.Error) Problem {
	switch e.Step {
	case work.Saving:
		return Of(Saving(e.Path, e.Err))
	case work.Recording:
		return Of(recording(e.Path, e.Err))
	case work.Reaching:
		return Of(Reaching(e.Err))
	case work.Listing:
		return listing(e.Path, e.Err)
	case work.Placing:
		p := Of(Saving(e.Path, e.Err))
		p.Todo = "name another path with --output, or remove it"
		return p
	}
	return Of(Opening(e.Path, e.Err))
}

// refused is how a command ends for a session that others have open.
func refused(open *work.Busy) Problem {
	todo := "leave --if-busy out to go on beside it, or say --if-busy fork or follow"
	if open.Way == work.Ask {
		todo = "say --if-busy go to do it all the same"
	}
	return Problem{Exit: ExitRefused, Path: open.Path, Text: open.Error(), Err: open, Todo: todo}
}

// nameTrouble says what to do about a name that a session does not take.
func nameTrouble(e *work.NameError) Problem {
	p := Problem{Exit: ExitRefused, Path: e.Path, Text: e.Error(), Err: e, Todo: "leave --auto out to replace that"}
	if e.Kept == "" {
		p.Exit, p.Todo = ExitUsage, fmt.Sprintf("%s keeps a name once it has one", e.Agent)
	}
	return p
}

// sideTrouble says what to do about something that sessions cannot be united with.
func sideTrouble(e *work.SideError) Problem {
	p := Problem{Exit: ExitUsage, Text: e.Error(), Err: e}
	switch e.Fault {
	case work.Unnamed:
		p.Todo = "name one: postgres://USER@HOST/DATABASE or a directory; or set CAMBIUM_STORE"
	case work.Unopened:
		p.Exit, p.Path, p.Todo = ExitFailed, e.Name, "make it first, or mount what it is in"
		if errors.Is(e, fs.ErrNotExist) {
			p.Exit = ExitNotFound
		}
	case work.Unfit:
		p.Exit, p.Path, p.Todo = ExitRefused, e.Name, "name a directory of its own, such as one on a drive or a git checkout"
	}
	return p
}

// lineTrouble says what to do about a line that was not appended.
func lineTrouble(e *work.LineError) Problem {
	if e.Refused != "" {
		return Problem{Exit: ExitPartly, Line: e.Line, Err: e, Text: e.Error(), Todo: "nothing of that line was written; go on from there"}
	}
	p := Of(Saving(e.Path, e.Err))
	if p.Exit != ExitInterrupted {
		p.Line, p.Text = e.Line, fmt.Sprintf("append to session %q: line %d of the input: %s", e.Path, e.Line, p.Text)
	}
	return p
}

// pictureTrouble says what to do about a file that is no picture for a model.
func pictureTrouble(e *work.PictureError) Problem {
	switch e.Fault {
	case work.Linked:
		return Problem{Exit: ExitRefused, Path: e.Path, Text: e.Error(), Todo: "name the file that it leads to"}
	case work.Unread:
		return Problem{Exit: ExitNotFound, Path: e.Path, Text: e.Error(), Todo: "name a file"}
	}
	return Usage("%v", e)
}
