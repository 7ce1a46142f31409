package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSwitchOrder(t *testing.T) {
	r := newRig(t)
	r.tell()
	there := r.there()
	r.start(r.here())
	r.fill()
	before := r.agent.Session()
	ok, err := r.agent.Switch(context.Background(), "there.jsonl")
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	r.wantSteps(
		"session_before_switch resume there.jsonl", "disconnect", "stop", "id there",
		"session_switch resume here.jsonl at there.jsonl", "messages 2", "model p/big", "thinking high", "mode plan",
		`todos ["there"]`, "visit there.jsonl true", "connect",
	)
	got := r.state()
	if got.Queued != nil || got.Path != there || !got.Writable || got.Session == before {
		t.Errorf("state: %+v", got)
	}
	// The level of the settings, clamped, is appended.
	if text := r.disk()[there]; !strings.Contains(text, `"thinkingLevel":"high"`) || strings.Count(text, "\n") != 7 {
		t.Errorf("file: %s", text)
	}
	if _, err := before.Append(context.Background(), user("x")); !errors.Is(err, session.ErrClosed) {
		t.Errorf("the session before is open: %v", err)
	}
	if data := string(r.agent.Mode().Data); data != `{"file":"x"}` {
		t.Errorf("mode data %s", data)
	}
}

// Whichever step fails, the agent is where it was and the target is not touched.
func TestSwitchFailsAtEachStep(t *testing.T) {
	for _, same := range []bool{false, true} {
		for n := 1; ; n++ {
			r := newRig(t)
			path := r.there()
			here := r.here()
			if same {
				path = here
			}
			r.start(here)
			r.fill()
			if err := r.agent.Session().MoveLeaf("u1"); err != nil {
				t.Fatal(err)
			}
			was, disk := r.state(), r.disk()
			r.fail = n
			ok, err := r.agent.Switch(context.Background(), path)
			if err == nil && ok && r.fail > 0 {
				if n <= 4 {
					t.Errorf("same %v: only %d steps can fail", same, n-1)
				}
				break
			}
			if !errors.Is(err, errInjected) || ok {
				t.Fatalf("same %v, step %d: %v, %v", same, n, ok, err)
			}
			now := r.state()
			if now.Session != was.Session {
				t.Errorf("same %v, step %d: the session is another one", same, n)
			}
			if d := cmp.Diff(was, now, cmpopts.IgnoreFields(state{}, "Session")); d != "" {
				t.Errorf("same %v, step %d (-was +now):\n%s", same, n, d)
			}
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Errorf("same %v, step %d, disk:\n%s", same, n, d)
			}
			if _, err := now.Session.Append(context.Background(), user("more")); err != nil {
				t.Errorf("same %v, step %d: the session cannot be written: %v", same, n, err)
			}
		}
	}
}

// Whichever call of the file system fails on the way, the agent is where it was,
// or has arrived.
func TestSwitchFailsAtEachFileOperation(t *testing.T) {
	old := []string{
		`{"type":"session","id":"old","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1}}`,
	}
	arrived := false
	for n := int64(1); !arrived; n++ {
		r := newRig(t)
		faulty := &errorfs.Counter{Fault: errorfs.Fault{Err: errInjected}}
		var on atomic.Bool // a lock is given back by a timer
		r.opt.Session = vfs.On(r.opt.Session, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
			if !on.Load() {
				return nil
			}
			return faulty.Inject(op)
		}))
		target := r.file("old.jsonl", old...)
		r.start(r.here())
		r.fill()
		if err := r.agent.Session().MoveLeaf("u1"); err != nil {
			t.Fatal(err)
		}
		was := r.state()
		faulty.At = n
		on.Store(true)
		ok, err := r.agent.Switch(context.Background(), target)
		on.Store(false)
		arrived = !faulty.Fired()
		if arrived && n < 10 {
			t.Errorf("only %d operations", n-1)
		}
		if arrived && (!ok || err != nil) {
			t.Fatalf("operation %d: %v, %v", n, ok, err)
		}
		if ok {
			continue // what failed did not matter
		}
		if err == nil {
			t.Fatalf("operation %d: neither there nor an error", n)
		}
		if d := cmp.Diff(was, r.state(), cmpopts.IgnoreFields(state{}, "Session")); d != "" {
			t.Errorf("operation %d (-was +now):\n%s", n, d)
		}
		if _, err := r.agent.Session().Append(context.Background(), user("more")); err != nil {
			t.Errorf("operation %d: the session cannot be written: %v", n, err)
		}
	}
}

