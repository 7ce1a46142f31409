package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// Saving says of an error that came of writing to path what to do about it.
func Saving(path string, err error) error {
	var known Problem
	if errors.As(err, &known) || ofWork(err, &known) {
		return known
	}
	p := Of(err)
	p.Path = path
	if errors.Is(err, session.ErrUnsaved) {
		p.Text = fmt.Sprintf("save session %q: %v", path, work.Cause(err))
	}
	switch {
	case p.Exit == ExitInterrupted:
	case work.Full(err):
		p.Exit, p.Todo = ExitFailed, "make room and try again"
	case errors.Is(err, fs.ErrPermission):
		p.Exit, p.Todo = ExitRefused, "make it and its directory writable and try again"
	case errors.Is(err, syscall.EXDEV):
		p.Todo = "the place is on another file system: `cambium fork --cwd DIR` makes a copy there, `cambium rm` takes this one away"
	case errors.Is(err, fs.ErrExist):
		p.Todo = "something of that name is there already; move it away or choose another place"
	case errors.Is(err, session.ErrReadOnly) && p.Todo == "":
		p.Todo = "the program that wrote it can go on with it"
	}
	p.Text = once(p.Text)
	return p
}

// once returns the text of an error without the steps in it that only name again
// the path that was named before.
func once(text string) string {
	plain := []string{"append to log", "create", "open", "read log", "stat", "sync", "write"}
	steps := strings.Split(text, ": ")
	for i, step := range steps[:len(steps)-1] {
		_, rest, found := strings.Cut(step, `"`)
		quoted, err := strconv.QuotedPrefix(`"` + rest)
		if !found || err != nil {
			continue
		}
		path, err := strconv.Unquote(quoted)
		if err != nil {
			continue
		}
		last := len(steps) - 1
		between := slices.DeleteFunc(slices.Clone(steps[i+1:last]), func(s string) bool {
			return slices.ContainsFunc(plain, func(step string) bool { return s == step+" "+quoted || s == step+" "+path })
		})
		return strings.Join(slices.Concat(steps[:i+1], between, steps[last:]), ": ")
	}
	return text
}

// listing says what is wrong with a directory that was to be listed, "" for those
// of the agents.
func listing(dir string, err error) Problem {
	p := Of(err)
	if dir != "" && p.Exit != ExitInterrupted {
		p.Path = dir
		p.Text = "list sessions of \"" + p.Path + "\": " + work.Cause(err).Error()
		p.Todo = "name a directory with session files"
	}
	return p
}

// In is an error of a command in a directory as the command ends with it. Of a name that
// no session has it says where a file of that name is.
func In(dir string, err error) error {
	var none *catalog.NotFound
	if !errors.As(err, &none) {
		return told(err)
	}
	p := Of(err)
	if _, here := vfs.OS().Lstat(filepath.Join(dir, none.Arg)); none.Arg != "" && here == nil {
		if line, ok := (Hint{Of: []string{"./" + none.Arg}}).Line(); ok {
			p.Todo = "for the file of that name say " + line
		}
	}
	return p
}

// Opening says of an error that came of opening path what to do about it.
func Opening(path string, err error) error {
	p := Of(err)
	p.Path = path
	var link *vfs.LinkError
	thing := &journal.ThingError{Thing: journal.Irregular}
	errors.As(err, &thing)
	switch {
	case errors.As(err, &link) && link.Theirs:
		p.Text = fmt.Sprintf("open session %q: %q is a symbolic link of somebody else's, which is not followed", path, link.Link)
		p.Todo = "remove it, or make one of your own in its place"
	case errors.Is(err, vfs.ErrNotRegular):
		p.Text, p.Todo = fmt.Sprintf("open session %q: not a regular file", path), "name the session file itself"
		switch thing.Thing {
		case journal.Directory:
			p.Text = fmt.Sprintf("open session %q: it is a directory", path)
			p.Todo = "name a session file in it; `cambium ls --session-dir DIR` lists them"
		case journal.Pipe:
			p.Text = fmt.Sprintf("open session %q: it is a named pipe", path)
		}
	case errors.Is(err, fs.ErrPermission):
		p.Todo = "make it readable and try again"
	case errors.Is(err, syscall.ELOOP):
		p.Exit, p.Text = ExitDamaged, fmt.Sprintf("open session %q: its links lead in a circle", path)
		p.Todo = "name the session file itself"
	case thing.Thing == journal.Torn:
		p.Text = fmt.Sprintf("open session %q: not a session: all that is there is a header that is cut off", path)
		p.Todo = "nothing was said in it; `cambium rm` moves it to the trash"
	case errors.Is(err, session.ErrNotSession) && !errors.Is(err, session.ErrNoHeader):
		p.Todo = "name a file that pi, omp, xcsh or cambium wrote; `cambium ls` lists them"
	case errors.Is(err, session.ErrReadOnly) && p.Todo == "":
		p.Todo = "`cambium fork` makes a copy that can be written"
	case errors.Is(err, fs.ErrNotExist) && p.Todo == "":
		p.Text, p.Todo = fmt.Sprintf("open session %q: no such file", path), "`cambium ls` lists the sessions"
	}
	return p
}

