package jsonl_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A short line as the tests write it: the bytes, or a length for a line that
// came without.
type short struct {
	Off  int64
	Text string
	Long int64
	LF   bool
}

// collect returns a callback that notes lines.
func collect(into *[]short) func(jsonl.Line) error {
	return func(l jsonl.Line) error {
		s := short{Off: l.Off, Text: string(l.Bytes), LF: l.LF}
		if l.Bytes == nil {
			s.Long = l.Len
		}
		*into = append(*into, s)
		return nil
	}
}

// naive splits text in the obvious way.
func naive(text string, from int64, maxLine int) []short {
	var lines []short
	for off := from; text != ""; {
		line, rest, lf := strings.Cut(text, "\n")
		s := short{Off: off, Text: line, LF: lf}
		if len(line) > maxLine {
			s.Text, s.Long = "", int64(len(line))
		}
		lines = append(lines, s)
		off += int64(len(text) - len(rest))
		text = rest
	}
	return lines
}

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		file string
		want []short
	}{
		{"empty", "", nil},
		{"one LF", "\n", []short{{0, "", 0, true}}},
		{"LF at the end", "ab\nc\n", []short{{0, "ab", 0, true}, {3, "c", 0, true}}},
		{"no LF at the end", "ab\nc", []short{{0, "ab", 0, true}, {3, "c", 0, false}}},
		{"blank lines", "\n\na\n\n", []short{{0, "", 0, true}, {1, "", 0, true}, {2, "a", 0, true}, {4, "", 0, true}}},
		{"only LF ends a line", "a\rb\u2028c\u2029d\u0085e\v\f\x00\r\n", []short{{0, "a\rb\u2028c\u2029d\u0085e\v\f\x00\r", 0, true}}},
		{"longer than the window", "a\n0123456789abcdef\nb", []short{{0, "a", 0, true}, {2, "0123456789abcdef", 0, true}, {19, "b", 0, false}}},
		{"longer than MaxLine", "a\n0123456789abcdefghi\nb\n", []short{{0, "a", 0, true}, {2, "", 19, true}, {22, "b", 0, true}}},
		{"longer than MaxLine, no LF", "0123456789abcdefghijklmnopq", []short{{0, "", 27, false}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opt := jsonl.Options{Window: 8, MaxLine: 18}
			for _, to := range []int64{-1, int64(len(test.file))} {
				var got []short
				if err := jsonl.Lines(strings.NewReader(test.file), 0, to, opt, collect(&got)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("Lines of %q to %d (-want +got):\n%s", test.file, to, diff)
				}
			}
		})
	}
}

func TestLinesBounds(t *testing.T) {
	file := strings.NewReader("one\ntwo\nthree\n")
	var got []short
	if err := jsonl.Lines(file, 4, 10, jsonl.Options{}, collect(&got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]short{{4, "two", 0, true}, {8, "th", 0, false}}, got); diff != "" {
		t.Errorf("Lines from 4 to 10 (-want +got):\n%s", diff)
	}
	for _, window := range []int{3, 8, 100} {
		got = nil
		err := jsonl.Lines(file, 4, 20, jsonl.Options{Window: window}, collect(&got))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Lines beyond the end: %v", err)
		}
		if diff := cmp.Diff([]short{{4, "two", 0, true}, {8, "three", 0, true}}, got); diff != "" {
			t.Errorf("Lines beyond the end (-want +got):\n%s", diff)
		}
	}
}

// broken fails to read at and after an offset.
type broken struct {
	io.ReaderAt
	at int64
}

var errBroken = errors.New("broken")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.at {
		return 0, errBroken
	}
	return b.ReaderAt.ReadAt(p, off)
}

func TestLinesErrors(t *testing.T) {
	file := strings.NewReader(strings.Repeat("a line\n", 100))
	ignore := func(jsonl.Line) error { return nil }
	if err := jsonl.Lines(broken{file, 100}, 0, 700, jsonl.Options{Window: 16}, ignore); !errors.Is(err, errBroken) {
		t.Errorf("Lines of a broken file: %v", err)
	}
	if err := jsonl.Reverse(broken{file, 100}, 700, 16, ignore); !errors.Is(err, errBroken) {
		t.Errorf("Reverse of a broken file: %v", err)
	}
	if err := jsonl.Reverse(file, 701, 16, ignore); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Reverse beyond the end: %v", err)
	}
	if _, err := jsonl.Split(broken{file, 100}, 0, 700, 2); !errors.Is(err, errBroken) {
		t.Errorf("Split of a broken file: %v", err)
	}
	for _, stop := range []error{jsonl.ErrStop, errBroken} {
		want := stop
		if stop == jsonl.ErrStop {
			want = nil
		}
		count := 0
		third := func(jsonl.Line) error {
			if count++; count == 3 {
				return stop
			}
			return nil
		}
		if err := jsonl.Lines(file, 0, -1, jsonl.Options{}, third); err != want || count != 3 {
			t.Errorf("Lines stopped by %v: %v after %d lines", stop, err, count)
		}
		count = 0
		if err := jsonl.Reverse(file, 700, 0, third); err != want || count != 3 {
			t.Errorf("Reverse stopped by %v: %v after %d lines", stop, err, count)
		}
	}
}

