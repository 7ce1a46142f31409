//go:build peers

package interop_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/replay"
)

// lived is how many random sessions an agent lives in, for each program.
const lived = 40

// idle is a driver that asks no model.
type idle struct{}

func (idle) Stop(context.Context) error                             { return nil }
func (idle) SetSessionID(string)                                    {}
func (idle) SetModel(context.Context, replay.Model) error           { return nil }
func (idle) SetThinking(context.Context, string) error              { return nil }
func (idle) Remember() func()                                       { return func() {} }
func (idle) ReplaceMessages(context.Context, *replay.Context) error { return nil }
func (idle) SetServiceTier(context.Context, entry.JSON) error       { return nil }
func (idle) Limits() (window, answer int)                           { return 4000, 500 }
func (idle) Complete(_ context.Context, r compact.Request) (agent.Completion, error) {
	text := fmt.Sprintf("In %d characters | it | was said:\n\n\n  - that `a < b`.", len(r.Prompt))
	return agent.Completion{Text: text, Usage: entry.JSON(zeroUsage)}, nil
}

const zeroUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// TestWhatAnAgentWritesIsRead has an agent live in random sessions of the programs:
// compacted twice, pruned, recovered from an overflow, moved about in the tree with
// and without summaries, and begun anew. The program reads the same in all of them.
func TestWhatAnAgentWritesIsRead(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			k := newDesk(t, p, name)
			done := map[string]int{}
			for seed := range uint64(lived) {
				rng := rand.New(rand.NewPCG(seed, 77))
				g := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialect(name), Entries: 30, Clean: true, Appendable: true})
				path := filepath.Join(k.dir, fmt.Sprint(seed, ".jsonl"))
				if err := os.WriteFile(path, g.Bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				if !k.live(path, rng, done) || t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%s: %v", name, done)
			for _, what := range []string{"compact", "navigate", "recover"} {
				if done[what] < lived/4 {
					t.Errorf("%s: %d times only", what, done[what])
				}
			}
		})
	}
}

// live is the life of an agent in one session.
func (k *desk) live(path string, rng *rand.Rand, done map[string]int) bool {
	ctx := k.t.Context()
	o := k.options()
	a := agent.New(agent.Options{
		Driver: idle{}, Compactor: idle{}, Session: o,
		Settings: agent.Settings{Compaction: compact.Settings{KeepRecent: 60}},
	})
	if err := a.Start(ctx, agent.Start{Path: path}); err != nil {
		k.t.Error(err)
		return false
	}
	defer func() { _ = a.Close(ctx) }() // it was flushed
	say := func(role, text string) {
		m := new(jsonedit.Object).String("role", role)
		if role == "assistant" {
			m.Add("content", new(jsonedit.Array).Add(new(jsonedit.Object).String("type", "text").String("text", text).Value()).Value())
			m.String("api", "a").String("provider", "p").String("model", "m").Add("usage", entry.JSON(zeroUsage)).String("stopReason", "stop")
		} else {
			m.String("content", text)
		}
		if _, err := a.Session().Append(ctx, &entry.MessageBody{Message: m.Int("timestamp", 1_800_000_000_000).Value()}); err != nil {
			k.t.Error(err)
		}
	}
	for range 12 {
		what, err := k.act(ctx, a, rng, say)
		switch {
		case err == nil:
			done[what]++
		case errors.Is(err, compact.ErrNothing), errors.Is(err, compact.ErrCompacted), errors.Is(err, agent.ErrOverflow):
		default:
			k.t.Errorf("%s: %v", what, err)
			return false
		}
	}
	if err := a.Session().Flush(ctx); err != nil {
		k.t.Error(err)
	}
	now := a.Session().Path()
	return k.same(path, "after an agent") && (now == path || !a.Session().OnDisk() || k.same(now, "begun by an agent"))
}

