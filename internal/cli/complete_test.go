package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// session writes a session of two messages into the machine's home.
func (m *machine) session(t *testing.T, dir, id, cwd string) string {
	t.Helper()
	return m.named(t, dir, id, cwd, "")
}

func (m *machine) named(t *testing.T, dir, id, cwd, title string) string {
	t.Helper()
	path := filepath.Join(m.home, dir, "2026-03-01T09-00-00-000Z_"+id+".jsonl")
	write(t, path, fmt.Appendf(nil, `{"type":"session","version":3,"id":%q,"timestamp":"2026-03-01T09:00:00.000Z","cwd":%q,"title":"%s"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"first words","timestamp":1}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"user","content":"second words","timestamp":2}}
{"type":"label","id":"cccccccc","parentId":"bbbbbbbb","timestamp":"2026-03-01T09:00:03.000Z","targetId":"aaaaaaaa","label":"start"}
`, id, cwd, title))
	return path
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestCompletion(t *testing.T) {
	m := newMachine(t)
	m.named(t, ".xcsh/agent/sessions/-w", "19c0b2f4a1400001", m.dir, "Rings of the oak")
	m.named(t, ".omp/agent/sessions/-w", "19c0b2f4a1400002", m.dir, `Bark\u0007`)
	m.named(t, ".xcsh/agent/sessions/-o", "29c0b2f4a1400003", "/other", "Roots")
	const id = "19c0b2f4a1400001"
	tests := []struct {
		name  string
		typed []string
		want  []string // completions with their descriptions
		files bool     // the shell completes files
	}{
		{"nothing typed", []string{"show", ""}, []string{id + "\tRings of the oak", "19c0b2f4a1400002\tBark"}, false},
		{"an id", []string{"resume", "19C0b2f4a1400002"}, []string{"19c0b2f4a1400002\tBark"}, false},
		{"a name", []string{"resume", "roo"}, []string{"Roots\t29c0b2f4a1400003"}, false},
		{"a name with blanks", []string{"resume", "rings"}, nil, true},
		{"another project", []string{"resume", "29c0"}, []string{"29c0b2f4a1400003\tRoots"}, false},
		{"a path", []string{"show", "./s"}, nil, true},
		{"nobody", []string{"show", "zz"}, nil, true},
		{"an agent", []string{"--agent", "omp", "show", ""}, []string{"19c0b2f4a1400002\tBark"}, false},
		{"an entry", []string{"branch", id, "b"}, []string{"bbbbbbbb\tuser second words"}, false},
		{"a label", []string{"label", id, "st"}, []string{"start\taaaaaaaa"}, false},
		{"--at", []string{"fork", id, "--at", "a"}, []string{"aaaaaaaa\tuser first words"}, false},
		{"--leaf", []string{"resume", id, "--leaf", "bb"}, []string{"bbbbbbbb\tuser second words"}, false},
		{"--leaf of another command", []string{"context", id, "--leaf", "bb"}, []string{"bbbbbbbb\tuser second words"}, false},
		{"--leaf before the session", []string{"resume", "--leaf", ""}, nil, false},
		{"the agents", []string{"ls", "--agent", ""}, []string{"cambium", "pi", "omp", "xcsh", "claude", "codex", "opencode", "crush"}, false},
		{"too many", []string{"show", id, ""}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _, code := m.run(append([]string{"__complete"}, tt.typed...)...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			last := lines[len(lines)-1]
			got := lines[:len(lines)-1]
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if code != 0 || !slices.Equal(got, want) {
				t.Errorf("exit code %d, got %q, want %q", code, got, want)
			}
			if files := last == ":0"; files != tt.files {
				t.Errorf("directive %s", last)
			}
		})
	}
}

// TestCompletionScripts sees that each shell gets its script, and that asking
// for one changes nothing.
func TestCompletionScripts(t *testing.T) {
	m := newMachine(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out, stderr, code := m.run("completion", shell)
		if code != 0 || !strings.Contains(out, "__complete") {
			t.Errorf("%s: exit code %d: %s %.100s", shell, code, stderr, out)
		}
	}
	help, _, _ := m.run("--help")
	if !strings.Contains(help, "completion SHELL") {
		t.Errorf("the help does not say how: %s", help)
	}
}
