//go:build peers

package interop_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestProgramsGoOnWithRuns lets the real program's own agent answer a prompt in a
// session that cambium run wrote, with the same server: it sends the model the
// same conversation as cambium run does, and the run goes on with its answer. Not
// compared are system prompts, tools, and the words that introduce a summary or a
// picture.
func TestProgramsGoOnWithRuns(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			w := newWorkshop(t, p, name)
			w.knows(p)
			w.says(calling("I look.", "read", `{"path":"sum.txt"}`), calling("And run.", "bash", `{"command":"wc -l sum.txt; exit 3"}`),
				calling("", "ls", `{}`), wiretest.Text("It has three lines."))
			w.do(0, "run", "--agent", string(name), "--yes", "-p", "begin")
			path := w.session(string(name))
			for i, c := range chapters() {
				switch c.what {
				case "pictures", "own commands", "tries that broke", "an error", "an interruption", "a call that needs approval", "a summary, for it was too long":
					c.do(w, path)
					w.turnsAlike(p, path, fmt.Sprint(i))
				}
				if t.Failed() {
					t.Fatalf("after %s", c.what)
				}
			}
		})
	}
}

// turnsAlike lets cambium run answer a prompt in a copy of a session, and the program
// in the session itself, and compares what they send to the model.
func (w *workshop) turnsAlike(p peers.Program, path, mark string) {
	t := w.t
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(w.dir, mark+".jsonl")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	w.says(wiretest.Text("Ours."))
	w.do(0, "run", "--agent", string(w.name), "--resume", copied, "-p", "your turn "+mark)
	ours := conversation(w.server.Last().Body)
	w.says(wiretest.Text("Theirs."))
	w.asks(p, path, "your turn "+mark)
	theirs := conversation(w.server.Last().Body)
	if p == peers.Pi { // it does not send what had come of an answer that was interrupted
		ours = slices.DeleteFunc(ours, func(line string) bool { return line == "assistant: a long answer of" })
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("%s asks otherwise:\n%s", p, diff)
	}
	if !w.same(path, "what the program's agent appended") {
		return
	}
	w.says(wiretest.Text("Ours again."))
	w.do(0, "run", "--resume", path, "-p", "and mine")
	if all := strings.Join(conversation(w.server.Last().Body), "\n"); !strings.Contains(all, "assistant: Theirs.\nuser: and mine") {
		t.Errorf("%s: the model is told %s", p, all)
	}
}

// conversation is what a request of Chat Completions holds, a line for each message
// but the system's: role, text, calls.
func conversation(body jsontext.Value) []string {
	var all []string
	messages, _ := jsonedit.Get(body, "messages")
	for m := range jsonedit.Elements(messages) {
		role, _ := jsonedit.Text(m, "role")
		if role == "system" || role == "developer" {
			continue
		}
		line := role + ": "
		content, _ := jsonedit.Get(m, "content")
		if text, ok := jsonedit.String(content); ok {
			line += text
		} else {
			for b := range jsonedit.Elements(content) {
				text, _ := jsonedit.Text(b, "text")
				kind, _ := jsonedit.Text(b, "type")
				if line += text; kind != "text" {
					line += "(" + kind + ")"
				}
			}
		}
		calls, _ := jsonedit.Get(m, "tool_calls")
		for c := range jsonedit.Elements(calls) {
			arguments, _ := jsonedit.Path(c, "function")
			line += " " + string(arguments)
		}
		if at := strings.Index(line, "<summary>"); at > 0 { // what introduces it is each program's own
			line = role + ": " + line[at:]
		}
		if at := strings.Index(line, "</system-reminder>"); at > 0 { // the date, of omp
			line = role + ": " + line[at+len("</system-reminder>"):]
		}
		if n := len(all); n > 0 && strings.HasPrefix(all[n-1], "tool: ") && strings.HasSuffix(line, "(image_url)") {
			line = "(what the tools showed)"
		}
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// knows tells the program of the server.
func (w *workshop) knows(p peers.Program) {
	w.t.Helper()
	name, text := ".pi/agent/models.json", `{"providers":{"chat":{"baseUrl":"URL/v1","api":"openai-completions","apiKey":"x","models":[{"id":"oak","input":["text","image"],"contextWindow":40000,"maxTokens":1000}]}}}`
	if p == peers.Omp {
		name, text = ".omp/agent/models.yml", "providers:\n  chat:\n    baseUrl: URL/v1\n    api: openai-completions\n    apiKey: x\n    models:\n      - id: oak\n        input: [text, image]\n        contextWindow: 40000\n        maxTokens: 1000\n"
	}
	name = filepath.Join(w.d.Home(), name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "URL", w.server.URL)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// asks lets the program's own agent answer a prompt in a session.
func (w *workshop) asks(p peers.Program, path, prompt string) {
	w.t.Helper()
	root, err := peers.Root()
	if err != nil {
		w.t.Fatal(err)
	}
	scope, args := "@earendil-works", []string{"--offline", "--provider", "chat", "--model", "oak", "--session", path, "-p", prompt}
	if p == peers.Omp {
		scope, args = "@oh-my-pi", []string{"--no-title", "--model", "chat/oak", "--resume", path, "-p", prompt}
	}
	main := filepath.Join(root, "interop", string(p), "node_modules", scope, "pi-coding-agent/dist/cli.js")
	cmd := exec.CommandContext(w.t.Context(), p.Runtime(root), append([]string{main}, args...)...)
	cmd.Dir, cmd.Env = w.project, peers.Env(w.d.Home())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Theirs.") {
		w.t.Fatalf("%s: %v: %s", p, err, out)
	}
}
