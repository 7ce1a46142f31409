package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/print"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// listed are the ids of the sessions that a command line lists, in short, in order.
func (m *machine) listed(t *testing.T, args ...string) (ids []string) {
	t.Helper()
	stdout, stderr, code := m.run(append(args, "--json")...)
	if code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	for line := range strings.Lines(stdout) {
		id, _ := jsonedit.Text([]byte(line), "id")
		ids = append(ids, id[:8])
	}
	return ids
}

// TestListIsChosen: which sessions the flags of ls choose, and in which order.
func TestListIsChosen(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	const garden, plot, rooms = "0195643c", "0195643d", "19c0b2f4"
	for _, test := range []struct {
		args string
		want []string
	}{
		{"", []string{rooms, plot, garden}},
		{"--since 2026-03-07", []string{rooms, plot}},
		{"--since 1d", []string{rooms}},
		{"--before 2026-03-07", []string{garden}},
		{"--since 2026-03-06 --before 2026-03-08", []string{plot, garden}},
		{"--project GARDEN", []string{rooms, garden}},
		{"--project garden --before yesterday", []string{garden}},
		{"--project nowhere", nil},
		{"--min-cost 1000000", nil},
		{"project:garden", []string{rooms, garden}},
		{"agent:pi", []string{garden}},
		{"agent:pi --since 2026-03-07", nil},
		{"has:name project:garden", []string{rooms, garden}},
		{"has:name has:pin", []string{rooms, plot, garden}},
		{"has:pin", nil},
		{"cost:1000000", nil},
		{"cost:<1000000 agent:pi", []string{garden}},
		{"zzzzzz", nil},
	} {
		if diff := cmp.Diff(test.want, m.listed(t, append([]string{"ls"}, strings.Fields(test.args)...)...)); diff != "" {
			t.Errorf("ls %s: (-want +got)\n%s", test.args, diff)
		}
	}
	for key, number := range map[string]string{"size": "size", "messages": "messageCount"} {
		stdout, _, _ := m.run("ls", "--json", "--sort", key)
		var all []int64
		for line := range strings.Lines(stdout) {
			v, _ := jsonedit.Get([]byte(line), number)
			n, _ := jsonedit.Int(v)
			all = append(all, -n)
		}
		if len(all) != 3 || !slices.IsSorted(all) {
			t.Errorf("--sort %s: %d", key, all)
		}
	}
	if most, some := m.listed(t, "ls", "--sort", "size"), m.listed(t, "ls", "--sort", "size", "-n", "2"); !slices.Equal(most[:2], some) {
		t.Errorf("of %q the first two are %q", most, some)
	}
	for _, bad := range [][]string{{"ls", "--since", "never"}, {"ls", "--sort", "luck"}, {"ls", "role:nobody"}, {"ls", "roel:user"}, {"ls", "has:wings"}, {"ls", "--columns", "id,luck"}, {"ls", "--since", ""}} {
		if stdout, stderr, code := m.run(bad...); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%q: exit code %d, %q, %q", bad, code, stdout, stderr)
		}
	}
}

// TestOneQuery: a query finds the same sessions for search and ls.
func TestOneQuery(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	found := 0
	for _, query := range []string{
		"the", "the role:user", "role:user -the", "project:garden", "agent:omp", "re:[a-z]+ing", `"of the"`, "tool:bash", "after:2026-03-01",
		"before:2026-03-06", "file:notes", "file:a* file:the", "has:name", "-has:name", "cost:<1", "label:a*", "model:oak", "in:title the", "wat*", "zzzzzz", "role:summary",
	} {
		stdout, stderr, code := m.run("search", "--json", "-n", "0", "--each", "1", "--", query)
		if code != 0 && code != 3 {
			t.Fatalf("search %s: exit code %d: %s", query, code, stderr)
		}
		var want []string
		for line := range strings.Lines(stdout) {
			path, ok := jsonedit.Text([]byte(line), "path")
			if !ok {
				t.Fatalf("search %s: %s", query, line)
			}
			want = append(want, path)
		}
		stdout, stderr, code = m.run("ls", "-0", "--", query)
		if code != 0 {
			t.Fatalf("ls %s: exit code %d: %s", query, code, stderr)
		}
		got := strings.FieldsFunc(stdout, func(r rune) bool { return r == 0 })
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(slices.Compact(want), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-search +ls)\n%s", query, diff)
		}
		found += len(got)
	}
	if found < 8 {
		t.Errorf("%d sessions were found", found)
	}
}

