package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// TestEveryDirectoryNameIsLookedInto keeps a session of each of three projects,
// in the home, in the temporary directory and elsewhere, under every name that
// a program ever gave its directory.
func TestEveryDirectoryNameIsLookedInto(t *testing.T) {
	for _, agent := range places.Names() {
		t.Run(agent, func(t *testing.T) {
			h := newHome(t)
			o := h.options()
			o.Env.TempDir = "/var/tmp"
			o.Agents = []dialect.Name{dialect.Name(agent)}
			place := places.For(agent, o.Env, layout.Overrides{})
			root := strings.TrimPrefix(place.Sessions, h.dir+"/")
			var want []string
			n := 0
			for _, cwd := range []string{h.dir + "/code/tool", "/var/tmp/x", "/srv/a-b:c"} {
				for _, name := range places.DirNames(agent, cwd, o.Env) {
					n++
					id := fmt.Sprintf("id%06d", n)
					h.put(fmt.Sprintf("%s/%s/%d_%s.jsonl", root, name, n, id), header(id, cwd, ""), message("a", "user", "x", ""))
					if cwd == "/srv/a-b:c" {
						want = append(want, id)
					}
				}
			}
			if all := listed(t, o); len(all) != n {
				t.Errorf("%d sessions, want %d", len(all), n)
			}
			o.CWD = "/srv/a-b:c"
			var got []string
			for _, i := range listed(t, o) {
				got = append(got, i.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("of one project %q, want %q", got, want)
			}
		})
	}
}

func TestPinsAndStraySessions(t *testing.T) {
	h := newHome(t)
	u := message("a", "user", "x", "")
	h.put(omp+"-w/1_pinned01.jsonl", header("pinned01", "/w", ""), u)
	h.put(omp+"-w/2_other001.jsonl", header("other001", "/w", ""), u)
	h.put(pi+"w/3_pinned01.jsonl", header("pinned01", "/w", ""), u) // not omp's
	h.put(".omp/agent/session-pins.json", "[", "\t\"pinned01\", 7", "]")
	h.put(".pi/agent/2026-01-02T03-04-05-000Z_stray001.jsonl", header("stray001", "/w", ""), u)
	h.put(".pi/agent/notes.jsonl", `{"n":1}`)
	var got []string
	for _, i := range listed(t, h.options()) {
		got = append(got, fmt.Sprintf("%s %s %v", i.Agent, i.ID, i.Pinned))
	}
	slices.Sort(got)
	want := []string{"omp other001 false", "omp pinned01 true", "pi pinned01 false", "pi stray001 false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
