// Package console is what a command talks to: where its data, messages and questions
// go, and how they look there.
//
// Data goes to standard output, through [Console.Out]; messages go to standard error as
// "cambium: …". A message is one line.
//
// Colour and paging are for terminals only: what is piped or redirected is plain,
// whatever its length. NO_COLOR and --no-color end colour everywhere.
//
// With JSON one object is printed a line (of some commands one value). What is only
// worth knowing is then {"note":{…}} on standard error. Whatever came from a file goes
// through internal/term before it is printed as text, and is printed as it is in JSON
// and as a path; on a terminal these, too, are printed so that nothing in them drives
// it.
package console

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/secret"
	"github.com/cambium-dev/cambium/internal/term"
)

// Streams are what a command reads from and writes to, and what it may know of the
// machine behind them.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Home is the home directory, which is shown as "~".
	Home string
	// Env is the environment, "NAME=value" each; Getenv looks into it.
	Env    []string
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
}

// A Console is the streams of a command and how things look on them.
type Console struct {
	Streams
	// JSON prints JSON, NoColor no colours; Zero ends paths by NUL.
	JSON, NoColor, Zero bool
	// NoPager has nothing be paged.
	NoPager bool
	// Out takes data; it is flushed at the end.
	Out *bufio.Writer
	// Palette is for what goes to Out.
	Palette term.Palette
	// Cols and Rows are the size of the terminal.
	Cols, Rows int
	// TTY and ErrTTY say that Stdout and Stderr are terminals.
	TTY, ErrTTY bool
	// Tells, if not nil, is told what else is a note on Stderr.
	Tells func(path, text string)

	keyNames []string // variables that hold keys of models, beside those that are known by name
}

// New returns a console on streams.
func New(s Streams) *Console {
	c := &Console{Streams: s, Out: bufio.NewWriter(s.Stdout), TTY: term.IsTerminal(s.Stdout), ErrTTY: term.IsTerminal(s.Stderr)}
	c.Cols, c.Rows = term.Size(s.Stdout, s.Getenv)
	return c
}

// Settle makes the console print as its flags say. It comes before anything is
// written.
func (c *Console) Settle() {
	c.Palette = term.NewPalette(term.Color(c.Getenv, c.TTY, c.NoColor || c.JSON))
	if c.JSON {
		c.Literal()
	}
}

// Keep notes which variables hold keys of models, from when on no program that is
// started gets them.
func (c *Console) Keep(names []string) {
	c.keyNames = names
	_ = secret.Veil(names...) // as far as the system lets it
}

// ChildEnv is the environment of a program that is started beside the command: without
// secrets.
func (c *Console) ChildEnv() []string { return secret.Without(c.Env, c.keyNames...) }

// Draws reports whether there is a terminal for a screen.
func (c *Console) Draws() bool {
	return c.TTY && term.IsTerminal(c.Stdin) && !c.JSON && !c.Dumb()
}

// Dumb reports whether TERM says that the terminal cannot be drawn on.
func (c *Console) Dumb() bool { return c.Getenv("TERM") == "dumb" }

// Screen is where questions are shown.
func (c *Console) Screen() consent.Screen {
	return consent.Screen{Cols: c.errCols(), ASCII: !term.UTF8(c.Getenv)}
}

// ScreenEnv is the environment of a screen: it says whether there are colours.
func (c *Console) ScreenEnv() []string {
	if c.NoColor {
		return append(c.Env[:len(c.Env):len(c.Env)], "NO_COLOR=1")
	}
	return c.Env
}

// errCols is how wide the terminal behind standard error is.
func (c *Console) errCols() int {
	cols, _ := term.Size(c.Stderr, c.Getenv)
	return cols
}

// Hold keeps what is written to Stderr, which a screen is shown on, until release is
// called: it is written then. Several goroutines may write.
func (c *Console) Hold() (release func()) {
	const most = 16 << 10 // bytes
	stderr, kept := c.Stderr, &writer{most: most}
	c.Stderr = kept
	return func() {
		c.Stderr = stderr
		kept.mu.Lock()
		defer kept.mu.Unlock()
		_, _ = stderr.Write(kept.kept)
	}
}

// Share has many goroutines write to Stderr, one by one.
func (c *Console) Share() { c.Stderr = &writer{to: c.Stderr} }

// A writer is for many goroutines. It writes to another one or, if that is nil, keeps
// the first bytes.
type writer struct {
	mu   sync.Mutex
	to   io.Writer
	most int
	kept []byte // guarded by mu
}

// Write writes or keeps text.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		return w.to.Write(p)
	}
	if len(w.kept) < w.most {
		w.kept = append(w.kept, p...)
	}
	return len(p), nil
}

// Message writes one line to standard error.
func (c *Console) Message(text string) {
	fmt.Fprintf(c.Stderr, "cambium: %s\n", term.Line(text))
}

// Note says on standard error what is worth knowing about a path, which may be "", and
// no error.
func (c *Console) Note(path, text string) {
	if c.Tells != nil {
		c.Tells(path, text)
		return
	}
	if c.JSON {
		var n struct {
			Note struct {
				Message string `json:"message"`
				Path    string `json:"path,omitzero"`
			} `json:"note"`
		}
		n.Note.Message, n.Note.Path = text, path
		c.EmitError(n)
		return
	}
	if path != "" {
		text = fmt.Sprintf("%q: %s", path, text)
	}
	c.Message(text)
}

// Outcome says how a command ended that did nothing and did not fail.
func (c *Console) Outcome(text string) error {
	if c.JSON {
		c.Note("", text)
		return nil
	}
	_, err := fmt.Fprintln(c.Out, text)
	return err
}
