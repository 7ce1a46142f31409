package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	script, log := filepath.Join(dir, "script.jsonl"), filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(script, []byte(`{"say":{"text":"from a script"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	out, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), []string{"-tied", "-log", log, script}, stdin, stdout) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(strings.TrimSpace(line)+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(got), `"content":"script"`) {
		t.Errorf("%s, %v", got, err)
	}
	end.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if said, err := os.ReadFile(log); err != nil || string(said) != `{"path":"/v1/chat/completions","body":{"model":"m"}}`+"\n" {
		t.Errorf("%s, %v", said, err)
	}
}

func TestRunRefuses(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {bad}, {bad + "x"}, {"-addr", "nowhere:x", os.DevNull}} {
		if err := run(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
