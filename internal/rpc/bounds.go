package rpc

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Bounds limit what the other side of a connection may do. The zero value limits
// nothing. The functions are called by many goroutines; nil ones are not asked.
type Bounds struct {
	// ReadOnly refuses the methods that write and opens every session to read.
	ReadOnly bool
	// Path says whether the client may use a path: of a session, or of a
	// directory of sessions. It is absolute and, but for one with a NUL,
	// clean. The error is told to the client.
	Path func(path string, dir bool) error
	// Admit says whether there is room for one more open session, and how to
	// give the room back. The error is told to the client.
	Admit func() (release func(), err error)
	// Calls says whether n more messages may be done now. The error is told to
	// the client.
	Calls func(n int) error
	// Line is how long a message may be, in bytes; 0 means any length. Longer
	// ones are passed over and refused.
	Line int64
	// Batch is how many messages a batch may have; 0 means any number.
	Batch int
}

// permit checks a call against the bounds.
func (s *Conn) permit(m *method, given args) error {
	b := &s.o.Bounds
	if b.ReadOnly && m.writes {
		var o jsonedit.Object
		return &fault{
			code: codeForbidden, message: fmt.Sprintf("%s writes, and the token is one to read", m.name),
			data: o.String("scope", "write").Value(),
		}
	}
	if b.Path == nil {
		return nil
	}
	for _, p := range m.params {
		path := given.text(p.name)
		switch {
		case p.name == "state":
			path, _ = jsonedit.Text(given[p.name], "path")
		case p.kind == log && !catalog.IsPath(path), p.kind != log && p.kind != dir:
			continue
		}
		if path == "" {
			continue
		}
		if err := s.allow(path, p.kind == dir); err != nil {
			return err
		}
	}
	return nil
}

// allow asks whether the client may use a path.
func (s *Conn) allow(path string, dir bool) error {
	if s.o.Bounds.Path == nil {
		return nil
	}
	if strings.IndexByte(path, 0) < 0 {
		path = filepath.Clean(s.absolute(path))
	}
	if err := s.o.Bounds.Path(path, dir); err != nil {
		return &fault{code: codeForbidden, message: err.Error()}
	}
	return nil
}

// admit finds room for one more session.
func (s *Conn) admit() (release func(), err error) {
	if s.o.Bounds.Admit == nil {
		return nothing, nil
	}
	if release, err = s.o.Bounds.Admit(); err != nil {
		return nil, &fault{code: codeLimit, message: err.Error()}
	}
	return release, nil
}

// charge counts the messages of a line. The error is the answer to a line for
// which there were too many; nil as well for one that nobody waits for.
func (s *Conn) charge(line entry.JSON) (refused entry.JSON, err error) {
	if s.o.Bounds.Calls == nil {
		return nil, nil
	}
	n, batch := 1, jsonedit.Kind(line) == '['
	if batch {
		n = jsonedit.Len(line)
	}
	if err = s.o.Bounds.Calls(n); err == nil {
		return nil, nil
	}
	id := null
	if !batch {
		r, _ := parse(line)
		id = r.id
	}
	if id == nil {
		return nil, err
	}
	return refusal(id, &fault{code: codeLimit, message: err.Error()}), err
}

// Refusal returns the answer to what is not even a message: an error with one of
// the codes below and no id.
func Refusal(code int, text string) entry.JSON {
	return refusal(null, &fault{code: code, message: text})
}

// Codes of errors that a server of connections gives itself: what came is no
// message, there is no such connection, entries are not saved, it is not
// allowed, it is too much.
const (
	Invalid   = codeRequest
	NotOpen   = codeHandle
	Unsaved   = codeUnsaved
	Forbidden = codeForbidden
	TooMuch   = codeLimit
)

// batchOf refuses a batch of the wrong size.
func (s *Conn) batchOf(n int) error {
	most := s.o.Bounds.Batch
	switch {
	case n == 0:
		return invalid("a batch without a message")
	case most > 0 && n > most:
		return invalid(fmt.Sprintf("a batch of %d messages, %d are allowed", n, most))
	}
	return nil
}

// tooLong is the error of a message that is longer than allowed.
func (s *Conn) tooLong() error {
	return invalid(fmt.Sprintf("a message of more than %d bytes", s.o.Bounds.Line))
}

// watched tells who watches how the call ended.
func (c *call) watched(err error) {
	if c.s.o.Watch == nil {
		return
	}
	name, code := "", 0
	if c.m != nil {
		name = c.m.name
	}
	if err != nil {
		code = faultOf(err).code
	}
	c.s.o.Watch(name, code, time.Since(c.began))
}
