package acp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine is how long a message of the client may be, in bytes: no more than the
// connection takes, which ends at longer ones.
const maxLine = 10<<20 - 64

// lines gives the connection what the client sends, one message at a time, takes
// what it answers, and knows which calls are under way. What is no message is answered here: the
// connection would pass it over in silence.
type lines struct {
	in    *bufio.Reader
	queue *queue
	// arrived is told of each call before the connection has it.
	arrived func(name string, params entry.JSON)
	// known is told of each session that the client has just been told of, by the
	// answer to a call, from the goroutine that writes it.
	known func(id string)
	// noticed is told of each notification, and reports whether it is for the
	// connection, too.
	noticed func(name string, params entry.JSON) bool
	ready   chan struct{} // closed when reading may begin
	ended   chan struct{} // closed when the input has ended
	done    chan struct{} // closed when the connection may end
	rest    []byte

	mu     sync.Mutex
	calls  int           // guarded by mu; under way
	quiet  chan struct{} // guarded by mu; closed when none is
	failed error         // guarded by mu; of the input
}

func newLines(in io.Reader, q *queue, s *server) *lines {
	return &lines{
		in: bufio.NewReaderSize(in, 64<<10), queue: q, arrived: s.arrived, known: s.known, noticed: s.noticed,
		ready: make(chan struct{}), ended: make(chan struct{}), done: make(chan struct{}), quiet: make(chan struct{}),
	}
}

// begin lets the connection read.
func (l *lines) begin() { close(l.ready) }

// release lets the connection know that the input has ended. Until then it would
// take answers to calls under way for lost.
func (l *lines) release() { close(l.done) }

// err returns why the input ended, nil for its end.
func (l *lines) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Read gives the connection the next message, or a piece of it.
func (l *lines) Read(p []byte) (int, error) {
	<-l.ready
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			l.mu.Lock()
			if err != io.EOF {
				l.failed = fmt.Errorf("read messages: %w", err)
			}
			l.mu.Unlock()
			l.queue.hurry()
			close(l.ended)
			<-l.done
			return 0, io.EOF
		}
		if message := l.fit(line); message != nil {
			l.rest = append(message, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line, without its end; of one that is too long, more than maxLine
// bytes.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(bytes.TrimSpace(line)) > 0:
			return bytes.TrimSpace(line), nil
		case err != nil:
			return nil, err
		default:
			return bytes.TrimSpace(line), nil
		}
	}
}

// fit returns what of a line is for the connection, nil for nothing; what is no
// message is answered. The connection gets messages that it can read, and nothing
// in them but what it knows: what it cannot read it would drop, and whoever waits
// for an answer would wait for ever.
func (l *lines) fit(line []byte) []byte {
	if len(line) <= maxLine && !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	message := entry.JSON(line)
	switch {
	case len(line) == 0:
		return nil
	case len(line) > maxLine:
		l.refuse(codeRequest, fmt.Sprintf("a message may have %d bytes", maxLine))
		return nil
	case !jsontext.Value(message).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)):
		l.refuse(codeParse, "this is not JSON")
		return nil
	case jsonedit.Kind(message) != '{':
		l.refuse(codeRequest, "a message is an object")
		return nil
	}
	name, _ := jsonedit.Text(message, "method")
	id, called := jsonedit.Get(message, "id")
	called = called && !jsonedit.IsNull(id)
	result, answers := jsonedit.Get(message, "result")
	wrong, fails := jsonedit.Get(message, "error")
	params, _ := jsonedit.Get(message, "params")
	switch {
	case name == "" && answers == fails:
		l.refuse(codeRequest, "this is neither a call nor an answer")
		return nil
	case called && jsonedit.Kind(id) != '"' && jsonedit.Kind(id) != '0':
		l.refuse(codeRequest, "an id is a text or a number")
		return nil
	case !called && (name == "" || !l.noticed(name, params)):
		return nil
	}
	o := new(jsonedit.Object).String("jsonrpc", "2.0")
	if called {
		o.Add("id", id)
	}
	switch {
	case name == "" && answers:
		o.Add("result", result)
	case name == "":
		o.Add("error", faultOf(wrong))
	default:
		if o.String("method", name); params != nil {
			o.Add("params", params)
		}
	}
	if name != "" && called {
		l.mu.Lock()
		l.calls++
		l.mu.Unlock()
		l.arrived(name, params)
	}
	return o.Value()
}

// faultOf is the error of a client's answer with a code and a message, whatever it
// is.
func faultOf(v entry.JSON) entry.JSON {
	given, _ := jsonedit.Get(v, "code")
	code, ok := jsonedit.Int(given)
	if !ok {
		code = codeInternal
	}
	why, ok := jsonedit.Text(v, "message")
	if !ok {
		why = "the client answered with the error " + jsonedit.CutText(string(jsonedit.Compact(v)), 300)
	}
	return new(jsonedit.Object).Int("code", code).String("message", why).Value()
}

// refuse answers what is no call.
func (l *lines) refuse(code int64, why string) {
	fault := new(jsonedit.Object).Int("code", code).String("message", why)
	o := new(jsonedit.Object).String("jsonrpc", "2.0").Null("id").Add("error", fault.Value())
	_, _ = l.queue.Write(append(o.Value(), '\n')) // a client that is gone reads no answer
}

// Write passes on a message of the connection, and notes which calls are answered:
// each of them is, once.
func (l *lines) Write(p []byte) (int, error) {
	n, err := l.queue.Write(p)
	if bytes.HasPrefix(p, []byte(`{"jsonrpc":"2.0","id":`)) {
		if _, asks := jsonedit.Get(bytes.TrimSpace(p), "method"); !asks {
			l.over()
			if id, ok := jsonedit.Path(bytes.TrimSpace(p), "result", "sessionId"); ok {
				name, _ := jsonedit.String(id)
				l.known(name)
			}
		}
	}
	return n, err
}

// over notes that a call has ended.
func (l *lines) over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls = max(l.calls-1, 0); l.calls == 0 {
		close(l.quiet)
		l.quiet = make(chan struct{})
	}
}

// idle waits until no call is under way, or ctx ends.
func (l *lines) idle(ctx context.Context) {
	l.mu.Lock()
	quiet, calls := l.quiet, l.calls
	l.mu.Unlock()
	if calls <= 0 {
		return
	}
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}
