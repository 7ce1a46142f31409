package wiretest

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Reply is how one request is answered: by one of Say, File, Stream, Raw, Flow,
// Fail or Status, in this order if there are several, delivered as the other fields say.
// Its members in a script are named as the tags tell.
type Reply struct {
	// Say is an answer, in the protocol of the request.
	Say *Say `json:"say,omitzero"`
	// File is an event stream of testdata, without ".sse"; without a slash it is
	// one of the request's protocol.
	File string `json:"file,omitzero"`
	// Stream is an event stream; only the names and data of its events are sent.
	Stream []byte `json:"-"`
	// Raw is a stream that is sent as it is, in one piece.
	Raw []byte `json:"-"`
	// Flow is a stream that is made while it is sent, piece by piece as they are,
	// until it ends or the client has gone.
	Flow iter.Seq[[]byte] `json:"-"`
	// Fail is the name of a failure, in the vendor's words.
	Fail Failure `json:"fail,omitzero"`
	// Status, Header and Body are an answer that is not a stream.
	Status int            `json:"status,omitzero"`
	Header Header         `json:"header,omitzero"`
	Body   jsontext.Value `json:"body,omitzero"`
	// Text is Body where that is no JSON.
	Text string `json:"text,omitzero"`

	// Match is a text that the request's body must contain; "" is any.
	Match string `json:"match,omitzero"`
	// Always keeps the reply in the script after it was used.
	Always bool `json:"always,omitzero"`

	// FailAfter is a failure that the stream tells after Events events, and ends.
	FailAfter Failure `json:"failAfter,omitzero"`
	// Cut ends the answer after Events events, or after Bytes bytes if that is
	// more than 0.
	Cut Cut `json:"cut,omitzero"`
	// Stall holds the answer up after Events events until Release is closed or
	// the client has gone.
	Stall  bool `json:"stall,omitzero"`
	Events int  `json:"events,omitzero"`
	Bytes  int  `json:"bytes,omitzero"`
	// Release ends a stall; nil is never.
	Release <-chan struct{} `json:"-"`
	// Gate is received from before each event; when it is closed, the rest comes
	// at once.
	Gate <-chan struct{} `json:"-"`
}

// Header is the header of an answer; a script spells it as an object of strings.
type Header map[string]string

// A Cut is a way in which an answer ends early.
type Cut string

// The ways. Clean ends the body properly but early, Drop closes the connection
// in the middle of the body, Reset resets it (TCP RST).
const (
	Clean Cut = "clean"
	Drop  Cut = "drop"
	Reset Cut = "reset"
)

// A Script answers requests with its replies: each with the first that matches
// and was not used. It is safe for concurrent use once it is served.
type Script struct {
	Replies []Reply
	// Log gets a line of JSON for each request, {"path":…,"body":…}; nil is none.
	Log io.Writer

	mu   sync.Mutex
	used []bool
}

// Next returns the reply to r and marks it used; false when there is none.
func (s *Script) Next(r Request) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.log(r); err != nil {
		return Reply{}, false
	}
	if s.used == nil {
		s.used = make([]bool, len(s.Replies))
	}
	for i, reply := range s.Replies {
		if s.used[i] || !bytes.Contains(r.Body, []byte(reply.Match)) {
			continue
		}
		s.used[i] = !reply.Always
		return reply, true
	}
	return Reply{}, false
}

// log writes r down; a body that is no JSON is written as a string.
func (s *Script) log(r Request) error {
	if s.Log == nil {
		return nil
	}
	body := jsontext.Value(r.Body)
	if !body.IsValid() {
		body = jsonedit.Quoted(string(r.Body))
	}
	line := new(jsonedit.Object).String("path", r.Path).Add("body", jsonedit.Compact(body)).Value()
	_, err := s.Log.Write(append(line, '\n'))
	return err
}

// ParseScript reads a script: a reply a line, JSON; empty lines and lines that
// begin with "#" are passed over. Unknown members are errors.
func ParseScript(text []byte) (*Script, error) {
	s := &Script{}
	for n, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		var r Reply
		if err := json.Unmarshal(line, &r, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("parse script: line %d: %w", n+1, err)
		}
		s.Replies = append(s.Replies, r)
	}
	return s, nil
}

// Answer returns a reply that says s.
func Answer(s Say) Reply { return Reply{Say: &s} }

// Text returns a reply that says text and ends the turn.
func Text(text string) Reply { return Answer(Say{Text: text}) }

// Calling returns a reply that makes calls.
func Calling(calls ...Call) Reply { return Answer(Say{Calls: calls}) }

// FromFile returns a reply with an event stream of testdata.
func FromFile(name string) Reply { return Reply{File: name} }

// Failing returns a reply with a failure.
func Failing(f Failure) Reply { return Reply{Fail: f} }
