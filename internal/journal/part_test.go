package journal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/google/go-cmp/cmp"
)

// describe is all that a part says of a log, as text.
func describe(p *part) []string {
	var all []string
	for i := range p.x.Len() {
		id, hasID := p.x.ID(i)
		parent, hasParent := p.x.ParentID(i)
		all = append(all, fmt.Sprint(i, id, hasID, parent, hasParent, p.x.Ref(i), p.x.Kind(i), p.x.Role(i),
			p.x.Time(i), p.x.At(i), p.x.Body(i), p.x.Parent(i), p.x.Twin(i)))
	}
	for _, r := range p.headers {
		all = append(all, fmt.Sprint(r.kind, string(r.raw), r.at, r.pos))
	}
	return append(all, fmt.Sprintf("%+v %+v %d %d %v", p.gaps, p.damage, p.lines, p.known, p.torn))
}

func TestStretchesJoinToTheWhole(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Entries: 40})
		data := s.Bytes
		for range seed % 4 {
			data, _ = sessiongen.Damage(rng, data)
		}
		whole, err := scanBytes(t.Context(), bytes.NewReader(data), int64(len(data)), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 3, 7} {
			p, err := scanBytes(t.Context(), bytes.NewReader(data), int64(len(data)), n)
			if errors.Is(err, errPending) {
				continue // it says that it has to be read in one go
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(describe(whole), describe(p)); diff != "" {
				t.Fatalf("seed %d in %d stretches (-one +several):\n%s", seed, n, diff)
			}
		}
	}
}

// TestZeroBytesHideLineEnds: what is legible before zero bytes and behind them may be
// of two records.
func TestZeroBytesHideLineEnds(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	for _, tt := range []struct {
		name, line string
		want       []tree.Gap
	}{
		{"one record", `{"type":"custom","id":"a","parentId":"b","data":"` + "\x00\x00" + `"}`,
			[]tree.Gap{{ID: "a", ParentID: "b", HasParent: true}, {}}},
		{"the links of two", `{"type":"custom","id":"a","pa` + "\x00\x00" + `"id":"c","parentId":"d","data":1}`,
			[]tree.Gap{{ID: "a"}, {ID: "c", ParentID: "d", HasParent: true}}},
		{"the parent of the second", `{"type":"custom","id":"a","pa` + "\x00\x00" + `c","parentId":"d","data":1}`,
			[]tree.Gap{{ID: "a"}, {ParentID: "d", HasParent: true}}},
		{"the second begins", `{"type":"custom","id":"a","pa` + "\x00\x00" + `c","parentId":null,"data":1}`,
			[]tree.Gap{{ID: "a"}, {Root: true}}},
		{"the name of a call", `{"type":"message","id":"a","parentId":"b` + "\x00\x00" + `{"type":"toolCall","id":"call"}]}}`,
			[]tree.Gap{{ID: "a"}, {}}},
		{"no zero bytes", `{"type":"custom","id":"a","parentId":"b","data":`,
			[]tree.Gap{{ID: "a", ParentID: "b", HasParent: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := []byte(head + tt.line + "\n")
			p, err := scanBytes(t.Context(), bytes.NewReader(data), int64(len(data)), 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.gaps); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// FuzzScan reads any bytes: it must not panic, every entry must be legible
// where the index says, and no line may be counted twice.
func FuzzScan(f *testing.F) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		data := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Entries: 12}).Bytes
		f.Add(data)
		damaged, _ := sessiongen.Damage(rng, data)
		f.Add(damaged)
		f.Add(append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSpace(data), []byte("\n"), [][]byte{[]byte(","), []byte(",\n")}[seed%2])...), ']'))
	}
	f.Add([]byte("{\"a\":\n\n{\"type\":\"message\"}\x00\n[\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := scanBytes(t.Context(), bytes.NewReader(data), int64(len(data)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := bytes.Count(data, []byte{'\n'}); p.lines < want || p.lines > want+1 {
			t.Fatalf("%d lines of %d", p.lines, want)
		}
		l := loader{x: p.x, src: newSource(section{bytes.NewReader(data)})}
		for i := range p.x.Len() {
			line, err := l.line(i)
			if err != nil {
				t.Fatal(err)
			}
			id, has := p.x.ID(i)
			if has && !bytes.Contains(line, []byte(`"id"`)) && !bytes.Contains(line, []byte(`\u`)) {
				t.Fatalf("entry %d has id %q, its line is %q", i, id, line)
			}
		}
	})
}

type section struct{ *bytes.Reader }

func (section) Close() error { return nil }
