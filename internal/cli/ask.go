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
func (a *app) asks() bool {
	return a.errTTY && term.IsTerminal(a.Stdin) && !a.flags.json
}

// shown is a value as questions show it: every character is seen, and it is the
// value that is acted on. See the room consent.
func (a *app) shown(value string) string { return consent.Visible(value, a.screen().ASCII) }

// quoted is a value as questions show it, in double quotes.
func (a *app) quoted(value string) string { return consent.Quoted(value, a.screen().ASCII) }

// screen is where questions are shown.
func (a *app) screen() consent.Screen {
	cols, _ := term.Size(a.Stderr, a.lib.Env.Getenv)
	return consent.Screen{Cols: cols, ASCII: !term.UTF8(a.lib.Env.Getenv)}
}

// put puts a line of a question on the terminal, with marks where it is wrapped. The
// values in it are shown ones.
func (a *app) put(line string) {
	fmt.Fprintln(a.Stderr, strings.Join(a.screen().Wrap(line), "\n"))
}

// ask puts a question on the terminal, its values being shown ones, and behind it
// what may be answered. It returns the answer without blanks around it; the end of
// input answers nothing. What was typed before the question was on the terminal is
// forgotten. The error is that of ctx, or says that it could not be forgotten.
func (a *app) ask(ctx context.Context, question, answers string) (string, error) {
	fmt.Fprint(a.Stderr, strings.Join(a.screen().Wrap(question), "\n"))
	if err := term.Flush(a.Stdin); err != nil {
		fmt.Fprintln(a.Stderr)
		return "", err
	}
	fmt.Fprint(a.Stderr, " ["+answers+"] ")
	answer := make(chan string, 1)
	go func() { answer <- readLine(a.Stdin) }()
	select {
	case text := <-answer:
		if !strings.HasSuffix(text, "\n") {
			fmt.Fprintln(a.Stderr) // the cursor stands behind the question
		}
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		fmt.Fprintln(a.Stderr)
		return "", ctx.Err()
	}
}

// agreed asks a question that is answered by yes or, as is usual, no.
func (a *app) agreed(ctx context.Context, question string) (bool, error) {
	text, err := a.ask(ctx, question, "y/N")
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
