package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// A result is what a command that writes has to show for it.
type result struct {
	// plain is printed as a line, path as a path, nothing for neither.
	plain, path string
	// json is printed with --json.
	json any
}

// jsonID names the entry that was appended.
type jsonID struct {
	ID string `json:"id"`
}

// jsonPath is a session at a new place.
type jsonPath struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Parent string `json:"parentSession,omitzero"`
	Report any    `json:"report,omitzero"`
}

// whereabouts says which session is where now.
func whereabouts(s *session.Session) result {
	return result{path: s.Path(), json: jsonPath{ID: s.ID(), Path: s.Path(), Parent: s.Header().ParentSession}}
}

// print prints a result.
func (a *app) print(r result) error {
	switch {
	case a.flags.json:
		return a.emit(r.json)
	case r.path != "":
		a.printPath(r.path)
	case r.plain != "":
		if a.tty {
			r.plain = term.Safe(r.plain)
		}
		_, err := fmt.Fprintln(a.out, r.plain)
		return err
	}
	return nil
}

// printsPath gives a command that prints a path the flag for how it ends.
func (a *app) printsPath(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.flags.zero, "null", "0", false, "end the path by NUL instead of a newline")
}

// change opens the session that arg names, has f change it, and prints the
// result when all of it is on disk.
func (a *app) change(ctx context.Context, arg string, f func(s *session.Session) (result, error)) error {
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return err
	}
	release, err := a.hold(path)
	if err != nil {
		return a.trouble(path, fmt.Errorf("open session %q: %w", path, cause(err)))
	}
	defer release()
	s, err := a.openWrite(ctx, path)
	if err != nil {
		return err
	}
	path = s.Path()
	r, err := f(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return a.failed(path, err)
	}
	return a.print(r)
}

// hold keeps the directory of a session on the local disk what it is, for the
// sessions that are opened until release is called, which must be.
func (a *app) hold(path string) (release func(), err error) {
	if a.shared != nil || !filepath.IsAbs(path) {
		return func() {}, nil
	}
	was := a.fs
	pinned, unpin, err := vfs.PinFile(vfs.OS(), path)
	if err != nil {
		return nil, err
	}
	a.fs = pinned
	return func() {
		a.fs = was
		unpin()
	}, nil
}

// failed says of an error that came of writing to path what to do about it.
func (a *app) failed(path string, err error) error {
	var known problem
	if errors.As(err, &known) {
		return known
	}
	p := classify(err)
	p.path = path
	if errors.Is(err, session.ErrUnsaved) {
		p.text = fmt.Sprintf("save session %q: %v", path, cause(err))
	}
	switch {
	case p.exit == exitInterrupted:
	case full(err):
		p.exit, p.todo = exitFailed, "make room and try again"
	case errors.Is(err, fs.ErrPermission):
		p.exit, p.todo = exitRefused, "make it and its directory writable and try again"
	case errors.Is(err, syscall.EXDEV):
		p.todo = "the place is on another file system: `cambium fork --cwd DIR` makes a copy there, `cambium rm` takes this one away"
	case errors.Is(err, fs.ErrExist):
		p.todo = "something of that name is there already; move it away or choose another place"
	case errors.Is(err, session.ErrReadOnly) && p.todo == "":
		p.todo = "the program that wrote it can go on with it"
	}
	p.text = once(p.text)
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

// full reports whether there was no room for what was to be written.
func full(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, io.ErrShortWrite} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// happened says on stderr what others do to a session that is being changed,
// each thing once.
func (a *app) happened(path string) func(session.Event) {
	said := map[string]bool{}
	return func(e session.Event) {
		if !e.Foreign && (e.Kind == session.Replaced || e.Kind == session.Moved) {
			return // our own doing
		}
		text := ""
		switch e.Kind {
		case session.Busy:
			text = e.Text
			if len(e.Holders) > 0 {
				text += "; what each appends is a branch of its own"
			}
		case session.Replaced:
			text = "another process rewrote this session meanwhile"
		case session.Restored:
			text = "lines that were lost from this session meanwhile were put back"
		case session.Moved:
			text = "this session was moved meanwhile, to " + e.Text
		}
		if text != "" && !said[text] {
			said[text] = true
			a.note(path, text)
		}
	}
}

// directory returns a working directory of the command line as an absolute
// path. One that is not there is said on stderr: it may be on another machine.
func (a *app) directory(dir string) string {
	dir = a.absolute(dir)
	switch info, err := vfs.OS().Stat(dir); {
	case err != nil:
		a.note(dir, "there is no such directory here")
	case !info.Mode.IsDir():
		a.note(dir, "this is no directory")
	}
	return dir
}
