package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// An input is one line of standard input.
type input struct {
	// text is the line without blanks around it, "" for an empty one.
	text []byte
	// no is its number, from 1.
	no int
	// last says that the next line is not there yet, or never will be.
	last bool
	err  error
}

// lines yields the lines of r, of any length; the last need not end. A read
// that waits does not keep ctx from ending the sequence, with its error.
func lines(ctx context.Context, r io.Reader) iter.Seq2[input, error] {
	return func(yield func(input, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		read := make(chan input)
		go readLines(ctx, r, read)
		for {
			select {
			case <-ctx.Done():
				yield(input{}, ctx.Err())
				return
			case in, ok := <-read:
				if !ok {
					return
				}
				if err := ctx.Err(); err != nil {
					in.err = err
				}
				if !yield(in, in.err) || in.err != nil {
					return
				}
			}
		}
	}
}

// readLines sends the lines of r and closes the channel at their end. When ctx
// ends before, it is left open: only the end of the lines may look like one.
func readLines(ctx context.Context, r io.Reader, to chan<- input) {
	b := bufio.NewReaderSize(r, 1<<16)
	for no := 1; ; no++ {
		text, err := b.ReadBytes('\n')
		if no == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		in := input{text: bytes.Trim(text, " \t\r\n"), no: no, last: err != nil}
		if err == nil {
			ahead, _ := b.Peek(b.Buffered()) // never waits
			in.last = bytes.IndexByte(ahead, '\n') < 0
		}
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			in.err = fmt.Errorf("read line %d of the input: %w", no, err)
		}
		if end && len(in.text) == 0 {
			close(to)
			return
		}
		select {
		case to <- in:
		case <-ctx.Done():
			return
		}
		if err != nil {
			close(to)
			return
		}
	}
}
