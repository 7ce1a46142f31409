//go:build peers

package interop_test

import (
	cryptorand "crypto/rand"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

var repaired = flag.Int("repaired", 100, "how many damaged sessions TestRepairedOpens repairs for each program")

// What a repair leaves as it is, and what it costs in the program.
const (
	leftTwins   = "an id that two entries have: the program's tree shows one of them twice"
	leftModel   = "an answer without its provider or model: the program takes a model that has no name"
	leftMessage = "a message that is none: the program does not open the session"
	leftCycle   = "a cycle of parents: pi goes round it for ever, omp stops at the first entry that comes again"
)

// TestRepairedOpens damages sessions and repairs them: the program opens each of
// them and says of it what Cambium says of it. It has the tree and the context that
// it had before the repair. What is left as it is has a name above: only that part is
// not compared, and a session that is not compared at all is rare.
func TestRepairedOpens(t *testing.T) {
	for p, name := range managers() {
		d := start(t, p)
		failures, left := 0, map[string]int{}
		for seed := range uint64(*repaired) {
			rng := rand.New(rand.NewPCG(seed, 53))
			s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialect(name), Clean: true, Entries: 10 + rng.IntN(60), Appendable: true})
			data := s.Bytes
			for range 1 + rng.IntN(3) {
				data, _ = sessiongen.Damage(rng, data)
			}
			if err := openRepaired(t, d, name, data, left); err != nil {
				t.Errorf("%s seed %d: %.1500s", p, seed, err)
				if failures++; failures == 10 {
					break
				}
			}
		}
		t.Logf("%s: %d sessions", p, *repaired)
		for what, n := range left {
			t.Logf("%s: %d with %s", p, n, what)
		}
		if n := left[leftMessage] + left[leftCycle]; n > 1+*repaired/50 {
			t.Errorf("%s: %d of %d sessions were not compared", p, n, *repaired)
		}
	}
}

// openRepaired repairs a file and compares what the program and Cambium say of it.
// It counts what it does not compare.
func openRepaired(t *testing.T, d *peers.Driver, name dialect.Name, data []byte, left map[string]int) error {
	t.Helper()
	dir := t.TempDir()
	path, was := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "was.jsonl")
	if err := errors.Join(os.WriteFile(path, data, 0o600), os.WriteFile(was, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	env := layout.Env{Home: filepath.Join(dir, "home"), Cwd: dir, Getenv: func(string) string { return "" }}
	o := session.Options{ReadOnly: true, Dialect: name, Env: env}
	before, err := session.Open(t.Context(), was, o)
	if errors.Is(err, session.ErrNotSession) {
		return nil
	}
	if err != nil {
		return err
	}
	defer before.Close()
	doctor := repair.New(repair.Options{Env: env, Keeper: state.New(state.Options{
		Dir: places.Own(env).State, Now: time.Now, Random: cryptorand.Reader,
	})})
	reports, err := doctor.Session(t.Context(), path)
	if err != nil {
		return err
	}
	if err := doctor.Fix(t.Context(), reports[0]); err != nil {
		return err
	}
	after, err := session.Open(t.Context(), path, o)
	if err != nil {
		return err
	}
	defer after.Close()
	if err := sessiontest.Same(before, after); err != nil {
		return fmt.Errorf("repaired: %w", err)
	}
	return sameThere(t, d, name, after, left)
}

// sameThere compares what the program and Cambium say of a repaired session.
func sameThere(t *testing.T, d *peers.Driver, name dialect.Name, s *session.Session, left map[string]int) error {
	t.Helper()
	harm := defects.Of(s.Damage())
	if len(harm.Cycles) > 0 {
		left[leftCycle]++
		return nil
	}
	var leaves []string
	for _, tip := range s.Tree().Tips() {
		if id, has := s.List().ID(tip); has {
			leaves = append(leaves, id)
		}
	}
	got, err := oursOf(t, s.Path(), name, leaves)
	if err != nil {
		return err
	}
	want, err := theirs(d, s.Path(), leaves)
	if err != nil {
		none, noneErr := noMessage(s)
		if !none {
			return errors.Join(err, noneErr)
		}
		left[leftMessage]++
		return nil
	}
	if len(harm.Duplicates) > 0 {
		left[leftTwins]++
		delete(want, "tree")
		delete(got, "tree")
	}
	if withoutHalfModel(want, got) {
		left[leftModel]++
	}
	data, err := os.ReadFile(s.Path())
	if err != nil {
		return err
	}
	leafBeforeExit(want, got, data)
	return agree(want, got)
}

// noMessage reports whether a session has a message that is no object, or one of a
// role that speaks without content.
func noMessage(s *session.Session) (bool, error) {
	for i := range s.Len() {
		if s.List().Kind(i) != entry.Message {
			continue
		}
		line, err := s.Stored(i)
		if err != nil {
			return false, err
		}
		said, _ := jsonedit.Get(line, "message")
		content, _ := jsonedit.Get(said, "content")
		switch s.List().Role(i) {
		case entry.RoleUser, entry.RoleAssistant, entry.RoleToolResult:
			if kind := jsonedit.Kind(content); kind != '[' && kind != '"' {
				return true, nil
			}
		}
		if jsonedit.Kind(said) != '{' {
			return true, nil
		}
	}
	return false, nil
}

// withoutHalfModel takes out of both a model that lacks its provider or its name in
// the program: Cambium passes over such an answer, and keeps the model before it.
func withoutHalfModel(theirs, ours view) bool {
	found := false
	for part, context := range theirs {
		if !strings.HasPrefix(part, "context") {
			continue
		}
		model := get(context, "model")
		if jsonedit.Kind(model) != '{' || whole(model) || ours[part] == nil {
			continue
		}
		if kept := get(ours[part], "model"); !jsonedit.IsNull(kept) && !whole(kept) {
			continue // it is no better here
		}
		found = true
		theirs[part], ours[part] = jsonedit.Delete(context, "model"), jsonedit.Delete(ours[part], "model")
	}
	return found
}

// whole reports whether a model has a provider and a name.
func whole(model jsontext.Value) bool {
	_, provider := jsonedit.Text(model, "provider")
	_, id := jsonedit.Text(model, "modelId")
	return provider && id
}
