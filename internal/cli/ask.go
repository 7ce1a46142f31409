package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/term"
)

// asks reports whether a question can be put and answered: standard input and
// standard error are a terminal, and nobody asked for JSON.
func (t *terminal) asks() bool {
	return t.errTTY && term.IsTerminal(t.Stdin) && !t.flags.json
}

// shown is a value as questions show it: every character is seen, and it is the
// value that is acted on. See the room consent.
func (t *terminal) shown(value string) string { return consent.Visible(value, t.screen().ASCII) }

// quoted is a value as questions show it, in double quotes.
func (t *terminal) quoted(value string) string { return consent.Quoted(value, t.screen().ASCII) }

// screen is where questions are shown.
func (t *terminal) screen() consent.Screen {
	cols, _ := term.Size(t.Stderr, t.env.Getenv)
	return consent.Screen{Cols: cols, ASCII: !term.UTF8(t.env.Getenv)}
}

// put puts a line of a question on the terminal, with marks where it is wrapped. The
// values in it are shown ones.
func (t *terminal) put(line string) {
	fmt.Fprintln(t.Stderr, strings.Join(t.screen().Wrap(line), "\n"))
}

// ask puts a question on the terminal, its values being shown ones, and behind it
// what may be answered. It returns the answer without blanks around it; the end of
// input answers nothing. What was typed before the question was on the terminal is
// forgotten. The error is that of ctx, or says that it could not be forgotten.
func (t *terminal) ask(ctx context.Context, question, answers string) (string, error) {
	fmt.Fprint(t.Stderr, strings.Join(t.screen().Wrap(question), "\n"))
	if err := term.Flush(t.Stdin); err != nil {
		fmt.Fprintln(t.Stderr)
		return "", err
	}
	fmt.Fprint(t.Stderr, " ["+answers+"] ")
	answer := make(chan string, 1)
	go func() { answer <- readLine(t.Stdin) }()
	select {
	case text := <-answer:
		if !strings.HasSuffix(text, "\n") {
			fmt.Fprintln(t.Stderr) // the cursor stands behind the question
		}
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		fmt.Fprintln(t.Stderr)
		return "", ctx.Err()
	}
}

// agreed asks a question that is answered by yes or, as is usual, no.
func (t *terminal) agreed(ctx context.Context, question string) (bool, error) {
	text, err := t.ask(ctx, question, "y/N")
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
