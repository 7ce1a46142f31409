package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
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

// placed is the result of a command that made a session or moved one.
func placed(w work.Whereabouts) result {
	return result{path: w.Path, json: jsonPath{ID: w.ID, Path: w.Path, Parent: w.Parent}}
}

// print prints a result.
func (t *terminal) print(r result) error {
	switch {
	case t.flags.json:
		return t.emit(r.json)
	case r.path != "":
		t.printPath(r.path)
	case r.plain != "":
		if t.tty {
			r.plain = term.Safe(r.plain)
		}
		_, err := fmt.Fprintln(t.out, r.plain)
		return err
	}
	return nil
}

// printsPath gives a command that prints a path the flag for how it ends.
func printsPath(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.flags.zero, "null", "0", false, "end the path by NUL instead of a newline")
}

// failed says of an error that came of writing to path what to do about it.
func failed(path string, err error) error {
	var known problem
	if errors.As(err, &known) || ofWork(err, &known) {
		return known
	}
	p := classify(err)
	p.path = path
	if errors.Is(err, session.ErrUnsaved) {
		p.text = fmt.Sprintf("save session %q: %v", path, work.Cause(err))
	}
	switch {
	case p.exit == exitInterrupted:
	case work.Full(err):
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
