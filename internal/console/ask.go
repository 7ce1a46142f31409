package console

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
)

// Asks reports whether a question can be put and answered: standard input and
// standard error are a terminal, and nobody asked for JSON.
func (c *Console) Asks() bool {
	return c.ErrTTY && term.IsTerminal(c.Stdin) && !c.JSON
}

// Shown is a value as questions show it: every character is seen, and it is the
// value that is acted on. See the room consent.
func (c *Console) Shown(value string) string { return consent.Visible(value, c.Screen().ASCII) }

// Quoted is a value as questions show it, in double quotes.
func (c *Console) Quoted(value string) string { return consent.Quoted(value, c.Screen().ASCII) }

// Put puts a line of a question on the terminal, with marks where it is wrapped. The
// values in it are shown ones.
func (c *Console) Put(line string) {
	fmt.Fprintln(c.Stderr, strings.Join(c.Screen().Wrap(line), "\n"))
}

// Ask puts a question on the terminal, its values being shown ones, and behind it
// what may be answered. It returns the answer without blanks around it; the end of
// input answers nothing. What was typed before the question was on the terminal is
// forgotten. The error is that of ctx, or says that it could not be forgotten.
func (c *Console) Ask(ctx context.Context, question, answers string) (string, error) {
	fmt.Fprint(c.Stderr, strings.Join(c.Screen().Wrap(question), "\n"))
	if err := term.Flush(c.Stdin); err != nil {
		fmt.Fprintln(c.Stderr)
		return "", err
	}
	fmt.Fprint(c.Stderr, " ["+answers+"] ")
	answer := make(chan string, 1)
	go func() { answer <- readLine(c.Stdin) }()
	select {
	case text := <-answer:
		if !strings.HasSuffix(text, "\n") {
			fmt.Fprintln(c.Stderr) // the cursor stands behind the question
		}
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		fmt.Fprintln(c.Stderr)
		return "", ctx.Err()
	}
}

// Agreed asks a question that is answered by yes or, as is usual, no.
func (c *Console) Agreed(ctx context.Context, question string) (bool, error) {
	text, err := c.Ask(ctx, question, "y/N")
	text = strings.ToLower(text)
	return text == "y" || text == "yes", err
}

// readLine reads a line, byte by byte: what follows is not ours.
func readLine(r io.Reader) string {
	const most = 1 << 10
	var line []byte
	for b := make([]byte, 1); len(line) < most; {
		n, err := r.Read(b)
		if n > 0 {
			line = append(line, b[0])
			if b[0] == '\n' {
				break
			}
		}
		if err != nil {
			break
		}
	}
	return string(line)
}
