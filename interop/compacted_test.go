//go:build peers

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// TestCompactedSessionsOpen appends a compaction to random sessions: the program
// sees the same context then as Cambium, and pi carries over the same system
// message when it compacts there itself.
func TestCompactedSessionsOpen(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			dir, done := t.TempDir(), 0
			each(t, p, name, func(s *summed, rng *rand.Rand) {
				leaf := rng.IntN(s.list.Len())
				path := s.tree.Path(leaf, tree.Strict)
				ours, err := s.rules.Prepare(s.list, path, compact.Settings{KeepRecent: 100})
				if err != nil {
					return
				}
				done++
				file := filepath.Join(dir, fmt.Sprint(s.seed, ".jsonl"))
				if err := s.compacted(file, leaf, ours); err != nil {
					t.Errorf("seed %d, entry %d: %v", s.seed, leaf, err)
				}
			})
			if done < compacted/4 {
				t.Errorf("only %d sessions were compacted", done)
			}
		})
	}
}

// compacted writes the session with the compaction at its end and compares what
// both see there.
func (s *summed) compacted(file string, leaf int, p *compaction.Preparation) error {
	const now = 1_800_000_000_000
	parent := s.id(leaf)
	line, err := entry.Encode(nil, entry.Stamp{ID: "c0c0c0c0", Parent: &parent, Time: now}, p.Body(compact.Result{Summary: "What was said.", Time: now}))
	if err != nil {
		return err
	}
	lines := [][]byte{[]byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}`)}
	for i := range s.list.Len() {
		stored, err := s.list.Load(i)
		if err != nil {
			return err
		}
		lines = append(lines, stored)
	}
	lines = append(lines, bytes.TrimSpace(line))
	if err := os.WriteFile(file, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		return err
	}
	if _, err := s.driver.Call("open", file); err != nil {
		return err
	}
	theirs, err := s.driver.Call("contextAt", "c0c0c0c0")
	if err != nil {
		return err
	}
	l, err := entry.NewList(lines[1:])
	if err != nil {
		return err
	}
	c, err := replay.Build(l, tree.New(l, nil).Path(l.Len()-1, tree.Strict), s.agent)
	if err != nil {
		return err
	}
	var messages jsonedit.Array
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		messages.Add(m.JSON)
	}
	if err := peers.Compare(get(theirs, "messages"), messages.Value()); err != nil {
		return err
	}
	if s.driver.Program() != peers.Pi {
		return nil
	}
	return s.samePrompt(leaf, line)
}

// samePrompt lets pi compact where Cambium did and compares the system messages.
func (s *summed) samePrompt(leaf int, line jsontext.Value) error {
	if _, err := s.driver.Call("branch", s.id(leaf)); err != nil {
		return err
	}
	first, _ := jsonedit.Text(line, "firstKeptEntryId")
	id, err := s.driver.Call("compaction", "What was said.", first, 1)
	if err != nil {
		return err
	}
	name, _ := jsonedit.String(id)
	theirs, err := s.driver.Call("entry", name)
	if err != nil {
		return err
	}
	want, ok := jsonedit.Get(theirs, "systemMessage")
	got, also := jsonedit.Get(line, "systemMessage")
	if ok != also {
		return fmt.Errorf("system message %s, want %s", got, want)
	}
	if !ok {
		return nil
	}
	want, _ = jsonedit.Scrub(want) // a lone surrogate is lost where texts are joined
	return peers.Compare(jsonedit.Delete(want, "timestamp"), jsonedit.Delete(got, "timestamp"))
}
