package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// null is what undefined becomes on the wire.
var null = entry.JSON("null")

// A request is one message of the client.
type request struct {
	id     entry.JSON // as written; nil for a notification
	method string
	params entry.JSON // an object, or nil for none
}

// parse reads one message. On an error the request has as much of an id as an
// answer may repeat, or null.
func parse(raw entry.JSON) (request, error) {
	if jsonedit.Kind(raw) != '{' {
		return request{id: null}, invalid("a message is an object")
	}
	var r request
	id, ok := jsonedit.Get(raw, "id")
	switch {
	case !ok:
	case jsonedit.Kind(id) == '"', jsonedit.Kind(id) == '0', jsonedit.IsNull(id):
		r.id = id
	default:
		return request{id: null}, invalid("id is neither a string nor a number nor null")
	}
	broken := func(why string) (request, error) {
		if r.id == nil {
			r.id = null
		}
		return r, invalid(why)
	}
	if version, _ := jsonedit.Text(raw, "jsonrpc"); version != "2.0" {
		return broken(`jsonrpc is not "2.0"`)
	}
	if r.method, ok = jsonedit.Text(raw, "method"); !ok {
		return broken("method is not a string")
	}
	params, ok := jsonedit.Get(raw, "params")
	switch {
	case !ok, jsonedit.IsNull(params):
	case jsonedit.Kind(params) == '{':
		r.params = params
	case jsonedit.Kind(params) == '[':
		return r, &fault{code: codeParams, message: "parameters are given by name, not by position"}
	default:
		return broken("params is not an object")
	}
	return r, nil
}

func invalid(why string) error {
	return &fault{code: codeRequest, message: "invalid request: " + why}
}

// answer is the message that gives the result of a call. away are the stores that did
// not answer it, nil for none.
func answer(id, result, away entry.JSON) entry.JSON {
	var o jsonedit.Object
	return o.String("jsonrpc", "2.0").Add("id", id).Add("result", result).Add("away", away).Value()
}

// refusal is the message that gives the error of a call.
func refusal(id entry.JSON, f *fault) entry.JSON {
	said := f.json()
	if jsonl.Valid(said) != nil { // its data are of a store
		said = (&fault{code: f.code, message: "the error cannot be told in JSON"}).json()
	}
	var o jsonedit.Object
	return o.String("jsonrpc", "2.0").Add("id", id).Add("error", said).Value()
}

// notification is a message that nobody asked for.
func notification(method string, params entry.JSON) entry.JSON {
	var o jsonedit.Object
	return o.String("jsonrpc", "2.0").String("method", method).Add("params", params).Value()
}

// lines reads messages, each a line of any length.
type lines struct {
	r     *bufio.Reader
	limit int64 // of the length of a line; 0 for none
}

func newLines(r io.Reader, limit int64) *lines {
	return &lines{bufio.NewReaderSize(r, 64<<10), limit}
}

// errLong says that a line was longer than allowed, and passed over.
var errLong = errors.New("line too long")

// next returns the next line that is not blank, in memory of its own, or
// io.EOF. A last line may lack its end. After errLong the next line follows.
func (l *lines) next() (entry.JSON, error) {
	for {
		line, err := l.line()
		line = bytes.TrimSpace(line)
		if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line returns the next line with its end. Of one that is too long no more than
// the limit is ever held.
func (l *lines) line() ([]byte, error) {
	if l.limit <= 0 {
		return l.r.ReadBytes('\n')
	}
	var whole []byte
	long := false
	for {
		piece, err := l.r.ReadSlice('\n')
		if int64(len(whole)+len(piece)) > l.limit+1 {
			whole, long = nil, true
		}
		if !long {
			whole = append(whole, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLong
		default:
			return whole, err
		}
	}
}

// A wire is the way out. It is safe for concurrent use.
type wire struct {
	next  chan []byte
	ended chan struct{}   // closed when nothing is written any more
	done  <-chan struct{} // closed when nothing is to be written any more
}

// newWire begins to write to w what is sent, until ctx is done or a write
// fails, of which broken is told.
func newWire(ctx context.Context, w io.Writer, broken func(error)) *wire {
	out := &wire{next: make(chan []byte), ended: make(chan struct{}), done: ctx.Done()}
	go func() {
		defer close(out.ended)
		for piece := range out.next {
			if _, err := w.Write(piece); err != nil {
				broken(fmt.Errorf("write answer: %w", err))
				return
			}
		}
	}()
	return out
}

// send writes messages, each a line, in one piece. It waits as long as the
// client does not read, but not longer than the wire is to be used.
func (w *wire) send(messages ...entry.JSON) {
	var all []byte
	for _, m := range messages {
		if bytes.IndexByte(m, '\n') >= 0 {
			m = jsonedit.Compact(m) // an object that was stored over several lines
		}
		if all == nil {
			all = m // not copied: the array that answers may be large
		} else {
			all = append(all, m...)
		}
		all = append(all, '\n')
	}
	if len(all) == 0 {
		return
	}
	select {
	case w.next <- all:
	case <-w.done:
	}
}

// end waits for what was sent to be written. Nothing may be sent afterwards.
func (w *wire) end() {
	close(w.next)
	select {
	case <-w.ended:
	case <-w.done:
	}
}

// check refuses a line that is not JSON.
func check(line entry.JSON) error {
	err := jsonl.Valid(line)
	if err == nil {
		return nil
	}
	f := &fault{code: codeParse, message: "parse message: " + err.Error()}
	var at *jsonl.SyntaxError
	if errors.As(err, &at) {
		var o jsonedit.Object
		f.message = "parse message: " + at.Reason
		f.data = o.Int("byte", int64(at.Offset)).Value()
	}
	return f
}
