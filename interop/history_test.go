//go:build peers

package interop_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// A keeper is omp's prompt history in its own process and home.
type keeper struct {
	*testing.T
	home string
	in   io.WriteCloser
	out  *bufio.Reader
}

// kept is a prompt as omp tells it.
type kept struct {
	ID      int64  `json:"id"`
	Prompt  string `json:"prompt"`
	Created int64  `json:"created"`
	CWD     string `json:"cwd"`
	Session string `json:"session"`
}

func startKeeper(t *testing.T, home string) *keeper {
	t.Helper()
	root, err := peers.Root()
	if err == nil {
		err = peers.Omp.Check(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(peers.Omp.Runtime(root), filepath.Join(root, "interop", "history.mjs"))
	cmd.Env, cmd.Dir, cmd.Stderr = peers.Env(home), home, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // that ends it
		_ = cmd.Wait()
	})
	return &keeper{t, home, in, bufio.NewReader(out)}
}

// call has omp do something and decodes the answer.
func (k *keeper) call(op string, into any, args ...any) {
	k.Helper()
	line, err := json.Marshal(map[string]any{"op": op, "args": append([]any{}, args...)})
	if err != nil {
		k.Fatal(err)
	}
	if _, err := k.in.Write(append(line, '\n')); err != nil {
		k.Fatal(err)
	}
	answer, err := k.out.ReadBytes('\n')
	if err != nil {
		k.Fatalf("%s: %v", op, err)
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			k.Fatalf("%s: %v in %.200s", op, err, answer)
		}
	}
}

func (k *keeper) database() string { return filepath.Join(k.home, ".omp", "agent", "history.db") }

// asOmp returns prompts as omp tells them.
func asOmp(all []prompts.Prompt, err error) func(t *testing.T) []kept {
	return func(t *testing.T) []kept {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		list := []kept{}
		for _, p := range all {
			list = append(list, kept{p.ID, p.Text, p.Created.Unix(), p.CWD, p.SessionID})
		}
		return list
	}
}

// seen lists a directory with all that looking could change of it.
func seen(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&all, info.ModTime().UnixNano())
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s %v %d %x\n", e.Name(), info.Mode(), info.ModTime().UnixNano(), data)
	}
	return all.String()
}

// pieces are what prompts and queries are made of.
func pieces() []string {
	return []string{
		"git", "commit", "Commit", "COMMIT", "-m", "wip", "run", "tests", "test", "te", "mit", "100%", "a_b", `\`, `"quoted"`, "über", "Uber", "ÜBER", "日本語",
		"本", "ΟΔΟΣ", "οδος", "Σ", "İstanbul", "istanbul", "🙂", "x1", "1", "é", "e\u0301", "\u00a0", "\n", "\r\n", "  \n", "\t", "naïve", "Straße", "STRASSE", "don't", "(", ")", "*", "AND", "NOT",
	}
}

func phrase(rng *rand.Rand, most int) string {
	all := pieces()
	var b strings.Builder
	for range rng.IntN(most) + 1 {
		b.WriteString(all[rng.IntN(len(all))])
		if rng.IntN(4) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// TestOmpHistory reads the database of the real omp, while that has it open and
// afterwards, asks both the same, and sees that looking changed nothing.
func TestOmpHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	k := startKeeper(t, t.TempDir())
	for i := range 300 {
		k.call("add", nil, phrase(rng, 7), fmt.Sprintf("/work/%d", i%3), fmt.Sprintf("s-%d", i%20))
	}
	k.call("title", nil, "s-1", "The first")
	h, err := prompts.Open(t.Context(), prompts.Options{
		Others: []prompts.Source{{Agent: "omp", Path: k.database(), Parts: true}}, Trouble: func(err error) { t.Error(err) }, Temp: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	queries := []string{"", " ", "%", "_"}
	queries = append(queries, pieces()...)
	for range 150 {
		queries = append(queries, phrase(rng, 3))
	}
	compare := func(queries []string) {
		t.Helper()
		dir := filepath.Dir(k.database())
		for _, n := range []int{0, 1, 10, 5000} {
			var want []kept
			k.call("recent", &want, n)
			before := seen(t, dir)
			if diff := cmp.Diff(want, asOmp(h.Recent(t.Context(), n))(t)); diff != "" {
				t.Errorf("recent %d (-omp +ours):\n%s", n, diff)
			}
			if seen(t, dir) != before {
				t.Error("looking changed something")
			}
		}
		for _, q := range queries {
			var want []kept
			k.call("search", &want, q, 40)
			if diff := cmp.Diff(want, asOmp(h.Search(t.Context(), q, 40))(t)); diff != "" {
				t.Errorf("search %q (-omp +ours):\n%s", q, diff)
			}
		}
		var want []string
		k.call("sessions", &want, "git")
		got, err := h.Sessions(t.Context(), "git", 500)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("sessions %q, %v; omp has %q", got, err, want)
		}
		if titles, err := h.Titles(t.Context()); err != nil || len(titles) != 1 || titles["s-1"] != "The first" {
			t.Errorf("titles %q, %v", titles, err)
		}
	}
	if info, err := os.Stat(k.database() + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("omp has no log: %v", err)
	}
	compare(queries)
	k.call("add", nil, "one more, while ours is open")
	compare([]string{"more", "git"})
	k.call("close", nil)
	compare([]string{"more", "git"})
}

// TestOmpTakesOurHistory has the real omp open a database of ours, and ours go
// on with what it made of it.
func TestOmpTakesOurHistory(t *testing.T) {
	k := startKeeper(t, t.TempDir())
	at := time.Unix(1_771_237_230, 0)
	add := func(texts ...string) {
		t.Helper()
		h, err := prompts.Open(t.Context(), prompts.Options{
			Own: prompts.Source{Agent: "cambium", Path: k.database()}, Now: func() time.Time { return at }, Trouble: func(err error) { t.Error(err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range texts {
			h.Add(p, "/w", "s-1")
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	recent := func(want ...string) {
		t.Helper()
		var rows []kept
		k.call("recent", &rows, 100)
		var got []string
		for _, r := range rows {
			got = append(got, r.Prompt)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("omp finds (-want +got):\n%s", diff)
		}
	}
	add("one", "two", "one")
	recent("one", "two")
	var rows []kept
	if k.call("search", &rows, "tw", 5); len(rows) != 1 || rows[0].CWD != "/w" {
		t.Errorf("omp finds %+v", rows)
	}
	at = time.Unix(1_771_237_240, 0)
	add("two", "three") // omp has it open, and lets no prompt be there twice
	recent("three", "two", "one")
	if k.call("search", &rows, "thr", 5); len(rows) != 1 || rows[0].Session != "s-1" {
		t.Errorf("omp finds %+v", rows)
	}
	k.call("add", nil, "four", "/x", "s-2")
	recent("four", "three", "two", "one")
	k.call("close", nil)
	at = time.Unix(4_000_000_000, 0)
	add("five")
	recent("five", "four", "three", "two", "one")
}
