package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/peers"
	"github.com/google/go-cmp/cmp"
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

// TestPagesAgree sees that the page of incidents and the README say the same of
// the same 67 recipes, counts included, and that Cambium comes through all.
func TestPagesAgree(t *testing.T) {
	page, readme := onPage(t, "doc/incidents.md"), onPage(t, "README.md")
	if diff := cmp.Diff(page, readme); diff != "" {
		t.Errorf("doc/incidents.md and README.md differ (-page +readme):\n%s", diff)
	}
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
	for name, want := range map[string]string{"README.md": string(brief(page)), "doc/incidents.md": scoreLine(page)} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks what follows from its rows:\n%s", name, want)
		}
	}
}
