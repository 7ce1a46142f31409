package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// How the command ends.
const (
	exitDone        = 0
	exitFailed      = 1   // I/O, unsaved entries
	exitUsage       = 2   // the command line
	exitNotFound    = 3   // no such session or entry
	exitAmbiguous   = 4   // several sessions match
	exitDamaged     = 5   // damaged, or not a session
	exitRefused     = 6   // busy, read-only, newer version, other project
	exitPartly      = 7   // partly done
	exitAborted     = 8   // run: stopped by a signal, what was said is saved
	exitApproval    = 9   // run: a call needs approval
	exitRepaired    = 10  // doctor: damage was repaired
	exitInterrupted = 130 // by a signal
)

const exitHelp = `Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 ambiguous, ` +
	`5 damaged or not a session, 6 refused, 7 partly done, 8 a run was interrupted, 9 a run needs approval, 10 repaired, 130 interrupted.`

// A problem is an error with all that is printed of it. Commands return one
// where they know more than the error says; classify makes one of any other.
type problem struct {
	exit int
	text string
	// path, line and byte say where it is, if known; byte is -1 or 0 for no.
	path string
	line int
	byte int64
	// todo is what to do about it; it ends the message, and is the hint of
	// the JSON form.
	todo string
	// hints are printed as lines of their own.
	hints []string
	// candidates are paths to choose from.
	candidates []string
	// printed says that everything was said already.
	printed bool
	err     error
}

// Error returns the message without what to do.
func (p problem) Error() string { return p.text }

// Unwrap returns the cause, nil when there is none.
func (p problem) Unwrap() error { return p.err }

// usage returns the error of a wrong command line.
func usage(format string, args ...any) problem {
	return problem{exit: exitUsage, text: fmt.Sprintf(format, args...)}
}

// code names the exit code in the JSON form of an error.
func (p problem) code() string {
	switch p.exit {
	case exitUsage:
		return "usage"
	case exitNotFound:
		return "notFound"
	case exitAmbiguous:
		return "ambiguous"
	case exitDamaged:
		return "damaged"
	case exitRefused:
		return "refused"
	case exitPartly:
		return "partly"
	case exitAborted:
		return "aborted"
	case exitApproval:
		return "needsApproval"
	case exitInterrupted:
		return "interrupted"
	}
	return "failed"
}

// namedIn is a name in an error, with the blank before it.
var namedIn = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)

// onceNamed leaves each name in an error where it is first.
func onceNamed(text string) string {
	seen := map[string]bool{}
	return namedIn.ReplaceAllStringFunc(text, func(name string) string {
		if seen[name] {
			return ""
		}
		seen[name] = true
		return name
	})
}

// classify says how any error ends the command.
func classify(err error) problem {
	var (
		known     problem
		ambiguous *catalog.Ambiguous
		none      *catalog.NotFound
		id        *ident.IDError
	)
	p := problem{exit: exitFailed, text: err.Error(), err: err}
	switch {
	case errors.As(err, &known):
		if known.exit == 0 && !known.printed {
			known.exit = exitFailed
		}
		return known
	case ofWork(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		p.exit, p.text = exitInterrupted, "interrupted"
	case errors.As(err, &ambiguous):
		p.exit, p.todo = exitAmbiguous, "give more of the id, or --first for the newest"
		for _, c := range ambiguous.Candidates {
			p.candidates = append(p.candidates, c.Path)
		}
	case errors.As(err, &none):
		p.exit, p.todo = exitNotFound, "`cambium ls` lists the sessions"
		if len(none.Like) > 0 {
			p.todo = "these have it in their names"
		}
	case errors.As(err, &id):
		p.exit = exitUsage
	case errors.Is(err, catalog.ErrNoHome):
		p.todo = "set HOME to your home directory, or name a directory with --agent-dir or --session-dir"
	case errors.Is(err, storage.ErrLocked), errors.Is(err, vfs.ErrHeld):
		p.exit, p.todo = exitRefused, lockedTodo(err)
	case errors.Is(err, session.ErrUnsaved):
		p.todo = unsavedTodo(err)
	case errors.Is(err, session.ErrReadOnly), errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrExist):
		p.exit = exitRefused
	case errors.Is(err, vfs.ErrLink):
		p.exit, p.todo = exitRefused, "put a copy of what the link leads to in its place, or remove the link"
	case errors.Is(err, session.ErrNotSession), errors.Is(err, vfs.ErrNotRegular):
		p.exit = exitDamaged
	case errors.Is(err, session.ErrNotFound):
		p.exit = exitNotFound
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
	var p problem
	if err != nil && !errors.As(err, &p) && ofWork(err, &p) {
		return p
	}
	return err
}

// ofWork reports whether an error is one of what was asked of the library, and sets p
// to how it ends the command.
func ofWork(err error, p *problem) bool {
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
	)
	switch {
	case errors.As(err, &step):
		*p = ofStep(step)
	case errors.As(err, &empty):
		*p = problem{exit: exitNotFound, path: empty.Path, text: empty.Error(), err: err, todo: "`cambium append` begins a session in it"}
	case errors.As(err, &readOnly):
		*p = problem{exit: exitRefused, path: readOnly.Path, text: readOnly.Error(), err: err, todo: "go on with it in the program that wrote it"}
	case errors.As(err, &open):
		*p = refused(open)
	case errors.As(err, &name):
		*p = nameTrouble(name)
	case errors.As(err, &label):
		*p = problem{exit: exitRefused, path: label.Path, text: label.Error(), err: err}
	case errors.As(err, &none):
		*p = classify(none.Err)
		p.path, p.todo = none.Path, "`cambium tree SESSION` shows the entries"
	case errors.As(err, &many):
		*p = manyEntries(many)
	case errors.As(err, &own):
		*p = problem{exit: exitRefused, path: own.Path, text: own.Error(), err: err,
			todo: "`cambium trash empty` and `cambium drafts discard` are for what lies there"}
	case errors.As(err, &side):
		*p = sideTrouble(side)
	default:
		draft, ok := draftTrouble(err)
		*p = draft
		return ok
	}
	return true
}

// ofStep says how the command ends of which a step failed.
func ofStep(e *work.Error) problem {
	switch e.Step {
	case work.Saving:
		return classify(failed(e.Path, e.Err))
	case work.Recording:
		return classify(stateTrouble(e.Path, e.Err))
	case work.Reaching:
		return classify(storeTrouble(e.Err))
	case work.Listing:
		return listTrouble(e.Path, e.Err)
	case work.Placing:
		p := classify(failed(e.Path, e.Err))
		p.todo = "name another path with --output, or remove it"
		return p
	}
	return classify(trouble(e.Path, e.Err))
}

// refused is how a command ends for a session that others have open.
func refused(open *work.Busy) problem {
	todo := "leave --if-busy out to go on beside it, or say --if-busy fork or follow"
	if open.Way == work.Ask {
		todo = "say --if-busy go to do it all the same"
	}
	return problem{exit: exitRefused, path: open.Path, text: open.Error(), err: open, todo: todo}
}