// act is one thing that happens in an agent's life.
func (k *desk) act(ctx context.Context, a *agent.Agent, rng *rand.Rand, say func(role, text string)) (string, error) {
	s := a.Session()
	text := strings.Repeat("words and ", 1+rng.IntN(12))
	switch n := rng.IntN(12); {
	case n < 4:
		say("user", text)
		say("assistant", text)
		return "talk", nil
	case n < 7:
		_, err := a.Compact(ctx, agent.CompactOptions{Reason: []agent.CompactReason{agent.Manual, agent.Threshold}[rng.IntN(2)]})
		return "compact", err
	case n < 8:
		say("user", text)
		_, err := a.Recover(ctx)
		return "recover", err
	case n < 9 && k.name == dialect.Pi: // elsewhere the edits are Cambium's own
		pruned, _, err := a.Prune(ctx)
		if len(pruned) == 0 {
			return "prune nothing", err
		}
		return "prune", err
	case n < 11:
		if s.Len() == 0 {
			return "nothing", nil
		}
		id, ok := s.List().ID(rng.IntN(s.Len()))
		if !ok {
			return "nothing", nil
		}
		_, err := a.Navigate(ctx, id, agent.NavigateOptions{Summarize: rng.IntN(2) == 0})
		return "navigate", err
	}
	if rng.IntN(3) > 0 {
		return "nothing", nil
	}
	_, err := a.New(ctx, true)
	return "new", err
}

// TestInterruptedTurnIsEndedAlike lets omp and an agent go on with the same session,
// whose last turn was cut off: both see the same context.
func TestInterruptedTurnIsEndedAlike(t *testing.T) {
	k := newDesk(t, peers.Omp, dialect.Omp)
	path := filepath.Join(k.dir, "cut.jsonl")
	lines := []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}`,
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"go","timestamp":1}}`,
		`{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"t","name":"bash","arguments":{"command":"ls"}}],"api":"a","provider":"p","model":"m","usage":` + zeroUsage + `,"stopReason":"toolUse","timestamp":2}}`,
		`{"type":"custom","customType":"session_exit","data":{"reason":"SIGTERM","kind":"signal","recordedAt":"2026-01-02T03:04:08.000Z"},"id":"x1","parentId":"a1","timestamp":"2026-01-02T03:04:08.000Z"}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := agent.New(agent.Options{Driver: idle{}, Session: k.options()})
	if err := a.Start(t.Context(), agent.Start{Path: path}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"stopReason":"aborted"`) {
		t.Errorf("nothing was appended: %s", text)
	}
	k.same(path, "after a turn that was cut off")
}

// TestPrunedSessionIsRead has an agent prune a session of pi, which has an entry of
// its own for that.
func TestPrunedSessionIsRead(t *testing.T) {
	k := newDesk(t, peers.Pi, dialect.Pi)
	path := filepath.Join(k.dir, "pruned.jsonl")
	lines := []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}`,
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"go","timestamp":1}}`,
	}
	parent := "u1"
	for i := range 4 {
		lines = append(lines,
			fmt.Sprintf(`{"type":"message","id":"c%d","parentId":%q,"timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t%d","name":"bash","arguments":{"command":"ls"}}],"api":"a","provider":"p","model":"m","usage":%s,"stopReason":"toolUse","timestamp":2}}`, i, parent, i, zeroUsage),
			fmt.Sprintf(`{"type":"message","id":"r%d","parentId":"c%d","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"toolResult","toolCallId":"t%d","toolName":"bash","content":[{"type":"text","text":%q}],"isError":false,"timestamp":3}}`, i, i, i, strings.Repeat("word", 25_000)))
		parent = fmt.Sprintf("r%d", i)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := agent.New(agent.Options{Driver: idle{}, Session: k.options()})
	if err := a.Start(t.Context(), agent.Start{Path: path}); err != nil {
		t.Fatal(err)
	}
	pruned, _, err := a.Prune(t.Context())
	if err = errors.Join(err, a.Close(t.Context())); err != nil || len(pruned) != 2 {
		t.Fatal(pruned, err)
	}
	k.same(path, "after pruning")
}
