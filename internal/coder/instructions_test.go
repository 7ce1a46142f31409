package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/scratch"
)

// TestInstructionsAreFilesOfTheProject puts other things than files in the place
// of a project's instructions: none of it reaches the model.
func TestInstructionsAreFilesOfTheProject(t *testing.T) {
	const secret = "SECRET-OUTSIDE"
	link := func(to string) func(*testing.T, string) {
		return func(t *testing.T, path string) { symlink(t, to, path) }
	}
	for name, put := range map[string]func(t *testing.T, path string){
		"absolute link": func(t *testing.T, path string) { symlink(t, filepath.Join(path, "../../outside/key"), path) },
		"relative link": link("../outside/key"),
		"link of links": func(t *testing.T, path string) {
			symlink(t, "../outside/key", path+"2")
			symlink(t, filepath.Base(path)+"2", path)
		},
		"link in project":  link("secret"),
		"dangling link":    link("nowhere"),
		"process":          link("/proc/self/environ"),
		"directory":        func(t *testing.T, path string) { mkdir(t, path) },
		"named pipe":       func(t *testing.T, path string) { must(t, scratch.Mkfifo(path, 0o600)) },
		"device":           link("/dev/zero"),
		"others may write": func(t *testing.T, path string) { write(t, path, secret); must(t, os.Chmod(path, 0o666)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SECRET", secret)
			r := newRig(t, reply{text: "fine"})
			work := filepath.Join(r.dir, "work")
			mkdir(t, filepath.Join(work, ".git"))
			write(t, filepath.Join(r.dir, "outside/key"), secret)
			write(t, filepath.Join(work, "secret"), secret)
			put(t, filepath.Join(work, "AGENTS.md"))
			r.coder = coder.New(r.opt)
			if err := r.coder.Agent().Start(context.Background(), agent.Start{CWD: work}); err != nil {
				t.Fatal(err)
			}
			defer r.coder.Agent().Close(context.Background())
			if _, err := r.prompt("go"); err != nil {
				t.Fatal(err)
			}
			if got := r.model.asked()[0].System; strings.Contains(got, secret) || strings.Contains(got, "PATH=") {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	must(t, os.Symlink(to, path))
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	must(t, os.MkdirAll(path, 0o700))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestInstructionsAsValues says what is left out, and why.
func TestInstructionsAsValues(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Chmod(root, 0o700))
	inner := filepath.Join(root, "inner")
	mkdir(t, filepath.Join(root, ".git"))
	mkdir(t, inner)
	write(t, filepath.Join(root, "CLAUDE.md"), "of all")
	symlink(t, "CLAUDE.md", filepath.Join(root, "AGENTS.md")) // is the other name of what counts
	symlink(t, "/etc/hostname", filepath.Join(inner, "AGENTS.md"))
	write(t, filepath.Join(inner, "CLAUDE.md"), " long"+strings.Repeat("é", 40<<10))
	got := coder.Instructions(inner)
	if len(got) != 3 {
		t.Fatalf("got %+v", got)
	}
	if got[0] != (coder.Instruction{Path: filepath.Join(root, "CLAUDE.md"), Text: "of all"}) {
		t.Errorf("the outermost is %+v", got[0])
	}
	if i := got[1]; i.Path != filepath.Join(inner, "CLAUDE.md") || !i.Cut || i.Why != "" || !strings.HasPrefix(i.Text, "longé") || strings.Contains(i.Text, "\uFFFD") || len(i.Text) > 32<<10 {
		t.Errorf("the inner one is %.60q of %d bytes, cut %v, %s", i.Text, len(i.Text), i.Cut, i.Why)
	}
	if i := got[2]; i.Path != filepath.Join(inner, "AGENTS.md") || i.Text != "" || !strings.Contains(i.Why, "symbolic link") {
		t.Errorf("the link is %+v", i)
	}
}
