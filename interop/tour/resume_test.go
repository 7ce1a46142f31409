//go:build peers

package tour_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testTwoTerminals resumes a session in each of two terminals, in the real pi and
// the real omp; then each goes on with its own.
func testTwoTerminals(t *testing.T, h *house) {
	used := map[*shell]string{}
	for name, said := range map[string]string{"Frost watch": "Test it against last April.", "The pump runs dry": "The float switch, then."} {
		s := h.shell(t, "garden", 100, 40)
		s.begin("cambium resume '" + name + "'")
		s.WaitFor(said)
		s.quit()
		used[s] = h.Named(name)[0].Path
	}
	for s, path := range used {
		if got := strings.ReplaceAll(s.run("cambium continue --print"), "\n", ""); got != path {
			t.Errorf("continue found %q, want %q", got, path)
		}
	}
}

// testForkAcross answers the question whether to fork a session of another
// project into this one, by leaving it and by forking it.
func testForkAcross(t *testing.T, h *house) {
	frost := h.Named("Frost watch")[0]
	before, err := os.ReadFile(frost.Path)
	if err != nil {
		t.Fatal(err)
	}
	s := h.shell(t, "bakery", 100, 40)
	const question = "leave it (l)? [l]"
	s.begin("cambium resume 'Frost watch'")
	s.WaitFor(question)
	s.Send("l", "enter")
	s.WaitFor(s.prompted)
	if code := s.code(); code != "6" {
		t.Errorf("after l the exit code is %s, want 6", code)
	}
	s.begin("cambium resume 'Frost watch'")
	s.WaitFor(question)
	s.Send("f", "enter")
	s.WaitFor("Test it against last April.")
	s.quit()
	now, err := os.ReadFile(frost.Path)
	if err != nil || !bytes.Equal(before, now) {
		t.Errorf("the session that was forked changed: %v", err)
	}
	forks, err := filepath.Glob(filepath.Join(h.Home, ".pi/agent/sessions/*-bakery--/*.jsonl"))
	if err != nil || len(forks) != 3 {
		t.Fatalf("%d sessions of pi in the bakery: %v", len(forks), err)
	}
	fork, err := os.ReadFile(forks[2])
	if err != nil {
		t.Fatal(err)
	}
	header, rest, _ := bytes.Cut(fork, []byte("\n"))
	for _, part := range []string{`"cwd":"` + filepath.Join(h.Home, "bakery") + `"`, `"parentSession":"` + frost.Path + `"`} {
		if !bytes.Contains(header, []byte(part)) {
			t.Errorf("the header of the fork has no %s: %s", part, header)
		}
	}
	if _, old, _ := bytes.Cut(before, []byte("\n")); !bytes.HasPrefix(rest, old) {
		t.Error("the entries of the fork are not those of the session")
	}
}
