package sessiongen_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

func TestStore(t *testing.T) {
	const n, size = 60, 3_000_000
	total, homes, paths := 0, map[string]int{}, map[string]bool{}
	for p := range sessiongen.Store(rand.New(rand.NewPCG(1, 2)), n, size, "pi", "omp") {
		var b bytes.Buffer
		if _, err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		total += b.Len()
		homes[strings.SplitN(p.Path, "/", 2)[0]]++
		paths[p.Path] = true
		for i, line := range bytes.Split(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n")) {
			var e entry.Envelope
			if err := e.Scan(line); err != nil || (e.Kind == entry.Session) != (i == 0) {
				t.Fatalf("%s line %d: %v: %s", p.Path, i+1, err, line)
			}
		}
	}
	if len(paths) != n || homes[".pi"] != n/2 || homes[".omp"] != n/2 {
		t.Errorf("%d files, by home %v", len(paths), homes)
	}
	if total < size/2 || total > 2*size {
		t.Errorf("%d bytes, want about %d", total, size)
	}
}
