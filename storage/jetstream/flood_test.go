package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// TestHeadersAreBounded: a message with more headers than any has is not let in.
func TestHeadersAreBounded(t *testing.T) {
	say := func(headers int) []byte { return fmt.Appendf(nil, "HMSG a 1 r %d %d\r\n", headers, headers+5) }
	if err := new(bounded).check(say(mostHeaders)); err != nil {
		t.Errorf("%d bytes: %v", mostHeaders, err)
	}
	for _, n := range []int{mostHeaders + 1, 40 << 20} {
		if err := new(bounded).check(say(n)); !errors.Is(err, errHeaders) || !errors.Is(err, errFrame) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := new(bounded).check([]byte("MSG a 1 9999999 99\r\n")); err != nil {
		t.Errorf("without headers: %v", err)
	}
}

// TestRepeats: a consumer that delivers one message again and again is noticed at once,
// however much of it comes, and whatever else repeats is let in.
func TestRepeats(t *testing.T) {
	const line = "MSG _INBOX.x 1 $JS.ACK.CAMBIUM.c.1.7.1.1700000000000000000.9 5\r\nhello\r\n"
	if err := new(bounded).check(bytes.Repeat([]byte(line), 1000)); !errors.Is(err, errRepeat) {
		t.Error(err)
	}
	if err := new(bounded).check(bytes.Repeat([]byte("PING\r\nMSG a 1 5\r\nhello\r\n"), 1000)); err != nil {
		t.Errorf("without numbers: %v", err)
	}
	var next []byte
	for i := range 1000 {
		next = fmt.Appendf(next, "MSG _INBOX.x 1 $JS.ACK.CAMBIUM.c.1.%d.%d.1700000000000000000.9 5\r\nhello\r\n", i+7, i+1)
	}
	if err := new(bounded).check(next); err != nil {
		t.Errorf("one after the other: %v", err)
	}
	s := &natsStore{flooded: make(chan struct{}), flood: errRepeat}
	close(s.flooded)
	l := &listing{store: s, more: make(chan struct{})}
	if err := l.wait(t.Context(), 1); !errors.Is(err, errRepeat) {
		t.Errorf("a listing waits: %v", err)
	}
	if err := s.settle(t.Context(), errBroken); !errors.Is(err, ErrAway) || !errors.Is(err, errRepeat) {
		t.Errorf("it is told as %v", err)
	}
	if s.pause(t.Context(), 1<<62) {
		t.Error("it is asked again")
	}
}

// TestGarbageNames: a name of which the last message cannot be read is listed, so that
// who opens it is told; a later message that can be read counts.
func TestGarbageNames(t *testing.T) {
	l := &listing{names: map[string]naming{}, heads: map[ref]*head{{1, 1}: {ref: ref{1, 1}, kind: data}}}
	good := &message{record: namingRecord(ref{1, 1}, 7)}
	for _, m := range []*message{{record: "n ../../x ../../y"}, {}, {record: "z"}, good, {record: "n"}} {
		l.name("/p/a.jsonl", m)
		l.name("/p/b.jsonl", good)
		list := l.below("/p/")
		if len(list) != 2 || list[0].Name != "/p/a.jsonl" || list[0].Mark.IsZero() != (m != good) || list[1].Mark.IsZero() {
			t.Errorf("%q: listed %+v", m.record, list)
		}
	}
	l.name("/p/a.jsonl", &message{record: string(free)})
	if list := l.below("/p/"); len(list) != 1 {
		t.Errorf("taken away: listed %+v", list)
	}
}
