package work

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/session"
)

// AppendOptions say what is appended, and where.
type AppendOptions struct {
	// From holds the body of one entry a line.
	From io.Reader
	// Leaf names the entry that the first one follows, "" for the session's leaf.
	Leaf string
	// Reading, if not nil, is called before the first line is read.
	Reading func()
}

// An Appended is an entry that is on disk; Line is the line that it came from.
type Appended struct {
	ID, Parent entry.ID
	Line       int
}

// A LineError is for a line that was not appended. The entries before it are.
type LineError struct {
	Path string
	Line int
	// Refused says why it is no entry, "" for one that could not be saved.
	Refused string
	Err     error
}

// Error says which line, and why.
func (e *LineError) Error() string {
	text := e.Refused
	if text == "" {
		text = e.Err.Error()
	}
	return fmt.Sprintf("append to session %q: line %d of the input: %s", e.Path, e.Line, text)
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// A Stumble is for an input that was not read to its end, because saving failed for a
// while. What was read, up to a line, is saved.
type Stumble struct {
	Path string
	Line int
}

// Error says up to where.
func (e *Stumble) Error() string {
	return fmt.Sprintf("append to session %q: writing failed for a while; all lines up to line %d are saved, the next ones were not read", e.Path, e.Line)
}

// A NotBegun error is for an entry of a session in which nothing is.
type NotBegun struct{ Path, Entry string }

// Error says which entry.
func (e *NotBegun) Error() string { return fmt.Sprintf("Entry %s not found", e.Entry) }

// Append appends entries to the session that arg names, which is begun if its file is
// missing or empty, and yields those that are on disk. Entries are written as they
// come; they are made durable when no further line is at hand, so that a long input
// costs few syncs and a slow one is answered at once. An error is the last, with what is
// on disk all the same. It may be a [*LineError], a [*Stumble] or a [*NotBegun].
func Append(ctx context.Context, l *Library, arg string, o AppendOptions) iter.Seq2[[]Appended, error] {
	return func(yield func([]Appended, error) bool) {
		path, err := l.Resolve(ctx, arg)
		if err != nil {
			yield(nil, err)
			return
		}
		p := &appender{l: l, path: path, leaf: o.Leaf}
		listens := true
		for saved, err := range p.all(ctx, o) {
			if err != nil {
				saved, err = p.close(err)
				yield(saved, err)
				return
			}
			if listens = yield(saved, nil); !listens {
				break
			}
		}
		if saved, err := p.close(nil); listens && (len(saved) > 0 || err != nil) {
			yield(saved, err)
		}
	}
}

// An appender appends lines to one session.
type appender struct {
	l    *Library
	path string
	leaf string
	s    *session.Session // nil until it is begun
	// waiting are the entries that were not yielded yet.
	waiting []Appended
}

// all appends all lines of the input and yields what became durable.
func (p *appender) all(ctx context.Context, o AppendOptions) iter.Seq2[[]Appended, error] {
	return func(yield func([]Appended, error) bool) {
		if err := p.begin(ctx); err != nil {
			yield(nil, err)
			return
		}
		if o.Reading != nil {
			o.Reading()
		}
		for in, err := range lines(ctx, o.From) {
			if err == nil && len(in.text) > 0 {
				err = p.add(ctx, in)
			}
			if err == nil && in.last && len(p.waiting) > 0 {
				err = p.sync(ctx)
			}
			switch {
			case err != nil:
				yield(nil, err)
				return
			case in.last && len(p.waiting) > 0:
				saved := p.waiting
				if p.waiting = nil; !yield(saved, nil) {
					return
				}
			}
		}
		if p.s == nil { // a session without entries
			if err := p.open(ctx); err != nil {
				yield(nil, err)
			}
		}
	}
}

// begin opens the session, if there is one.
func (p *appender) begin(ctx context.Context) error {
	switch {
	case Begun(p.l, p.path):
		return p.open(ctx)
	case p.leaf != "":
		return &NotBegun{p.path, p.leaf}
	}
	return nil
}

// open opens or begins the session. Nothing is synced unless it is asked for.
func (p *appender) open(ctx context.Context) error {
	s, err := p.l.OpenWith(ctx, p.path, func(o *session.Options) { o.Sync = session.SyncNone })
	if err != nil {
		return err
	}
	p.s = s
	if p.leaf == "" {
		return nil
	}
	at, err := EntryID(s, p.leaf)
	if err != nil {
		return err
	}
	return s.MoveLeaf(at)
}

// add appends the entry of one line. A session that is not there is begun by the first
// line that is an entry.
func (p *appender) add(ctx context.Context, in input) error {
	body, err := entry.ParseBody(in.text)
	if err != nil {
		return p.refused(in, err)
	}
	if p.s == nil {
		if err := p.open(ctx); err != nil {
			return err
		}
	}
	id, err := p.s.Append(ctx, body)
	if id != "" {
		done := Appended{ID: id, Line: in.no}
		done.Parent, _ = p.s.List().ParentID(p.s.LeafPosition())
		p.waiting = append(p.waiting, done)
	}
	var missing *session.Error
	switch {
	case id == "" && (errors.As(err, &missing) || errors.Is(err, entry.ErrNotBody)):
		return p.refused(in, err)
	case err != nil:
		return &LineError{Path: p.path, Line: in.no, Err: err}
	}
	return nil
}

// refused says which line is no entry, and why.
func (p *appender) refused(in input, err error) error {
	text := strings.TrimPrefix(err.Error(), "parse entry body: ")
	if bad := (*jsonl.SyntaxError)(nil); errors.As(err, &bad) {
		text = fmt.Sprintf("not JSON: %s at byte %d", bad.Reason, bad.Offset+1)
	} else if errors.Is(err, entry.ErrNotBody) {
		text = strings.Replace(text, "scan line: ", "", 1)
	}
	return &LineError{Path: p.path, Line: in.no, Refused: text, Err: err}
}

// sync makes durable what was appended.
func (p *appender) sync(ctx context.Context) error {
	if err := p.s.Flush(ctx); err != nil {
		return &LineError{Path: p.path, Line: p.last(), Err: err}
	}
	return nil
}

// last is the line of the last entry that waits.
func (p *appender) last() int { return p.waiting[len(p.waiting)-1].Line }

// close closes the session, which saves what can still be saved, and returns the entries
// of that. err is what ended the input, nil for its end.
func (p *appender) close(err error) ([]Appended, error) {
	if p.s == nil {
		return nil, err
	}
	queued, saved := min(p.s.Queued(), len(p.waiting)), p.waiting
	closed := p.s.Close()
	interrupted := errors.Is(err, context.Canceled)
	switch {
	case closed == nil && interrupted:
		return saved, context.Canceled // what was not saved because of that is saved now
	case closed == nil && errors.Is(err, session.ErrUnsaved):
		return saved, &Stumble{p.path, p.last()}
	case closed == nil:
		return saved, err
	case queued > 0:
		saved = saved[:len(saved)-queued]
	default:
		saved = nil // it is not known what became durable
	}
	var line *LineError
	switch {
	case err == nil, interrupted:
		return saved, saving(p.path, closed)
	case errors.As(err, &line) && line.Refused != "":
		return saved, errors.Join(saving(p.path, closed), err)
	}
	return saved, err
}

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
