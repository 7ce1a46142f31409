//go:build unix

package shellhook_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/shellhook"
)

// hold makes a named pipe in the stage's directory. What was written to it can be
// read until nobody has it open any more; hold itself does until let is called.
func (st *stage) hold(name string) (r *os.File, let func()) {
	st.t.Helper()
	path := filepath.Join(st.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		st.t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		st.t.Fatal(err)
	}
	if r, err = os.OpenFile(path, os.O_RDONLY, 0); err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, func() { w.Close() }
}

// hangs never ends, in three processes that do not care for polite signals.
const hangs = `trap '' TERM HUP INT; exec 3> "$STAGE/pipe"; sleep 100000 & (sleep 100000; echo never) & echo started >&3; sleep 100000`

// A command that hangs is killed with all that it started.
func TestHangingCommandIsKilled(t *testing.T) {
	st := newStage(t)
	r, let := st.hold("pipe")
	o := st.options()
	o.Hooks = []settings.Hook{
		{Event: "session_before_switch", Command: hangs, Timeout: 300 * time.Millisecond},
		{Event: "session_before_switch", Command: `echo '{"cancel":true}'`},
	}
	shellhook.Register(st.hooks, o)
	if reply := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{}); !reply.Cancel {
		t.Errorf("reply %+v", reply)
	}
	if said := st.reports(); !strings.Contains(said, agent.ErrHung.Error()) {
		t.Errorf("reported %q", said)
	}
	let()
	// The end of the pipe is the end of the last of them.
	if _, err := io.ReadAll(r); err != nil {
		t.Error(err)
	}
}

// When the caller gives up, so do commands, though none waits for them.
func TestCallerGivesUp(t *testing.T) {
	st := newStage(t)
	pipe, let := st.hold("pipe")
	st.run("session_switch", hangs)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		st.hooks.Emit(ctx, agent.SessionSwitch{})
	}()
	r := bufio.NewReader(pipe)
	if line, err := r.ReadString('\n'); line != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	let()
	cancel()
	if _, err := io.ReadAll(r); err != nil {
		t.Error(err)
	}
	<-done
	if said := st.reports(); !strings.Contains(said, context.Canceled.Error()) {
		t.Errorf("reported %q", said)
	}
}

// A command that answers without end is killed as soon as it is too much.
func TestEndlessAnswer(t *testing.T) {
	st := newStage(t)
	pipe, let := st.hold("pipe")
	st.run("session_before_switch", `exec 3> "$STAGE/pipe"; yes & yes; echo never > never`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{}); r.Cancel {
		t.Errorf("reply %+v", r)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes of memory", n)
	}
	if said := st.reports(); !strings.Contains(said, "more than 1 MiB") {
		t.Errorf("reported %q", said)
	}
	let()
	if _, err := io.ReadAll(pipe); err != nil {
		t.Error(err)
	}
	// One that ended already said too much all the same.
	st.run("session_switch", `head -c 1048577 /dev/zero`)
	st.hooks.Emit(ctx, agent.SessionSwitch{})
	if said := st.reports(); !strings.Contains(said, "more than 1 MiB") {
		t.Errorf("reported %q", said)
	}
}

// A gigabyte for people is read and not kept.
func TestGigabyteOfSpeech(t *testing.T) {
	st := newStage(t)
	st.run("session_before_switch", `head -c 1073741824 /dev/zero >&2; echo the end >&2; echo '{"cancel":true}'`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{})
	runtime.ReadMemStats(&after)
	if said := st.reports(); !r.Cancel || !strings.HasSuffix(said, `the end"`) {
		t.Errorf("reply %+v, reported %.300q", r, said)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes of memory", n)
	}
}

// A command need not read what it is told, however much that is.
func TestCommandDoesNotRead(t *testing.T) {
	st := newStage(t)
	long := `{"type":"custom","id":"c","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x","data":"` + strings.Repeat("x", 4<<20) + `"}`
	e := agent.SessionBeforeTree{Preparation: agent.TreePreparation{EntriesToSummarize: []entry.Entry{parsed(t, long)}}}
	remove := st.run(agent.Name(e), `echo '{"cancel":true}'`)
	if r := st.hooks.Emit(ctx, e); !r.Cancel {
		t.Errorf("reply %+v, reported %q", r, st.reports())
	}
	remove()
	st.run(agent.Name(e), `exec < /dev/null; echo '{"cancel":true}'`)
	if r := st.hooks.Emit(ctx, e); !r.Cancel {
		t.Errorf("reply %+v, reported %q", r, st.reports())
	}
	remove = st.run("session_tree", `wc -c | tr -d ' ' > size`)
	st.hooks.Emit(ctx, agent.SessionTree{})
	remove()
	if said := st.reports(); said != "" {
		t.Error(said)
	}
}

// What a command leaves running when it ends is left alone, and not waited for
// though it could still write.
func TestBackground(t *testing.T) {
	st := newStage(t)
	pipe, let := st.hold("pipe")
	free := filepath.Join(st.dir, "free")
	if err := syscall.Mkfifo(free, 0o600); err != nil {
		t.Fatal(err)
	}
	st.run("session_before_switch", `exec 3> "$STAGE/pipe"; (read x < "$STAGE/free"; echo alive >&3) & echo '{"cancel":true}'`)
	r := st.hooks.Emit(ctx, agent.SessionBeforeSwitch{})
	if said := st.reports(); !r.Cancel || said != "" {
		t.Errorf("reply %+v, reported %q", r, said)
	}
	if err := os.WriteFile(free, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	let()
	if got, err := io.ReadAll(pipe); string(got) != "alive\n" {
		t.Errorf("it says %q, %v", got, err)
	}
}
