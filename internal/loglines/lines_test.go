package loglines_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cambium-dev/cambium/internal/loglines"
	"github.com/cambium-dev/cambium/storage"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func collect(t *testing.T, r io.ReaderAt, start, end int64) ([]string, error) {
	t.Helper()
	var out []string
	for line, err := range loglines.Lines[storage.Line](t.Context(), r, start, end) {
		if err != nil {
			return out, err
		}
		text := string(line.Bytes)
		if line.LF {
			text += "\n"
		}
		out = append(out, text)
	}
	return out, nil
}

// TestLines: the lines joined are the bytes, and each is where it says.
func TestLines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		piece := rapid.SampledFrom([]string{"\n", "\n", "a", "\r\n", "\x00", strings.Repeat("x", 300<<10)})
		text := strings.Join(rapid.SliceOf(piece).Draw(r, "text"), "")
		start := rapid.Int64Range(0, int64(len(text))).Draw(r, "start")
		pos, joined := start, ""
		for line, err := range loglines.Lines[storage.Line](t.Context(), strings.NewReader(text), start, int64(len(text))) {
			if err != nil {
				r.Fatalf("error: %v", err)
			}
			if line.Pos != pos || bytes.IndexByte(line.Bytes, '\n') >= 0 {
				r.Fatalf("line at %d, want %d", line.Pos, pos)
			}
			joined += string(line.Bytes)
			if line.LF {
				joined += "\n"
			}
			pos = start + int64(len(joined))
		}
		if joined != text[start:] {
			r.Fatalf("lines differ from the text: %d bytes, want %d", len(joined), len(text)-int(start))
		}
	})
}

func TestLinesShort(t *testing.T) {
	got, err := collect(t, strings.NewReader("one\ntwo\nthr"), 0, 20)
	if want := []string(nil); !errors.Is(err, io.ErrUnexpectedEOF) || !cmp.Equal(got, want) {
		t.Errorf("got %q, %v; want an unexpected end", got, err)
	}
	broken := errors.New("broken")
	r := readerAt{iotest.ErrReader(broken)}
	if _, err := collect(t, r, 0, 20); !errors.Is(err, broken) {
		t.Errorf("got error %v", err)
	}
}

type readerAt struct{ io.Reader }

func (r readerAt) ReadAt(p []byte, _ int64) (int, error) { return r.Read(p) }

// TestTail: the tail is the end of what Lines gives, as much as fits.
func TestTail(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "a", "bc\n"})).Draw(r, "text"), "")
		n := rapid.Int64Range(0, int64(len(text))+3).Draw(r, "n")
		all, err := collect(t, strings.NewReader(text), 0, int64(len(text)))
		if err != nil {
			r.Fatal(err)
		}
		lines, err := loglines.Tail[storage.Line](strings.NewReader(text), int64(len(text)), n)
		if err != nil {
			r.Fatal(err)
		}
		want, room := len(all), n
		for want > 0 && int64(len(all[want-1])) <= room {
			want--
			room -= int64(len(all[want]))
		}
		var got []string
		for _, line := range lines {
			end := line.Pos + int64(len(line.Bytes))
			if string(line.Bytes) != text[line.Pos:end] {
				r.Fatalf("line %q is not at %d", line.Bytes, line.Pos)
			}
			if line.LF {
				end++
			}
			got = append(got, text[line.Pos:end])
		}
		if strings.Join(got, "|") != strings.Join(all[want:], "|") {
			r.Fatalf("tail of %d in %q is %q, want %q", n, text, got, all[want:])
		}
	})
}

func TestLineStart(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	text := "one\n" + long + "\n\nend"
	for end := range int64(len(text) + 1) {
		want := int64(strings.LastIndexByte(text[:end], '\n') + 1)
		if got, err := loglines.LineStart(strings.NewReader(text), end); err != nil || got != want {
			t.Fatalf("line start before %d is %d, %v; want %d", end, got, err, want)
		}
	}
}
