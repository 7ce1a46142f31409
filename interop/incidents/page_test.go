//go:build linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
)

// onPage reads the table that a page has: verdicts, and which were recorded.
func onPage(t *testing.T, name string) map[string]map[string]Result {
	t.Helper()
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^\| (M\d\d) \| (.*) \|$`)
	cell := regexp.MustCompile(`^\**([A-Z ]+?)\**(\\\*)?(?: .*)?$`)
	table := map[string]map[string]Result{}
	for line := range strings.Lines(string(data)) {
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(m[2], `\|`, "/"), " | ")
		if len(cells) != 5 {
			t.Fatalf("%s: %s has %d cells", name, m[1], len(cells))
		}
		table[m[1]] = map[string]Result{}
		for i, who := range columns() {
			v := cell.FindStringSubmatch(cells[i+1])
			if v == nil {
				t.Fatalf("%s: %s: no verdict in %q", name, m[1], cells[i+1])
			}
			table[m[1]][who] = Result{Verdict: Verdict(v[1]), Recorded: v[2] != ""}
		}
	}
	return table
}

// TestPage sees that the page of incidents has all 67 recipes, that its counts follow
// from its rows, and that Cambium comes through all.
func TestPage(t *testing.T) {
	page := onPage(t, "doc/incidents.md")
	for _, r := range Recipes() {
		if page[r.ID] == nil {
			t.Errorf("%s is not on the page", r.ID)
		}
	}
	if good, all, measured := score(page, "cambium"); good != 67 || all != 67 || measured != 67 || len(Recipes()) != 67 {
		t.Errorf("cambium: %d of %d, %d measured, %d recipes", good, all, measured, len(Recipes()))
	}
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "doc/incidents.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{string(counts(page)), scoreLine(page)} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page lacks what follows from its rows:\n%s", want)
		}
	}
}