func TestSwitchCancelled(t *testing.T) {
	r := newRig(t)
	there := r.there()
	r.start(r.here())
	cancel[agent.SessionBeforeSwitch](r)
	r.tell()
	r.fill()
	was, disk := r.state(), r.disk()
	if ok, err := r.agent.Switch(context.Background(), there); ok || err != nil {
		t.Fatal(ok, err)
	}
	r.wantSteps()
	if d := cmp.Diff(was, r.state(), cmpopts.IgnoreFields(state{}, "Session")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(disk, r.disk()); d != "" {
		t.Error(d)
	}
}

func TestSwitchToBadTargets(t *testing.T) {
	busy := errors.New("busy")
	tests := []struct {
		name  string
		lines []string
		opt   func(*session.Options)
		want  error
	}{
		{"no session", []string{"x"}, nil, session.ErrNotSession},
		{"no header", []string{says("u1", "", "x")}, nil, session.ErrNotSession},
		{"open elsewhere", []string{header("t"), says("u1", "", "x")}, func(o *session.Options) {
			o.Presence = elsewhere("bad.jsonl")
			o.IfBusy = func([]presence.Holder) error { return busy }
		}, busy},
		{"a directory", nil, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			if test.opt != nil {
				test.opt(&r.opt.Session)
			}
			r.start(r.here())
			target := filepath.Join(r.dir, "bad.jsonl")
			if test.lines == nil {
				if err := os.Mkdir(target, 0o700); err != nil {
					t.Fatal(err)
				}
			} else {
				r.file("bad.jsonl", test.lines...)
			}
			disk := r.disk()
			ok, err := r.agent.Switch(context.Background(), target)
			if ok || err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("Switch: %v, %v", ok, err)
			}
			r.wantSteps() // it was not even disconnected
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Error(d)
			}
		})
	}
}

// elsewhere is a presence that knows one file to be open elsewhere.
type elsewhere string

func (elsewhere) Enter(context.Context, string) (string, error) { return "", nil }
func (elsewhere) Leave(context.Context, string) error           { return nil }
func (e elsewhere) Who(_ context.Context, path, _ string) ([]presence.Holder, error) {
	if filepath.Base(path) == string(e) {
		return make([]presence.Holder, 1), nil
	}
	return nil, nil
}

// A path without a session becomes one, but only when all has gone well.
func TestSwitchToNothing(t *testing.T) {
	for _, empty := range []bool{false, true} {
		r := newRig(t)
		r.start(r.here())
		target := filepath.Join(r.dir, "new.jsonl")
		if empty {
			r.file("new.jsonl")
		}
		disk := r.disk()
		r.fail = 2
		if ok, err := r.agent.Switch(context.Background(), target); ok || err == nil {
			t.Fatal(ok, err)
		}
		if d := cmp.Diff(disk, r.disk()); d != "" {
			t.Errorf("empty %v:\n%s", empty, d)
		}
		if ok, err := r.agent.Switch(context.Background(), target); !ok || err != nil {
			t.Fatal(ok, err)
		}
		text := r.disk()[target]
		if !strings.Contains(text, `"id":"`+r.driver.id+`"`) || !strings.Contains(text, `"thinkingLevel":"high"`) {
			t.Errorf("empty %v: %s", empty, text)
		}
		if len(r.driver.messages) != 0 || r.driver.model != "p/m" {
			t.Errorf("%d messages, model %s", len(r.driver.messages), r.driver.model)
		}
	}
}

// The present file is read again, with what waits in it and what others wrote.
func TestSwitchToThePresentFile(t *testing.T) {
	for _, link := range []bool{false, true} {
		r := newRig(t)
		r.tell()
		here := r.here()
		r.start(here)
		if err := r.agent.Session().MoveLeaf("u1"); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(here, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(answers("x1", "c1", "of others") + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		path := here
		if link {
			path = filepath.Join(r.dir, "link.jsonl")
			if err := os.Symlink(here, path); err != nil {
				t.Fatal(err)
			}
		}
		if ok, err := r.agent.Switch(context.Background(), path); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if got := r.state(); got.Leaf != "x1" || len(got.Messages) != 4 || !got.Connected || !got.Writable {
			t.Errorf("link %v: %+v", link, got)
		}
	}
}

func TestSwitchReadOnly(t *testing.T) {
	tests := []struct {
		name   string
		header string
		look   bool
	}{
		{"newer", strings.Replace(header("there"), `"version":3`, `"version":4`, 1), false},
		{"to look", header("there"), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.opt.Session.ReadOnly = test.look
			target := r.file("there.jsonl", test.header, says("u1", "", "x"))
			r.start(r.here())
			disk := r.disk()
			if ok, err := r.agent.Switch(context.Background(), target); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if r.driver.level != "high" {
				t.Errorf("level %q", r.driver.level)
			}
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSwitchModel(t *testing.T) {
	tests := []struct {
		name, line, want, said string
		settings               bool
	}{
		{"of the branch", line("model_change", "m1", "u1", `"model":"p/big"`), "p/big", "", true},
		{"not available", line("model_change", "m1", "u1", `"model":"q/gone"`), "p/base", "Could not restore model q/gone. Using p/base.", true},
		{"none at all", line("model_change", "m1", "u1", `"model":"q/gone"`), "p/m", "Could not restore model q/gone. No default model is available; the model stays as it is.", false},
		{"none named", line("custom", "m1", "u1", `"customType":"x"`), "p/m", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			if !test.settings {
				r.opt.Settings.Model = nil
			}
			target := r.file("there.jsonl", header("there"), says("u1", "", "x"), test.line, line("thinking_level_change", "t1", "m1", `"thinkingLevel":"medium"`))
			r.start(r.here())
			disk := r.disk()
			if ok, err := r.agent.Switch(context.Background(), target); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if r.driver.model != test.want || strings.Join(r.said, "\n") != test.said {
				t.Errorf("model %s, said %q", r.driver.model, r.said)
			}
			if r.driver.level != "high" {
				t.Errorf("level %q, want the branch's, as far as the model has it", r.driver.level)
			}
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Errorf("something was written:\n%s", d)
			}
		})
	}
}
