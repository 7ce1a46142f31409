package spelling_test

import (
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// TestOfConverted: a converted session says in its header whose it is now; the
// home it lies in still comes first.
func TestOfConverted(t *testing.T) {
	l, err := entry.NewList([][]byte{[]byte(`{"type":"session_info","id":"a","parentId":null,"name":"N"}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		header string
		home   dialect.Name
		want   dialect.Name
	}{
		{`{"type":"session","id":"s","cambium":{"agent":"xcsh"}}`, "", dialect.Xcsh},
		{`{"type":"session","id":"s","cambium":{"agent":"xcsh"}}`, dialect.Omp, dialect.Omp},
		{`{"type":"session","id":"s","cambium":{"agent":"nobody"}}`, "", dialect.Pi},
		{`{"type":"session","id":"s","cambium":7}`, "", dialect.Pi},
	} {
		h, _ := entry.ParseHeader([]byte(c.header))
		if got := spelling.Of(c.home, l, h).Name; got != c.want {
			t.Errorf("%s in %q: got %s, want %s", c.header, c.home, got, c.want)
		}
	}
}
