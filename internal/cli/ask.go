package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
)

// asks reports whether a question can be put and answered: standard input and
// standard error are a terminal, and nobody asked for JSON.
func (a *app) asks() bool {
	return a.errTTY && term.IsTerminal(a.Stdin) && !a.flags.json
}

// ask puts a question on the terminal and returns the answer without blanks
// around it; the end of input answers nothing. The error is that of ctx.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, term.Line(question), " ")
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
	text, err := a.ask(ctx, question+" [y/N]")
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
