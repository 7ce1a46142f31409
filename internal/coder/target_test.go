package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
)

// project starts the real tools in a directory with files, links among them.
func project(t *testing.T, approve func(dir string, a coder.Ask) coder.Answer, calls ...*message.ToolCall) (r *rig, dir string) {
	t.Helper()
	r = newRig(t)
	for _, c := range calls {
		r.model.replies = append(r.model.replies, reply{calls: []*message.ToolCall{c}})
	}
	r.model.replies = append(r.model.replies, reply{text: "done"})
	dir = filepath.Join(r.dir, "work")
	write(t, filepath.Join(dir, ".git/config"), "[core]\n")
	write(t, filepath.Join(dir, "plain.md"), "plain\n")
	write(t, filepath.Join(dir, "sub/plain.md"), "below\n")
	write(t, filepath.Join(r.dir, "outside/key"), "key\n")
	symlink(t, ".git/config", filepath.Join(dir, "notes.md"))
	symlink(t, ".git", filepath.Join(dir, "docs"))
	symlink(t, "../outside/key", filepath.Join(dir, "out.md"))
	r.opt.Tools, r.opt.Environ = tool.All(), os.Environ()
	r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) { return approve(dir, a), nil }
	r.coder = coder.New(r.opt)
	if err := r.coder.Agent().Start(context.Background(), agent.Start{CWD: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.coder.Agent().Close(context.Background()) })
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// TestQuestionNamesTheFile: a question says which file is written, whatever link
// leads there; what leads out of the project is refused unasked.
func TestQuestionNamesTheFile(t *testing.T) {
	var asked []string
	r, dir := project(t, func(dir string, a coder.Ask) coder.Answer {
		asked = append(asked, strings.Join([]string{a.Target.Named, a.Target.Path, strings.TrimPrefix(a.Target.Real, dir), a.Target.Acts}, "|"))
		if a.Target.Linked != strings.HasPrefix(a.Target.Acts, "git") {
			t.Errorf("%s: linked is %v", a.Target.Named, a.Target.Linked)
		}
		return coder.No
	},
		called("a", "write", `{"path":"notes.md","content":"x"}`),
		called("b", "edit", `{"path":"docs/config","oldText":"core","newText":"x"}`),
		called("c", "write", `{"path":"docs/hooks/new","content":"x"}`),
		called("d", "write", `{"path":"./sub/../plain.md","content":"x"}`),
		called("e", "write", `{"path":"new/file","content":"x"}`),
		called("f", "write", `{"path":"out.md","content":"x"}`),
		called("g", "write", `{"path":"docs","content":"x"}`),
		called("h", "write", `{"content":"x"}`),
	)
	const git = "git runs what its settings and hooks name"
	want := []string{
		"notes.md|.git/config|/.git/config|" + git, "docs/config|.git/config|/.git/config|" + git, "docs/hooks/new|.git/hooks/new|/.git/hooks/new|" + git,
		"./sub/../plain.md|plain.md|/plain.md|", "new/file|new/file|/new/file|",
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	all := strings.Join(r.transcript(), "\n")
	for _, want := range []string{`Not run: refused: "out.md" is outside`, `Not run: ".git" is a directory`, `Not run: bad arguments: "path" is missing`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if got := read(t, filepath.Join(dir, ".git/config")); got != "[core]\n" {
		t.Errorf("config is %q", got)
	}
}

// TestWrittenIsWhatWasAsked changes where a path leads while the person reads the
// question: nothing else than what was asked about is written.
func TestWrittenIsWhatWasAsked(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"the file becomes a link": func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "sub/plain.md")))
			symlink(t, "../.git/config", filepath.Join(dir, "sub/plain.md"))
		},
		"the directory becomes a link": func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")))
			write(t, filepath.Join(dir, ".git/plain.md"), "below\n")
			symlink(t, ".git", filepath.Join(dir, "sub"))
		},
		"the directory leads outside": func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")))
			write(t, filepath.Join(dir, "../outside/plain.md"), "below\n")
			symlink(t, "../outside", filepath.Join(dir, "sub"))
		},
		"the file is another": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "other"), "below, too\n")
			must(t, os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "sub/plain.md")))
		},
		"the file is changed": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "sub/plain.md"), "below, by a person\n") },
	} {
		for _, tool := range []string{"write", "edit"} {
			t.Run(name+" "+tool, func(t *testing.T) {
				args := `{"path":"sub/plain.md","content":"evil"}`
				if tool == "edit" {
					args = `{"path":"sub/plain.md","oldText":"below","newText":"evil"}`
				}
				r, dir := project(t, func(dir string, _ coder.Ask) coder.Answer { change(t, dir); return coder.Yes }, called("a", tool, args))
				if got := r.transcript()[2]; !strings.Contains(got, "refused: ") || !strings.HasSuffix(got, "[error]") {
					t.Errorf("result: %s", got)
				}
				for _, path := range []string{".git/config", ".git/plain.md", "sub/plain.md", "../outside/plain.md", "old/plain.md", "../outside/key"} {
					if data, err := os.ReadFile(filepath.Join(dir, path)); err == nil && strings.Contains(string(data), "evil") {
						t.Errorf("%s was written: %q", path, data)
					}
				}
			})
		}
	}
}