// TestPipedIsWhole: what goes to a program is not cut, unless COLUMNS says how wide it may
// be.
func TestPipedIsWhole(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	title := strings.Repeat("a long name ", 20) + "ends here"
	if _, stderr, code := m.run("rename", "0195643c", title); code != 0 {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{{"ls"}, {"recent", "--all"}, {"search", "in:title", "ends"}} {
		stdout, stderr, code := m.run(args...)
		if code != 0 || strings.Contains(stdout, title) {
			t.Errorf("%q on 80 columns: exit code %d, %s%s", args, code, stdout, stderr)
		}
		m.env = append(m.env, "COLUMNS=")
		if stdout, stderr, code = m.run(args...); code != 0 || !strings.Contains(stdout, title) {
			t.Errorf("%q: exit code %d, %s%s", args, code, stdout, stderr)
		}
		m.env = m.env[:len(m.env)-1]
	}
}

// TestSearchAround: what was said around a hit goes to programs too.
func TestSearchAround(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	stdout, stderr, code := m.run("search", "--json", "-C", "1", "--each", "1", "clock agent:pi")
	if code != 0 || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for place, want := range map[string]string{
		"before.0.entryId": "4d000005", "before.0.who": "assistant", "after.0.entryId": "5e000002",
		"after.0.text": "Now the same for the pump — 水泵 and its 测试, please.", "entryId": "5e000001",
	} {
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Fatal(err)
		}
		for step := range strings.SplitSeq(place, ".") {
			switch at := v.(type) {
			case []any:
				v = nil
				if len(at) == 1 {
					v = at[0]
				}
			case map[string]any:
				v = at[step]
			}
		}
		if !strings.HasPrefix(fmt.Sprint(v), want) {
			t.Errorf("%s: %v, want %s", place, v, want)
		}
	}
	if stdout, _, _ = m.run("search", "--json", "--each", "1", "clock agent:pi"); strings.Contains(stdout, `"before"`) {
		t.Errorf("nobody asked for what stands around: %s", stdout)
	}
}

// TestColumns: the columns that are asked for are told, in that order, in whatever room
// there is; a program gets them whole, with tabs between.
func TestColumns(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	names := print.Columns()
	for _, cols := range []int{20, 24, 40, 60, 79, 120, 300} {
		m.env = append(m.env, fmt.Sprintf("COLUMNS=%d", cols))
		stdout, stderr, code := m.run("ls", "--columns", strings.Join(names, ","))
		if code != 0 || strings.Count(stdout, "\n") != 4 {
			t.Errorf("%d cells: exit code %d: %s%s", cols, code, stdout, stderr)
		}
		fits(t, stdout, cols)
	}
	m.env = append(m.env, "COLUMNS=")
	stdout, stderr, code := m.run("ls", "--columns", "agent,directory", "--columns", "name")
	if want := "AGENT\tDIRECTORY\tNAME\ncambium\t/work/garden\t[+14] Names for the rooms\nomp\t/work/map\tColours of the map\n" +
		"pi\t/work/garden\t[+1] Valve test that fails now and then\n"; code != 0 || stdout != want {
		t.Errorf("exit code %d: %q, want %q; %s", code, stdout, want, stderr)
	}
}

// TestNothingFoundOffers: where nothing is found, what is near and finds something is
// offered, and nothing of it is mixed in; the offers can be pasted.
func TestNothingFoundOffers(t *testing.T) {
	t.Parallel()
	m := furnished(t)
	path := filepath.Join(m.home, ".pi/agent/sessions/--work-n--/2026-03-01T09-00-00-000Z_nnn.jsonl")
	write(t, path, []byte(
		`{"type":"session","version":3,"id":"nnn00001","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/work/n"}`+"\n"+
			`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"a naïve walk down the Straße, ｗｉｄｅ \u202ekcolc"}}`+"\n"))
	old := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil { // what changed just now is not kept in an index
		t.Fatal(err)
	}
	for _, test := range []struct{ query, want string }{
		{"naive", "`cambium search 'naïve'` finds something"},
		{"walk naive", "`cambium search 'walk naïve'` finds something"},
		{"strasse role:user", "`cambium search 'straße role:user'` finds something"},
		{"strasse role:tool", ""}, // it stands elsewhere
		{"wide", "`cambium search 'ｗｉｄｅ'` finds something"},
		{"clokc", "`cambium search clock` finds something"},
		{"zzzzzzzz", ""},
		{"re:naive", ""},
	} {
		for range 2 { // the index has the texts, or has them after the first search
			stdout, stderr, code := m.run("search", test.query)
			want := fmt.Sprintf("cambium: nothing found for %q", test.query)
			if test.want != "" {
				want += "; " + test.want
			}
			if code != 3 || stdout != "" || stderr != want+"\n" {
				t.Errorf("%s: exit code %d, %s%s, want %s", test.query, code, stdout, stderr, want)
			}
		}
	}
	stdout, stderr, code := m.run("search", "--json", "naive")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "naïve") {
		t.Errorf("exit code %d, %s, %s", code, stdout, stderr)
	}
}
