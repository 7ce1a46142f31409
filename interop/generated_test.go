//go:build peers

package interop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// sessions is how many random sessions each program reads.
const sessions = 300

// TestProgramsReadCleanSessions checks the promise of sessiongen's Clean: the
// dialect's own program opens every such session, sees every entry, the labels,
// the leaf and the tree that the generator wrote, gives a context for every
// leaf, and leaves the file alone.
func TestProgramsReadCleanSessions(t *testing.T) {
	for p, name := range managers() {
		dialect := sessiongen.Dialect(name)
		d := start(t, p)
		dir := t.TempDir()
		failures := 0
		for seed := range uint64(sessions) {
			s := sessiongen.Random(rand.New(rand.NewPCG(seed, 29)), sessiongen.Options{Dialect: dialect, Clean: true})
			if err := readsAll(d, filepath.Join(dir, fmt.Sprint(seed, ".jsonl")), s); err != nil {
				t.Errorf("%s seed %d: %v", p, seed, err)
				if failures++; failures == 10 {
					break
				}
			}
		}
	}
}

// dumped is what a dump says about the shape of a session.
type dumped struct {
	SessionID string                    `json:"sessionId"`
	LeafID    *string                   `json:"leafId"`
	EntryIDs  []string                  `json:"entryIds"`
	Labels    map[string]string         `json:"labels"`
	Tree      []branch                  `json:"tree"`
	Contexts  map[string]jsontext.Value `json:"contexts"`
	LLMs      map[string]jsontext.Value `json:"llms"`
}

type branch struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Children []branch `json:"children"`
}

// readsAll lets the program read one session and compares with what is in it.
func readsAll(d *peers.Driver, path string, s sessiongen.Session) error {
	if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
		return err
	}
	raw, err := d.Call("load", path, map[string]any{"leaves": s.Leaves})
	if err != nil {
		return err
	}
	var got dumped
	if err := json.Unmarshal(raw, &got, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	parents, labels := map[string]string{}, map[string]string{}
	flatten(got.Tree, "", parents, labels)
	want := map[string]any{"id": s.ID, "leaf": s.Leaf(), "ids": s.IDs, "labels": s.Labels, "labels in tree": s.Labels, "parents": s.Parents}
	have := map[string]any{"id": got.SessionID, "leaf": got.LeafID, "ids": got.EntryIDs, "labels": got.Labels, "labels in tree": labels, "parents": parents}
	if err := compare(want, have); err != nil {
		return err
	}
	if len(got.Contexts) != len(s.Leaves) || len(got.LLMs) != len(s.Leaves) {
		return fmt.Errorf("%d contexts, %d conversions for %d leaves", len(got.Contexts), len(got.LLMs), len(s.Leaves))
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	expected := s.Bytes
	if d.Program() != peers.Omp && s.Unterminated {
		expected = append(append([]byte(nil), s.Bytes...), '\n') // pi completes the last line when it opens
	}
	if string(after) != string(expected) {
		return errors.New("opening changed the file")
	}
	return nil
}

// flatten notes every node's parent and label.
func flatten(nodes []branch, parent string, parents, labels map[string]string) {
	for _, n := range nodes {
		parents[n.ID] = parent
		if n.Label != "" {
			labels[n.ID] = n.Label
		}
		flatten(n.Children, n.ID, parents, labels)
	}
}

// compare compares two Go values as JSON.
func compare(want, got any) error {
	w, err := json.Marshal(want)
	if err != nil {
		return err
	}
	g, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return peers.Compare(w, g)
}

// TestProgramsReadTheCorpora checks that the linear corpora are whole sessions
// to both programs: every message is in the context, in both the same.
func TestProgramsReadTheCorpora(t *testing.T) {
	pi, omp := start(t, peers.Pi), start(t, peers.Omp)
	for name, write := range map[string]func(io.Writer, *rand.Rand, int64) (sessiongen.Summary, error){
		"big": sessiongen.Big, "small": sessiongen.Small, "dense": sessiongen.Dense,
	} {
		path := filepath.Join(t.TempDir(), name+".jsonl")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := write(f, rand.New(rand.NewPCG(1, 1)), 2_000_000)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		var messages []jsontext.Value
		for _, d := range []*peers.Driver{pi, omp} {
			call(t, d, "open", path)
			m, _ := jsonedit.Get(call(t, d, "context"), "messages")
			messages = append(messages, m)
			n := 0
			for range jsonedit.Elements(m) {
				n++
			}
			if n != sum.Entries {
				t.Errorf("%s: %s has %d messages in context, want %d", name, d.Program(), n, sum.Entries)
			}
		}
		if err := peers.Compare(messages[0], messages[1]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDriverPassesTextUnharmed(t *testing.T) {
	const message = `{"role":"user","content":"\ud800 \u2028 ` + "\u2028" + ` \u0000 😀","timestamp":1,"n":{"2":1,"1":2}}`
	for _, p := range []peers.Program{peers.Pi, peers.PiNewer, peers.Omp} {
		d := start(t, p)
		call(t, d, "inMemory", "/")
		call(t, d, "message", jsontext.Value(message))
		messages, _ := jsonedit.Get(call(t, d, "context"), "messages")
		if err := peers.Compare(jsontext.Value("["+message+"]"), messages); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		var fault *peers.Fault
		if _, err := d.Call("branch", "nosuch"); !errors.As(err, &fault) || fault.Message != "Entry nosuch not found" {
			t.Errorf("%s: branch to nowhere: %v", p, err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: close: %v", p, err)
		}
		if _, err := os.Stat(d.Home()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: home is left: %v", p, err)
		}
	}
}

// TestCancelEndsAProgramThatNeverReturns uses pi's endless walk of a cycle.
func TestCancelEndsAProgramThatNeverReturns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cycle.jsonl")
	const lines = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}
{"type":"message","id":"a","parentId":"b","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"a"}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"b"}}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d, err := peers.Start(ctx, peers.Pi)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Call("open", path); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := d.Call("getBranch")
		done <- err
	}()
	cancel()
	if err := <-done; err == nil {
		t.Error("the walk of a cycle returned")
	}
	if _, err := d.Call("leaf"); err == nil {
		t.Error("a call after the process ended returned")
	}
	if err := d.Close(); err == nil {
		t.Error("closing a killed process reports nothing")
	}
}