// TestAlwaysIsNotForFilesThatAct: a person who allows all writes is asked all the
// same before a file is written that git, an editor or an agent obeys later.
func TestAlwaysIsNotForFilesThatAct(t *testing.T) {
	var asked []string
	_, dir := project(t, func(_ string, a coder.Ask) coder.Answer {
		asked = append(asked, a.Target.Path)
		if a.Target.Acts != "" {
			return coder.No
		}
		config := "[core]\n\thooksPath = ours\n\tfsmonitor = \"" + filepath.Join(filepath.Dir(a.Target.Real), "watch.sh") + "\"\n[include]\n\tpath = ../more.gitconfig\n"
		if err := os.WriteFile(filepath.Join(filepath.Dir(a.Target.Real), ".git/config"), []byte(config), 0o600); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"refs", "objects", "hooks"} { // a repository of another name
			if err := os.MkdirAll(filepath.Join(filepath.Dir(a.Target.Real), "meta", name), 0o700); err != nil {
				t.Error(err)
			}
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(a.Target.Real), "meta/HEAD"), nil, 0o600); err != nil {
			t.Error(err)
		}
		return coder.Always
	},
		called("a", "write", `{"path":"one","content":"x"}`),
		called("b", "write", `{"path":"two","content":"x"}`),
		called("c", "write", `{"path":"notes.md","content":"x"}`),
		called("d", "write", `{"path":"sub/AGENTS.md","content":"x"}`),
		called("e", "write", `{"path":"three","content":"x"}`),
		called("f", "write", `{"path":".vscode/tasks.json","content":"x"}`),
		called("g", "write", `{"path":"meta/config","content":"x"}`),
		called("h", "write", `{"path":"meta/hooks/pre-commit","content":"x"}`),
		called("i", "write", `{"path":".hg/hgrc","content":"x"}`),
		called("j", "write", `{"path":"all.code-workspace","content":"x"}`),
		called("k", "write", `{"path":"new/config","content":"x"}`), // a repository made piece by piece
		called("l", "write", `{"path":"new/objects/x","content":"x"}`),
		called("m", "write", `{"path":"new/refs/x","content":"x"}`),
		called("n", "write", `{"path":"new/HEAD","content":"x"}`),
		called("o", "write", `{"path":"objects/x","content":"x"}`),
		called("p", "write", `{"path":"opencode.json","content":"x"}`),
		called("q", "write", `{"path":"ours/pre-commit","content":"x"}`), // where its settings say that hooks are
		called("r", "write", `{"path":"more.gitconfig","content":"x"}`),
		called("s", "write", `{"path":"watch.sh","content":"x"}`),
	)
	if diff := cmp.Diff([]string{"one", ".git/config", "sub/AGENTS.md", ".vscode/tasks.json",
		"meta/config", "meta/hooks/pre-commit", ".hg/hgrc", "all.code-workspace", "new/refs/x", "new/HEAD", "opencode.json", "ours/pre-commit", "more.gitconfig", "watch.sh"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for _, name := range []string{"one", "two", "three"} {
		if got := read(t, filepath.Join(dir, name)); got != "x" {
			t.Errorf("%s is %q", name, got)
		}
	}
}
