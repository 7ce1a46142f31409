package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The rules of output.
//
// Data goes to stdout, through app.out; messages go to stderr as "cambium: …",
// what else there is to say about them as "hint: …". A message is one line.
//
// Colour and paging are for terminals only: what is piped or redirected is
// plain, whatever its length. NO_COLOR and --no-color end colour everywhere.
//
// --json prints one object a line (tree and context: one value). An error is
// then one object on stderr: {"error":{…}}; what is only worth knowing is
// {"note":{…}}. Times are ISO-8601 in UTC with milliseconds; an absent value is
// an absent key.
//
// Whatever came from a file goes through internal/term before it is printed as
// text, and is printed as it is in JSON and as a path; on a terminal these, too,
// are printed so that nothing in them drives it.

// finish flushes the data, says what went wrong and returns the exit code.
func (a *app) finish(err error) int {
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, term.ErrPagerClosed) {
		return exitDone // nobody reads on
	}
	p := classify(err)
	if !p.printed {
		a.report(p)
	}
	return p.exit
}

// report prints a problem.
func (a *app) report(p problem) {
	if a.flags.json {
		a.emitTo(a.Stderr, errorLine(p))
		return
	}
	text := p.text
	if errors.Is(p.err, session.ErrUnsaved) {
		text = onceNamed(text)
	}
	switch {
	case p.todo == "":
	case strings.HasSuffix(text, "."): // published texts are sentences
		text += " " + p.todo
	default:
		text += "; " + p.todo
	}
	a.message(text)
	for _, hint := range append(p.hints, a.candidates(p.err)...) {
		fmt.Fprintf(a.Stderr, "hint: %s\n", term.Line(hint))
	}
}

// jsonError is an error as --json prints it.
type jsonError struct {
	Error struct {
		Code       string   `json:"code"`
		Message    string   `json:"message"`
		Path       string   `json:"path,omitzero"`
		Line       int      `json:"line,omitzero"`
		Byte       int64    `json:"byte,omitzero"`
		Hint       string   `json:"hint,omitzero"`
		Candidates []string `json:"candidates,omitzero"`
	} `json:"error"`
}

func errorLine(p problem) jsonError {
	var e jsonError
	e.Error.Code, e.Error.Message, e.Error.Path = p.code(), p.text, p.path
	e.Error.Line, e.Error.Byte, e.Error.Hint = p.line, max(p.byte, 0), p.todo
	e.Error.Candidates = p.candidates
	return e
}

// message writes one line to stderr.
func (t *terminal) message(text string) {
	fmt.Fprintf(t.Stderr, "cambium: %s\n", term.Line(text))
}

// note says on stderr what is worth knowing about a path and no error.
func (t *terminal) note(path, text string) {
	if t.tells != nil {
		t.tells(work.Note{Path: path, Text: text})
		return
	}
	if t.flags.json {
		var n struct {
			Note struct {
				Message string `json:"message"`
				Path    string `json:"path,omitzero"`
			} `json:"note"`
		}
		n.Note.Message, n.Note.Path = text, path
		t.emitTo(t.Stderr, n)
		return
	}
	t.message(work.Note{Path: path, Text: text}.String())
}

// literal makes stdout show what is stored as it is: for JSON, and lines of files.
// Nothing may have been written yet.
func (t *terminal) literal() {
	if t.tty {
		t.out.Reset(term.Literal(t.Stdout))
	}
}

// emit prints a value as one line of JSON.
func (t *terminal) emit(v any) error { return t.emitTo(t.out, v) }

func (t *terminal) emitTo(w io.Writer, v any) error {
	if w == t.Stderr && t.errTTY {
		w = term.Literal(w)
	}
	line, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// printPath prints a path as data: a line, or ended by NUL with -0.
func (t *terminal) printPath(path string) {
	end := byte('\n')
	if t.flags.zero {
		end = 0
	}
	if t.tty {
		path = term.Line(path)
	}
	_, _ = t.out.WriteString(path) // kept by the writer, returned by its Flush
	_ = t.out.WriteByte(end)
}

// page runs f with a writer that pages what is longer than the terminal.
func (t *terminal) page(ctx context.Context, f func(w io.Writer) error) error {
	out := io.Writer(t.out)
	if t.tty {
		out = t.Stdout // the pager takes it over
		if err := t.out.Flush(); err != nil {
			return err
		}
	}
	p := term.NewPager(ctx, out, term.PagerOptions{
		Terminal: t.tty && !t.flags.json && t.env.Getenv("TERM") != "dumb", Cols: t.cols, Rows: t.rows,
		Command: t.env.Getenv("PAGER"), Env: t.childEnv(), Stderr: t.Stderr,
	})
	err := f(p)
	return errors.Join(err, p.Close())
}

// progress returns a line of progress on stderr, which the caller closes.
func (t *terminal) progress(label string) *term.Progress {
	cols, _ := term.Size(t.Stderr, t.env.Getenv)
	return term.NewProgress(t.Stderr, term.ProgressOptions{
		Label: label, Terminal: t.errTTY && !t.flags.json, Cols: cols, Now: t.Now,
	})
}

// waiting shows on stderr that something is being done, if it takes long, until
// stop is called.
func (t *terminal) waiting(label string) (stop func()) {
	bar := t.progress(label + ", seconds")
	if bar == nil {
		return func() {}
	}
	begun, tick := t.Now(), time.NewTicker(time.Second/4)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				bar.Step(int64(t.Now().Sub(begun).Seconds()), 0)
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
		bar.Close()
	}
}

// isoTime returns a time as JSON has it, "" for the zero time.
func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return jsonedit.FormatTime(t.UnixMilli())
}

// plural returns "1 thing" or "n things".
func plural(n int, one string) string { return term.Plural(n, one) }

// first returns the first string that is not empty.
func first(texts ...string) string { return cmp.Or(texts...) }
