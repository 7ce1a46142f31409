package tool

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// sink is an artifact in memory.
type sink struct{ strings.Builder }

func (*sink) Close() error { return nil }

func TestArtifactLimit(t *testing.T) {
	var kept sink
	env := Env{Artifact: func(context.Context, string) (string, io.WriteCloser, error) { return "/a", &kept, nil }}
	o := &output{ctx: t.Context(), env: env, limit: 100_000}
	text := strings.Repeat("0123456789abcde\n", 40_000)
	o.copy(strings.NewReader(text))
	if kept.String() != text[:100_000] {
		t.Errorf("the artifact has %d bytes", kept.Len())
	}
	tail, cut := o.tail()
	if !cut || !strings.HasSuffix(text, tail) || len(tail) != 16*MaxLines {
		t.Errorf("a tail of %d bytes", len(tail))
	}
	notes := strings.Join(o.notes(tail, cut), "|")
	if want := "the last 2,000 lines of 40,000 lines: 31 KiB of 625 KiB|the first 98 KiB, which is the most that is kept, are in /a"; notes != want {
		t.Errorf("notes %q", notes)
	}
}

// TestOutputModel feeds output in pieces of any size: the artifact is all of it,
// the tail its end, and what is told, put together, too.
func TestOutputModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"short\n", "€€€€ of some length\n", "no end ", "a\xffb\n", strings.Repeat("w", 1000) + "\n", "\n"})
		unit := strings.Join(rapid.SliceOfN(line, 1, 5).Draw(t, "lines"), "")
		text := strings.Repeat(unit, rapid.IntRange(1, 300_000/len(unit)).Draw(t, "times"))
		var kept sink
		var told strings.Builder
		env := Env{
			Artifact: func(context.Context, string) (string, io.WriteCloser, error) { return "/a", &kept, nil },
			Update: func(piece string) {
				if !utf8.ValidString(piece) {
					t.Fatalf("told %q", piece)
				}
				told.WriteString(piece)
			},
		}
		o := &output{ctx: context.Background(), env: env, limit: MaxArtifact}
		var r io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "small") {
			r = iotest.HalfReader(r)
		}
		o.copy(r)
		if kept.Len() > 0 && kept.String() != text {
			t.Fatalf("%d bytes of %d in the artifact", kept.Len(), len(text))
		}
		tail, cut := o.tail()
		if !strings.HasSuffix(clean(text), tail) {
			t.Fatalf("the tail is not the end: %.100q", tail)
		}
		if fits := len(text) <= MaxBytes && len(splitLines(text)) <= MaxLines; fits && (cut || tail != clean(text)) {
			t.Fatalf("%d bytes, %d lines were cut", len(text), len(splitLines(text)))
		}
		if len(tail) > MaxBytes || len(splitLines(tail)) > MaxLines || cut && kept.Len() == 0 {
			t.Fatalf("a tail of %d bytes, %d lines, %d bytes kept", len(tail), len(splitLines(tail)), kept.Len())
		}
		if len(text) < newsPiece && told.String() != clean(text) {
			t.Fatalf("told %q", told.String())
		}
	})
}
