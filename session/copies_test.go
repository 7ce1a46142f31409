package session_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

var copies = flag.Int("copies", 60, "how many damaged sessions TestCopiesMeanTheSame copies")

// TestCopiesMeanTheSame: a fork, a conversion and a move of a damaged session give
// the tree and the context of the session, leaf by leaf, also to a program that
// takes links as they are written.
func TestCopiesMeanTheSame(t *testing.T) {
	linked := 0
	for seed := range uint64(*copies) {
		data, name := sessiontest.Damaged(seed)
		dir := t.TempDir()
		path := filepath.Join(dir, "damaged.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := session.Options{Env: env(dir), Dialect: dialect.Name(name), ReadOnly: true}
		s, err := session.Open(t.Context(), path, o)
		if errors.Is(err, session.ErrNotSession) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !defects.Of(s.Damage()).HeaderRebuilt {
			linked += len(defects.Of(s.Damage()).Healed)
			copyAll(t, seed, s, o)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if linked < *copies/4 {
		t.Errorf("only %d links were missing in %d sessions", linked, *copies)
	}
}

// copyAll copies a session in every way.
func copyAll(t *testing.T, seed uint64, s *session.Session, o session.Options) {
	t.Helper()
	check := func(how string, copied *session.Session) {
		t.Helper()
		if err := sessiontest.Same(s, copied); err != nil {
			t.Errorf("seed %d, %s: %v", seed, how, err)
		}
	}
	fork := o
	fork.ReadOnly, fork.Dir = false, filepath.Join(filepath.Dir(s.Path()), "forks")
	copied, err := session.ForkFrom(t.Context(), s.Path(), s.CWD(), fork)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	check("ForkFrom", copied)
	moved := t.TempDir()
	if _, _, err := copied.Fork(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("Fork", copied)
	if err := copied.Move(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	check("Move", copied)
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
	for _, to := range []dialect.Name{dialect.Pi, dialect.Omp, dialect.Xcsh, dialect.Cambium} {
		done, err := s.Convert(t.Context(), session.ConvertOptions{To: to, Path: filepath.Join(moved, string(to)+".jsonl"),
			Directories: layout.Overrides{AgentDir: filepath.Join(moved, "agent")}})
		if err != nil {
			t.Fatalf("seed %d, to %s: %v", seed, to, err)
		}
		if n := len(defects.Of(s.Damage()).Healed); n > 0 && done.Report.Counts["linked"] < n {
			t.Errorf("seed %d, to %s: %d links are reported, want %d", seed, to, done.Report.Counts["linked"], n)
		}
		converted := open(t, done.Path, session.Options{Env: o.Env, ReadOnly: true, Dialect: to})
		if to == s.Dialect() {
			check("Convert", converted)
		} else if err := sessiontest.SameTree(s, converted); err != nil {
			t.Errorf("seed %d, to %s: %v", seed, to, err)
		}
	}
	branches(t, seed, s, fork)
}

// branches copies each branch alone.
func branches(t *testing.T, seed uint64, s *session.Session, o session.Options) {
	t.Helper()
	for n, tip := range s.Tree().Tips() {
		id, has := s.List().ID(tip)
		if !has || s.List().Find(id) != tip || n > 4 {
			continue
		}
		copied, err := session.ForkBranch(t.Context(), s.Path(), s.CWD(), id, o)
		if errors.Is(err, session.ErrNotFound) {
			continue // labels only
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := sessiontest.SameContext(s, tip, copied, copied.Len()-1, false); err != nil {
			t.Errorf("seed %d, branch to %s: %v", seed, id, err)
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
