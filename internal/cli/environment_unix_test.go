//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// planted are variables whose values nothing that is started may get.
func planted() []string {
	return []string{
		"ANTHROPIC_API_KEY=planted-key-of-a-vendor", "OPENROUTER_API_KEY=planted-key-of-another", "PGPASSWORD=planted-word",
		"PGPASSFILE=/planted", "NATS_TOKEN=planted-token", "COPY=planted-key-of-a-vendor", "PLAIN=stays",
	}
}

// tells is a command of a shell that writes its environment to a file, and that
// with which its parent was started, where the system has it.
func tells(file string) string {
	return fmt.Sprintf(`{ env; test ! -e /proc/self/environ || tr '\0' '\n' </proc/$PPID/environ; } >'%s'`, file)
}

// clean checks that a program that was started told of what it may have, and of
// nothing else.
func clean(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "planted") || !strings.Contains(text, "PLAIN=stays") {
		t.Errorf("it was started with\n%s", text)
	}
}

// TestChatStartsWithoutSecrets: neither a person's own command nor the editor gets
// a key, a password or the way to a store.
func TestChatStartsWithoutSecrets(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	told := filepath.Join(k.home, "told")
	// The editor's parent is a shell that Cambium starts.
	k.write(filepath.Join(k.home, "bin/ed1"), "#!/bin/sh\nenv >'"+told+"'\nprintf ' and more' >> \"$1\"\n", 0o755)
	m := tuitest.Start(t, tuitest.Options{Args: []string{"chat"}, Home: k.home, Dir: k.garden,
		Env: append(planted(), "EDITOR=ed1", "PATH="+filepath.Join(k.home, "bin")+":/usr/bin:/bin")})
	m.WaitFor("test ·")
	m.Send("Some")
	m.WaitFor("› Some")
	m.Send("ctrl+g")
	m.WaitFor("› Some and more")
	clean(t, told)
	m.Send("ctrl+u")
	m.WaitGone("› Some")
	m.Send("!"+tells(filepath.Join(k.home, "own"))+" && echo written", "enter")
	m.WaitFor("⎿ written")
	clean(t, filepath.Join(k.home, "own"))
	k.leave(m)
}

// TestPagerStartsWithoutSecrets: nor does the pager.
func TestPagerStartsWithoutSecrets(t *testing.T) {
	m := furnished(t)
	told := filepath.Join(t.TempDir(), "told")
	m.env = append(append(m.env, planted()...), "PAGER=env >'"+told+"'; cat")
	if onTerminal(t, m, 8, "show", "0195643d") == "" {
		t.Error("nothing was shown")
	}
	clean(t, told)
}

// TestServerOfToolsStartsWithoutSecrets: nor does a server of tools that an editor
// names, but what the editor gives it.
func TestServerOfToolsStartsWithoutSecrets(t *testing.T) {
	m := newMachine(t)
	told := filepath.Join(t.TempDir(), "told")
	m.env = append(m.env, planted()...)
	m.stdin = calling(`initialize {"protocolVersion":1}`, fmt.Sprintf(`session/new {"cwd":%q,"mcpServers":[{"name":"x","command":"/bin/sh","args":["-c",%q],`+
		`"env":[{"name":"GIVEN_API_KEY","value":"by the editor"}]}]}`, m.dir, "env >'"+told+"~' && mv '"+told+"~' '"+told+"'"))
	if _, stderr, code := m.run("acp"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	clean(t, told)
	if data, _ := os.ReadFile(told); !strings.Contains(string(data), "GIVEN_API_KEY=by the editor\n") {
		t.Errorf("it was not given what the editor gave: %s", data)
	}
}
