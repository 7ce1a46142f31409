package arch_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cambium-dev/cambium/internal/arch"
)

// TestSpare: a row says no more than what is.
func TestSpare(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"low/l.go":       "package low\n",
		"disk/d.go":      "package disk\nimport \"m/low\"\n",
		"high/h.go":      "package high\nimport \"m/disk\"\n",
		"high/h_test.go": "package high\nimport \"m/low\"\n",
	} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	problems, err := arch.Spare(root, "m", []arch.Room{
		{Path: "low"}, {Path: "disk", May: []string{"low"}}, {Path: "gone", May: []string{"low"}}, {Path: "high", May: []string{"low", "disk"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "[row gone: there is no such room row high: may import low, and does not]"
	if got := fmt.Sprint(problems); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	chain, err := arch.Chain(root, "m")
	if want := []string{"high", "disk", "low"}; err != nil || !slices.Equal(chain, want) {
		t.Errorf("chain %v, %v, want %v", chain, err, want)
	}
}
