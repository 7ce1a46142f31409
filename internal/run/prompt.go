package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
)

// mostPrompt is the longest prompt, in bytes.
const mostPrompt = 10 << 20

// ErrNothing says that a prompt says nothing, ErrTooLong that it is longer than may be.
var (
	ErrNothing = errors.New("there is nothing to say")
	ErrTooLong = errors.New("it is longer than " + term.Bytes(mostPrompt))
)

// Prompt returns what is to be said: a text, if one was said, and in front of it what an
// input holds that is a pipe or a file; else what the input holds. The error may be
// ErrNothing or ErrTooLong.
func Prompt(ctx context.Context, in io.Reader, text string, said bool) (string, error) {
	if !term.IsTerminal(in) && (!said || piped(in)) {
		all, err := readAll(ctx, in)
		if err != nil {
			return "", err
		}
		switch {
		case !said:
			text = all
		case strings.TrimSpace(all) != "": // in front, as pi has it
			text = strings.TrimRight(all, "\r\n") + "\n\n" + text
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", ErrNothing
	case len(text) > mostPrompt:
		return "", ErrTooLong
	}
	return strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\r\n"), nil
}

// readAll reads an input to its end.
func readAll(ctx context.Context, in io.Reader) (text string, err error) {
	read := make(chan struct{})
	var all []byte
	go func() {
		all, err = io.ReadAll(io.LimitReader(in, mostPrompt+1))
		close(read)
	}()
	select {
	case <-read:
		if err != nil {
			return "", fmt.Errorf("read prompt: %w", err)
		}
		return string(all), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// piped reports whether an input is a pipe or a file, whose end comes.
func piped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}
