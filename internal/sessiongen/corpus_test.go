package sessiongen_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// corpora names the corpora with their number of entries in a megabyte
// and the bytes between two escapes.
var corpora = []struct {
	name             string
	write            func(io.Writer, *rand.Rand, int64) (sessiongen.Summary, error)
	entries          int
	escapeLo, escape int
}{
	{"big", sessiongen.Big, 82, 40, 65},
	{"small", sessiongen.Small, 1564, 80, 150},
	{"dense", sessiongen.Dense, 161, 12, 18},
	{"tiny", sessiongen.Tiny, 3460, 100, 250},
}

func TestCorpora(t *testing.T) {
	for _, tt := range corpora {
		var a, b bytes.Buffer
		sum, err := tt.write(&a, source(1), 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tt.write(&b, source(1), 1_000_000); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two runs differ (%v)", tt.name, err)
		}
		if sum.Bytes != int64(a.Len()) || sum.Bytes < 950_000 || sum.Bytes > 1_050_000 {
			t.Errorf("%s: %d bytes, said %d, want about a megabyte", tt.name, a.Len(), sum.Bytes)
		}
		if d := sum.Entries - tt.entries; d < -2 || d > 2 {
			t.Errorf("%s: %d entries, want %d", tt.name, sum.Entries, tt.entries)
		}
		if every := a.Len() / bytes.Count(a.Bytes(), []byte(`\`)); every < tt.escapeLo || every > tt.escape {
			t.Errorf("%s: an escape every %d bytes, want %d to %d", tt.name, every, tt.escapeLo, tt.escape)
		}
		checkChain(t, tt.name, a.Bytes(), sum)
	}
}

// checkChain checks that every line is an entry whose parent is the one before.
func checkChain(t *testing.T, name string, data []byte, sum sessiongen.Summary) {
	t.Helper()
	lines := parse(t, data)
	if len(lines) != sum.Entries+1 {
		t.Fatalf("%s: %d lines for %d entries", name, len(lines), sum.Entries)
	}
	ids := map[string]bool{}
	last := ""
	for i, l := range lines[1:] {
		parent := ""
		if l.ParentID != nil {
			parent = *l.ParentID
		}
		if l.Type != "message" || parent != last || ids[*l.ID] {
			t.Fatalf("%s: entry %d: type %q id %q parent %q, want parent %q", name, i, l.Type, *l.ID, parent, last)
		}
		last = *l.ID
		ids[last] = true
	}
	if last != sum.Leaf {
		t.Errorf("%s: leaf %q, want %q", name, sum.Leaf, last)
	}
}

func TestCorpusCounts(t *testing.T) {
	sum, err := sessiongen.Big(io.Discard, source(1), 110_000_000)
	if err != nil || sum.Entries < 9_095 || sum.Entries > 9_105 {
		t.Errorf("big: %d entries at 110 MB (%v), want 9,100", sum.Entries, err)
	}
	sum, err = sessiongen.Small(io.Discard, source(1), 117_000_000)
	if err != nil || sum.Entries < 182_500 || sum.Entries > 183_500 {
		t.Errorf("small: %d entries at 117 MB (%v), want 183,000", sum.Entries, err)
	}
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestCorpusReportsWriteError(t *testing.T) {
	if _, err := sessiongen.Big(full{}, source(1), 1_000_000); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

func TestDamage(t *testing.T) {
	data := sessiongen.Random(source(5), sessiongen.Options{Clean: true, Entries: 20, Newlines: sessiongen.LF}).Bytes
	original := bytes.Clone(data)
	kinds := map[string]bool{}
	for seed := range uint64(200) {
		out, w := sessiongen.Damage(source(seed), data)
		again, _ := sessiongen.Damage(source(seed), data)
		kinds[w.Kind] = true
		if !bytes.Equal(data, original) {
			t.Fatalf("%s changed its input", w.Kind)
		}
		if bytes.Equal(out, data) || !bytes.Equal(out, again) {
			t.Errorf("seed %d: %+v: no damage or not repeatable", seed, w)
		}
		if !bytes.Equal(out[:w.Offset], data[:w.Offset]) {
			t.Errorf("seed %d: %+v: bytes before the wound changed", seed, w)
		}
		if tail := data[w.Offset+w.Length:]; !bytes.HasSuffix(out, tail) {
			t.Errorf("seed %d: %+v: bytes after the wound changed", seed, w)
		}
	}
	if len(kinds) != 7 {
		t.Errorf("kinds of damage met: %v", kinds)
	}
	for _, f := range []func(*rand.Rand, []byte) ([]byte, sessiongen.Wound){sessiongen.Flip, sessiongen.Cut, sessiongen.Nuls,
		sessiongen.Glue, sessiongen.Drop, sessiongen.Tear, sessiongen.Repeat} {
		if out, _ := f(source(1), nil); len(out) != 0 {
			t.Errorf("damage to nothing gives %q", out)
		}
	}
}

// BenchmarkBig says how fast a corpus is made.
func BenchmarkBig(b *testing.B) {
	b.SetBytes(10_000_000)
	for b.Loop() {
		if _, err := sessiongen.Big(io.Discard, source(1), 10_000_000); err != nil {
			b.Fatal(err)
		}
	}
}
