//go:build peers

package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/interop/peers"
)

// A workshop is a desk at which the command cambium works, with a server of models
// beside it. It keeps what it makes in the home of the program.
type workshop struct {
	*desk
	cambium, project string
	server           *wiretest.Server

	mu        sync.Mutex
	replies   []wiretest.Reply // guarded by mu; what the models say next
	summaries int              // guarded by mu; how often a summary was asked for
}

func newWorkshop(t *testing.T, p peers.Program, name dialect.Name) *workshop {
	t.Helper()
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{desk: newDesk(t, p, name)}
	w.cambium, w.project = filepath.Join(w.dir, "cambium"), filepath.Join(w.dir, "project")
	w.server = wiretest.NewFunc(t, w.next)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", w.cambium, "./cmd/cambium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var picture bytes.Buffer
	seen := image.NewGray(image.Rect(0, 0, 50, 50))
	for i := range seen.Pix {
		seen.Pix[i] = byte(i * i * 31 >> 3) // so that it does not become small
	}
	if err := png.Encode(&picture, seen); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		filepath.Join(w.d.Home(), ".config/cambium/settings.json"): strings.ReplaceAll(workshopSettings, "URL", w.server.URL),
		filepath.Join(w.project, "sum.txt"):                        "one\ntwo\nthree\n",
		filepath.Join(w.project, "map.png"):                        picture.String(),
		filepath.Join(w.dir, "elsewhere", "empty.txt"):             "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// workshopSettings name a model for each protocol.
const workshopSettings = `{
  "model": "chat/oak", "retry": {"baseDelayMs": 1, "maxDelayMs": 2},
  "compaction": {"reserveTokens": 2000, "keepRecentTokens": 40},
  "providers": {
    "chat": {"baseUrl": "URL/v1", "models": [{"id": "oak", "contextWindow": 40000, "maxTokens": 1000, "images": true}]},
    "messages": {"api": "anthropic-messages", "baseUrl": "URL", "keyEnv": "", "models": [
      {"id": "ash", "contextWindow": 40000, "maxTokens": 9000, "images": true, "thinkingLevels": ["off", "low", "high"]}]},
    "responses": {"api": "openai-responses", "baseUrl": "URL/v1", "models": [
      {"id": "elm", "contextWindow": 40000, "maxTokens": 1000, "images": true, "thinkingLevels": ["low", "medium"]}]}
  }
}`

// next answers a request with the reply that is next; one for a summary, which
// comes without tools, with a summary.
func (w *workshop) next(r wiretest.Request) wiretest.Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, tools := jsonedit.Get(r.Body, "tools"); !tools {
		w.summaries++
		return wiretest.Text(fmt.Sprintf("## What was said\n\nMuch | of it, told for the %d. time.\n", w.summaries))
	}
	if len(w.replies) == 0 {
		return wiretest.Failing(wiretest.Invalid)
	}
	next := w.replies[0]
	w.replies = w.replies[1:]
	return next
}

// summed returns how often a summary was asked for.
func (w *workshop) summed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.summaries
}

// says lets the models say this next.
func (w *workshop) says(replies ...wiretest.Reply) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.replies) > 0 {
		w.t.Errorf("%d replies were not asked for", len(w.replies))
	}
	w.replies = replies
}

// command is the command line in the project.
func (w *workshop) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), w.cambium, args...)
	cmd.Dir, cmd.Env = w.project, peers.Env(w.d.Home())
	return cmd
}

// do runs a command line, which must end with that exit code, and returns what it
// printed.
func (w *workshop) do(code int, args ...string) string {
	w.t.Helper()
	return w.doIn(w.project, code, args...)
}

// doIn is do in another directory.
func (w *workshop) doIn(dir string, code int, args ...string) string {
	w.t.Helper()
	var out, complaints bytes.Buffer
	cmd := w.command(args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &complaints
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("%s: cambium %q ended with %d, want %d: %s%s", w.name, args, got, code, out.String(), complaints.String())
	}
	return out.String()
}

// cut runs a command line and sends it a signal when the model has said something. One that
// says nothing is not waited for: it never passes where nothing is wrong.
func (w *workshop) cut(signal os.Signal, args ...string) int {
	w.t.Helper()
	const patience = 3 * time.Minute
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.cambium, append(args, "--json")...)
	cmd.Dir, cmd.Env = w.project, peers.Env(w.d.Home())
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	var seen strings.Builder
	part := make([]byte, 4096)
	for !strings.Contains(seen.String(), `"text_delta"`) {
		n, err := out.Read(part)
		seen.Write(part[:n])
		if err != nil {
			w.t.Fatalf("%v: %s", err, seen.String())
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		w.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // until it has ended
	_ = cmd.Wait()                  // its code says how
	return cmd.ProcessState.ExitCode()
}

// session returns the newest session of the agent in the home.
func (w *workshop) session(agent string) string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.d.Home(), "."+agent, "agent/sessions/*/*.jsonl"))
	if err != nil || len(found) == 0 {
		w.t.Fatalf("no session of %s: %v", agent, err)
	}
	return slices.MaxFunc(found, func(x, y string) int {
		return strings.Compare(filepath.Base(x), filepath.Base(y))
	})
}

// kinds counts what stands in a session, in words such as "toolResult" or
// "compaction".
func (w *workshop) kinds(path string, into map[string]int) {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		kind, _ := jsonedit.Text(line, "type")
		into[kind]++
		m, ok := jsonedit.Get(line, "message")
		if !ok {
			continue
		}
		role, _ := jsonedit.Text(m, "role")
		into[role]++
		if stop, ok := jsonedit.Text(m, "stopReason"); ok {
			into["stop "+stop]++
		}
		content, _ := jsonedit.Get(m, "content")
		for b := range jsonedit.Elements(content) {
			block, _ := jsonedit.Text(b, "type")
			into[block]++
		}
	}
}

// ids returns the ids of the entries of a session that hold a text.
func (w *workshop) ids(path, text string) []string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for line := range bytes.Lines(data) {
		if id, ok := jsonedit.Text(bytes.TrimSpace(line), "id"); ok && bytes.Contains(line, []byte(text)) {
			all = append(all, id)
		}
	}
	if len(all) == 0 {
		w.t.Fatalf("%s has no %q", path, text)
	}
	return all
}

// calling is an answer with a text and calls, tool and arguments in turn.
func calling(text string, calls ...string) wiretest.Reply {
	s := wiretest.Say{Thinking: "Let me see: " + text, Text: text}
	for i := 0; i < len(calls); i += 2 {
		s.Calls = append(s.Calls, wiretest.Call{ID: fmt.Sprintf("toolu_%s_%d", calls[i], i), Name: calls[i], Arguments: wiretest.Arguments(calls[i+1])})
	}
	return wiretest.Answer(s)
}
