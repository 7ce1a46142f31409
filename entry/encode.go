package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// A Stamp is what an entry is given when it is appended.
type Stamp struct {
	ID ID
	// Parent is the id of the parent; null when nil.
	Parent *ID
	// Time is in milliseconds since 1970.
	Time int64
}

// Stamp returns what the entry has of it: "", nil and [NoTime] for what is
// absent.
func (e Entry) Stamp() Stamp {
	s := Stamp{ID: e.ID, Time: e.Time}
	if e.HasParent {
		s.Parent = &e.ParentID
	}
	return s
}

// Encode appends to dst the line of an entry, without its newline, as the
// programs write it: type, id, parentId, timestamp and the fields, except that
// custom and custom_message have their fields before the id. A field that is not
// set is left out, as JSON.stringify leaves out undefined.
//
// For a body that was read from an entry, only what differs from that entry is
// changed, and new members come last: with the stamp of that entry and no change
// the line is byte for byte the same.
//
// The error wraps [ErrStamp], or [ErrNotBody] when b is nil or holds values that
// are not JSON; dst is then returned as it was.
func Encode(dst []byte, stamp Stamp, b Body) ([]byte, error) {
	if b == nil {
		return dst, fmt.Errorf("encode entry: %w: nil", ErrNotBody)
	}
	present := members(b)
	if raw := b.stored().raw; raw != nil {
		return amend(dst, raw, stamp, b, present)
	}
	var room [32]byte
	at := jsonedit.AppendTime(room[:0], stamp.Time)
	if stamp.ID == "" || len(at) == 0 {
		return dst, fmt.Errorf("encode entry: %w: id %q, time %d", ErrStamp, stamp.ID, stamp.Time)
	}
	for i, m := range present {
		v, err := oneLine(m)
		if err != nil {
			return dst, err
		}
		present[i].Value = v
	}
	size := 128 + len(BodyType(b)) + len(stamp.ID)
	for _, m := range present {
		size += len(m.Key) + len(m.Value) + 4
	}
	out := dst
	if out == nil {
		out = make([]byte, 0, size) // not cleared, as what Grow makes is
	}
	out = append(slices.Grow(out, size), `{"type":`...)
	out = jsonedit.Quote(out, BodyType(b))
	early := b.kind() == Custom || b.kind() == CustomMessage
	if early {
		out = appendMembers(out, present)
	}
	out = jsonedit.Quote(append(out, `,"id":`...), stamp.ID)
	out = append(out, `,"parentId":`...)
	if stamp.Parent == nil {
		out = append(out, "null"...)
	} else {
		out = jsonedit.Quote(out, *stamp.Parent)
	}
	out = append(append(append(out, `,"timestamp":"`...), at...), '"')
	if !early {
		out = appendMembers(out, present)
	}
	return append(out, '}'), nil
}

// appendMembers appends members to an object that has one already; those that
// are not set are left out.
func appendMembers(dst []byte, all []Member) []byte {
	for _, m := range all {
		if m.Value == nil {
			continue
		}
		dst = append(jsonedit.Quote(append(dst, ','), m.Key), ':')
		dst = append(dst, m.Value...)
	}
	return dst
}

// amend changes in raw what differs from stamp and body.
func amend(dst, raw []byte, stamp Stamp, b Body, present []Member) ([]byte, error) {
	was, err := Parse(raw)
	if err != nil {
		return dst, fmt.Errorf("encode entry: %w: %w", ErrNotBody, err)
	}
	out := JSON(raw)
	if was.Type != BodyType(b) {
		out = jsonedit.Set(out, "type", jsonedit.Quoted(BodyType(b)))
	}
	if was.ID != stamp.ID {
		if stamp.ID == "" {
			return dst, fmt.Errorf("encode entry: %w: no id", ErrStamp)
		}
		out = jsonedit.Set(out, "id", jsonedit.Quoted(stamp.ID))
	}
	if !sameParent(was, stamp.Parent) {
		out = jsonedit.Set(out, "parentId", parentValue(stamp.Parent))
	}
	if was.Time != stamp.Time {
		at := jsonedit.FormatTime(stamp.Time)
		if at == "" {
			return dst, fmt.Errorf("encode entry: %w: time %d", ErrStamp, stamp.Time)
		}
		out = jsonedit.Set(out, "timestamp", jsonedit.Quoted(at))
	}
	old, err := was.Body()
	if err != nil {
		return dst, err
	}
	if _, ok := b.(*Verbatim); ok {
		old = &Verbatim{Name: was.Type, Members: interior(raw)}
	}
	before := members(old)
	for _, m := range before {
		if !slices.ContainsFunc(present, func(n Member) bool { return n.Key == m.Key }) {
			out = jsonedit.Delete(out, m.Key)
		}
	}
	for _, m := range present {
		if slices.ContainsFunc(before, func(n Member) bool { return n.Key == m.Key && bytes.Equal(n.Value, m.Value) }) {
			continue
		}
		v, err := oneLine(m)
		if err != nil {
			return dst, err
		}
		out = jsonedit.Set(out, m.Key, v)
	}
	if bytes.IndexByte(out, '\n') >= 0 {
		out = jsonedit.Compact(out) // read from an object over several lines
	}
	return append(dst, out...), nil
}

func sameParent(was Entry, parent *ID) bool {
	if parent == nil {
		return !was.HasParent
	}
	return was.HasParent && was.ParentID == *parent
}

func parentValue(parent *ID) JSON {
	if parent == nil {
		return JSON("null")
	}
	return jsonedit.Quoted(*parent)
}

// oneLine returns the value of m without blanks that would break the line. The
// error is for what is not JSON.
func oneLine(m Member) (JSON, error) {
	if err := jsonl.Valid(m.Value); err != nil {
		return nil, fmt.Errorf("encode entry: %w: member %q: %w", ErrNotBody, m.Key, err)
	}
	if bytes.IndexByte(m.Value, '\n') >= 0 || bytes.IndexByte(m.Value, '\r') >= 0 {
		return jsonedit.Compact(m.Value), nil
	}
	return m.Value, nil
}

// refused adds what the error means for a body.
func refused(err error) error {
	if errors.Is(err, jsonl.ErrNotObject) {
		return fmt.Errorf("%w: %w", ErrNotBody, err)
	}
	return err
}
