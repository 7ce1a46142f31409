package jetstream

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// A group is lines that are stored together: one message, or several that are
// read as one.
type group struct {
	lines [][]byte
	size  int // bytes, line feeds counted
	token uint64
}

// nextGroup takes lines from the front that are to be stored together: all if
// they are few.
func nextGroup(lines [][]byte) (g group, rest [][]byte) {
	n := 0
	for n < len(lines) && (n == 0 || g.size+len(lines[n])+1 <= usualGroup) {
		g.size += len(lines[n]) + 1
		n++
	}
	g.lines, g.token = lines[:n], newToken()
	return g, lines[n:]
}

// tooLong is the error for a line that no number of messages can hold.
func (s *natsStore) tooLong(g group) error {
	if most := s.largest * mostParts; g.size > most {
		return fmt.Errorf("line of %d bytes: %s takes at most %d", g.size-1, s.where, most)
	}
	return nil
}

// drafts makes the messages of a group behind a mark. expect is the last message
// of the content, naming the one that it is named by.
func (s *natsStore) drafts(g group, r ref, at seen, expect, naming uint64) []*nats.Msg {
	body := make([]byte, 0, g.size)
	for _, line := range g.lines {
		body = append(append(body, line...), '\n')
	}
	size := min(s.largest, usualPart)
	if len(body) > size*mostParts {
		size = s.largest
	}
	subject := s.subject(r)
	before := head{kind: part, lines: uint64(at.lines), bytes: at.bytes, token: uint64(at.token), last: at.last, naming: naming,
		extra: strconv.FormatUint(g.token, 16)}
	var list []*nats.Msg
	exp := int64(expect)
	for len(body) > size {
		list = append(list, draft(subject, before.record(), body[:size:size], exp))
		body, exp = body[size:], -1
	}
	end := g.end(r, at)
	after := head{kind: data, lines: uint64(end.lines), bytes: end.bytes, token: g.token, naming: naming, extra: strconv.Itoa(len(list))}
	return append(list, draft(subject, after.record(), body, exp))
}

// end is the mark behind a group, but for its last message.
func (g group) end(r ref, at seen) seen {
	return seen{
		content: r.content, token: uint32(g.token), lines: at.lines + uint32(len(g.lines)), bytes: at.bytes + uint64(g.size),
	}
}