// recording says of an error of Cambium's own records what to do about it.
func recording(path string, err error) error {
	p := Of(err)
	p.Path = path
	var many *state.Ambiguous
	var changed *storage.Changed
	switch {
	case p.Exit == ExitInterrupted:
	case errors.As(err, &changed) && changed.Kind == storage.Replaced:
		p.Exit, p.Todo = ExitRefused, "another file took its place meanwhile: look at it, and try again"
	case errors.As(err, &many):
		p.Exit, p.Todo, p.Hints = ExitAmbiguous, "give more of the id", many.IDs
	case errors.Is(err, state.ErrNotOurs):
		p.Exit, p.Todo = ExitPartly, "it is left alone: look at it, and take it away yourself"
	case errors.Is(err, state.ErrUnknown):
		p.Exit, p.Todo = ExitNotFound, "`cambium undo --list` and `cambium trash ls` list the ids"
	case errors.Is(err, state.ErrUndone):
		p.Exit, p.Todo = ExitRefused, "`cambium undo --list` says what can be taken back"
	case errors.Is(err, state.ErrConflict):
		p.Exit, p.Todo = ExitRefused, "take back what was done since, first; `cambium undo --list` lists it"
	case errors.Is(err, state.ErrBusy):
		p.Exit, p.Todo = ExitRefused, "end the program that has it open, and try again"
	case errors.Is(err, fs.ErrPermission), work.Full(err):
		return Saving(path, err)
	}
	return p
}

// query shows where a query is wrong.
func query(bad *search.SyntaxError) Problem {
	p := Usage("read query: %s", bad.Reason)
	p.Byte = int64(bad.At)
	before, after := term.Line(bad.Query[:bad.At]), term.Line(bad.Query[bad.At:])
	p.Hints = []string{before + after, strings.Repeat(" ", term.Width(before)) + "^"}
	return p
}

// Reaching says what to do about a store that cannot be opened.
func Reaching(err error) error {
	p := Problem{Exit: ExitFailed, Text: err.Error(), Err: err}
	var old *serverstatus.Old
	switch {
	case work.NoStore(err):
		p.Exit, p.Todo = ExitNotFound, "`cambium store init` makes it"
	case errors.As(err, &old):
		p.Exit, p.Todo = ExitRefused, "`cambium store upgrade` brings it up to date"
	case errors.Is(err, postgres.ErrAway), errors.Is(err, jetstream.ErrAway):
		p.Todo = "is it running, and can it be reached from here?"
	case errors.Is(err, postgres.ErrDenied), errors.Is(err, jetstream.ErrDenied):
		p.Exit, p.Todo = ExitRefused, "name a user in the URL that may, or have its rights changed"
	case errors.Is(err, postgres.ErrRefused):
		p.Todo = "check user, password and database in the URL"
	case errors.Is(err, jetstream.ErrRefused):
		p.Todo = "check user and password in the URL"
	case errors.Is(err, jetstream.ErrForeign), errors.Is(err, jetstream.ErrWeak), errors.Is(err, jetstream.ErrNoJetStream):
		p.Exit = ExitRefused
	case errors.Is(err, postgres.ErrForeign), errors.Is(err, postgres.ErrSchema), errors.Is(err, postgres.ErrReadOnly):
		p.Exit = ExitRefused
	}
	return p
}

// unsavedTodo says what to do about entries that are not saved.
func unsavedTodo(err error) string {
	switch {
	case work.Away(err):
		return "try again when the store answers"
	case errors.Is(err, postgres.ErrReadOnly):
		return "name the server that takes writes"
	case work.Refused(err):
		return "this user may read there only: name one that may write, or have its rights changed"
	case errors.Is(err, postgres.ErrFull), errors.Is(err, jetstream.ErrFull):
		return "make room on the server, then try again"
	}
	return "make room or repair the disk, then try again"
}
