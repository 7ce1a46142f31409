package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Result is what a command that writes has to show for it.
type Result struct {
	// Plain is printed as a line, Path as a path, nothing for neither.
	Plain, Path string
	// JSON is printed where JSON is asked for.
	JSON any
}

// Print prints a result.
func (c *Console) Print(r Result) error {
	switch {
	case c.JSON:
		return c.Emit(r.JSON)
	case r.Path != "":
		c.Path(r.Path)
	case r.Plain != "":
		if c.TTY {
			r.Plain = term.Safe(r.Plain)
		}
		_, err := fmt.Fprintln(c.Out, r.Plain)
		return err
	}
	return nil
}

// Path prints a path as data: a line, or ended by NUL with Zero.
func (c *Console) Path(path string) {
	end := byte('\n')
	if c.Zero {
		end = 0
	}
	if c.TTY {
		path = term.Line(path)
	}
	_, _ = c.Out.WriteString(path) // kept by the writer, returned by its Flush
	_ = c.Out.WriteByte(end)
}

// Literal makes standard output show what is stored as it is: for JSON, and lines of
// files. Nothing may have been written yet.
func (c *Console) Literal() {
	if c.TTY {
		c.Out.Reset(term.Literal(c.Stdout))
	}
}

// Emit prints a value as one line of JSON.
func (c *Console) Emit(v any) error { return emit(c.Out, v) }

// EmitError prints a value as one line of JSON on standard error.
func (c *Console) EmitError(v any) {
	w := c.Stderr
	if c.ErrTTY {
		w = term.Literal(w)
	}
	_ = emit(w, v) // there is nobody to tell
}

func emit(w io.Writer, v any) error {
	line, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Line prints stored text as one line that is no wider than the terminal.
func (c *Console) Line(text string) error {
	_, err := fmt.Fprintln(c.Out, term.Cut(term.Line(text), max(c.Cols, 40)))
	return err
}

// Aligned prints rows under one another, all cells but the last of one width.
func (c *Console) Aligned(rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], term.Width(term.Line(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(term.Pad(term.Line(cell), widths[i]) + "  ")
		}
		if _, err := fmt.Fprintln(c.Out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Page runs f with a writer that pages what is longer than the terminal.
func (c *Console) Page(ctx context.Context, f func(w io.Writer) error) error {
	out := io.Writer(c.Out)
	if c.TTY {
		out = c.Stdout // the pager takes it over
		if err := c.Out.Flush(); err != nil {
			return err
		}
	}
	p := term.NewPager(ctx, out, term.PagerOptions{
		Terminal: c.TTY && !c.JSON && !c.NoPager && !c.Dumb(), Cols: c.Cols, Rows: c.Rows,
		Command: c.Getenv("PAGER"), Env: c.ChildEnv(), Stderr: c.Stderr,
	})
	err := f(p)
	return errors.Join(err, p.Close())
}
