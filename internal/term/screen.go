package term

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/term"
)

// Usual is the size of a terminal that does not tell its own.
const (
	// UsualCols is the number of columns.
	UsualCols = 80
	// UsualRows is the number of rows.
	UsualRows = 24
)

// descriptor is what an *os.File has and a buffer has not.
type descriptor interface{ Fd() uintptr }

// IsTerminal says whether a stream is connected to a terminal. A stream without
// a file descriptor is not.
func IsTerminal(stream any) bool {
	f, ok := stream.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Flush forgets what was typed on the terminal behind a stream and not read, a
// line that is not ended too: it answers nothing that is asked from now on. The
// error is for a stream that is no terminal, and for a system that cannot.
func Flush(stream any) error {
	f, ok := stream.(descriptor)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := flush(int(f.Fd())); err != nil {
		return fmt.Errorf("forget what was typed: %w", err)
	}
	return nil
}

// Size returns the columns and rows of the terminal behind a stream; without one
// COLUMNS and LINES of the environment, else the usual 80 and 24.
func Size(stream any, getenv func(string) string) (cols, rows int) {
	if f, ok := stream.(descriptor); ok {
		cols, rows, err := term.GetSize(int(f.Fd()))
		if err == nil && cols > 0 && rows > 0 {
			return cols, rows
		}
	}
	return positive(getenv("COLUMNS"), UsualCols), positive(getenv("LINES"), UsualRows)
}

// positive reads a number above zero, else gives the usual one.
func positive(s string, usual int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return usual
}