func TestTrim(t *testing.T) {
	tests := []struct {
		line string
		off  int64
		want string
	}{
		{"{}", 0, "{}"},
		{"{}\r", 5, "{}"},
		{" \t{} \t\r", 5, "{}"},
		{"\x00\x00 {}\x00\x00\r", 5, "{}"},
		{"\xef\xbb\xbf{}", 0, "{}"},
		{"\xef\xbb\xbf \x00{}", 0, "{}"},
		{"\xef\xbb\xbf{}", 5, "\xef\xbb\xbf{}"},
		{" \xef\xbb\xbf{}", 0, "\xef\xbb\xbf{}"},
		{"\x00\x00\x00", 5, ""},
		{"\xef\xbb\xbf", 0, ""},
		{"", 0, ""},
		{"\v{}\f", 0, "\v{}\f"},
	}
	for _, test := range tests {
		l := jsonl.Line{Off: test.off, Len: int64(len(test.line)), Bytes: []byte(test.line)}
		if got := string(l.Text()); got != test.want {
			t.Errorf("Text of %q at %d = %q, want %q", test.line, test.off, got, test.want)
		}
	}
	if got := (jsonl.Line{Len: 1 << 40}).Text(); got != nil {
		t.Errorf("Text of a line without bytes = %q", got)
	}
}

// files draws files of short lines with few kinds of bytes.
func files() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("a\n\r\x00é{")), 0, 200, -1)
}

func TestLinesEqualNaiveSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := files().Draw(t, "file")
		window := rapid.IntRange(1, 40).Draw(t, "window")
		maxLine := rapid.IntRange(1, 40).Draw(t, "maxLine")
		checkLines(t, file, window, maxLine, rapid.IntRange(1, 9).Draw(t, "parts"))
	})
}

// fataler is what rapid.T and testing.T share.
type fataler interface{ Fatalf(string, ...any) }

// checkLines compares all ways of reading lines with the naive one.
func checkLines(t fataler, file string, window, maxLine, parts int) {
	r := strings.NewReader(file)
	opt := jsonl.Options{Window: window, MaxLine: int64(maxLine)}
	want := naive(file, 0, maxLine)
	var got []short
	if err := jsonl.Lines(r, 0, -1, opt, collect(&got)); err != nil {
		t.Fatalf("Lines: %v", err)
	}
	if !slices.Equal(want, got) {
		diff := cmp.Diff(want, got)
		t.Fatalf("Lines of %q, window %d, at most %d (-want +got):\n%s", file, window, maxLine, diff)
	}
	cuts, err := jsonl.Split(r, 0, int64(len(file)), parts)
	if err != nil || len(cuts) != parts+1 || !slices.IsSorted(cuts) {
		t.Fatalf("Split of %q in %d = %v, %v", file, parts, cuts, err)
	}
	got = nil
	for i := range parts {
		if err := jsonl.Lines(r, cuts[i], cuts[i+1], opt, collect(&got)); err != nil {
			t.Fatalf("Lines: %v", err)
		}
	}
	if !slices.Equal(want, got) {
		diff := cmp.Diff(want, got)
		t.Fatalf("Lines of %q split at %v (-want +got):\n%s", file, cuts, diff)
	}
	got = nil
	if err := jsonl.Reverse(r, int64(len(file)), window, collect(&got)); err != nil {
		t.Fatalf("Reverse: %v", err)
	}
	slices.Reverse(got)
	if want = naive(file, 0, jsonl.DefaultMaxLine); !slices.Equal(want, got) {
		diff := cmp.Diff(want, got)
		t.Fatalf("Reverse of %q, window %d (-want +got):\n%s", file, window, diff)
	}
}

func TestLinesHoldOneWindow(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 1<<16)
	line[len(line)-1] = '\n'
	file := bytes.NewReader(bytes.Repeat(line, 64))
	allocs := testing.AllocsPerRun(5, func() {
		count := 0
		err := jsonl.Lines(file, 0, -1, jsonl.Options{Window: 1 << 18}, func(jsonl.Line) error {
			count++
			return nil
		})
		if err != nil || count != 64 {
			t.Fatalf("%d lines, %v", count, err)
		}
	})
	if allocs > 4 {
		t.Errorf("reading 64 lines allocated %v times", allocs)
	}
}
