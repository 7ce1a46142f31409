package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// piecewise is a connection that gives its bytes in pieces.
type piecewise struct {
	net.Conn
	pieces [][]byte
}

// Read gives one.
func (p *piecewise) Read(into []byte) (int, error) {
	if len(p.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.pieces[0])
	if p.pieces[0] = p.pieces[0][n:]; len(p.pieces[0]) == 0 {
		p.pieces = p.pieces[1:]
	}
	return n, nil
}

// said is something that a server may say.
func said(t *rapid.T) []byte {
	body := rapid.SliceOfN(rapid.SampledFrom([]byte("MSG 19\r\n\x00x")), 0, 40).Draw(t, "body")
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return fmt.Appendf(nil, "MSG a.b %d %d\r\n%s\r\n", len(body), len(body), body)
	case 1:
		return fmt.Appendf(nil, "hmsg\ta 1 reply 0 %d\n%s\r\n", len(body), body)
	case 2:
		return []byte("PING\r\n")
	case 3:
		return []byte("INFO {\"MSG\": 99999999999999999999}\r\n")
	}
	return []byte("-ERR 'x'\r\n")
}

// TestBounded: what is within bounds comes through as it is, however it is cut;
// behind something that is not, nothing does.
func TestBounded(t *testing.T) {
	for range 100 { // times the usual 100 cases
		rapid.Check(t, func(t *rapid.T) {
			var all []byte
			for range rapid.IntRange(0, 6).Draw(t, "n") {
				all = append(all, said(t)...)
			}
			bad := rapid.SampledFrom([]string{"", "MSG a 1 99999999999\r\n", "HMSG a 1 1 9223372036854775807\r\n", "MSG a 1 9\r1\r\n", "msg a 1 -1\r\n", "MSG\r\n"}).Draw(t, "bad")
			c := &piecewise{}
			for rest := append(bytes.Clone(all), bad...); len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
				c.pieces, rest = append(c.pieces, rest[:n]), rest[n:]
			}
			got, err := io.ReadAll(&bounded{Conn: c, told: []byte("INFO {}\r\n")})
			got, _ = bytes.CutPrefix(got, []byte("INFO {}\r\n"))
			switch {
			case bad == "" && (err != nil || !bytes.Equal(got, all)):
				t.Fatalf("of %q came %q, %v", all, got, err)
			case bad != "" && (!errors.Is(err, errFrame) || len(got) >= len(all)+len(bad) || !bytes.HasPrefix(append(all, bad...), got)):
				t.Fatalf("of %q and %q came %q, %v", all, bad, got, err)
			}
		})
	}
	_, err := io.ReadAll(&bounded{Conn: &piecewise{pieces: [][]byte{bytes.Repeat([]byte("x"), mostLine+1)}}})
	if !errors.Is(err, errFrame) {
		t.Errorf("a line without end: %v", err)
	}
	if _, err := firstLine(strings.NewReader(strings.Repeat("x", mostLine+1))); !errors.Is(err, errFrame) {
		t.Errorf("a first line without end: %v", err)
	}
}

// TestListingRing: contents that name themselves, or each other, as what took their
// place, and names without a content, are no logs; the others are listed.
func TestListingRing(t *testing.T) {
	a, b, c := ref{1, 1}, ref{1, 2}, ref{1, 3}
	seal := func(at, next ref) *head { return &head{ref: at, kind: sealed, extra: next.String()} }
	l := &listing{
		names: map[string]naming{"/p/self": {ref: a, has: true}, "/p/ring": {ref: b, has: true}, "/p/none": {ref: ref{9, 9}, has: true}, "/p/good": {ref: ref{2, 2}, has: true}},
		heads: map[ref]*head{a: seal(a, a), b: seal(b, c), c: seal(c, b), {2, 2}: {ref: ref{2, 2}, kind: data}},
	}
	if list := l.below("/p/"); len(list) != 1 || list[0].Name != "/p/good" {
		t.Errorf("listed %+v", list)
	}
}

// FuzzBounded: however a stream of any bytes is cut, the same of it comes through.
func FuzzBounded(f *testing.F) {
	f.Add([]byte("MSG a 1 5\r\nhello\r\nPING\r\nMSG a 1 99999999999\r\n"), uint8(3))
	f.Add([]byte("HMSG a 1 r 2 9\r\nhi\r\n\r\n\r\n\r\nMSG a 1 9\r1\r\n"), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8) {
		whole, one := &bounded{}, &bounded{}
		want := whole.check(stream)
		var got error
		for rest := stream; len(rest) > 0 && got == nil; {
			n := min(int(cut)+1, len(rest))
			got, rest = one.check(rest[:n]), rest[n:]
		}
		if !errors.Is(got, want) || got == nil && (one.message != whole.message || one.ends != whole.ends || !bytes.Equal(one.line, whole.line)) {
			t.Errorf("%q in one: %v, %d; by %d: %v, %d", stream, want, whole.message, cut, got, one.message)
		}
	})
}
