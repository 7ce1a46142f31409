package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// omp keeps names of its sessions in its history of prompts.
func TestRecentNamesSessionsOfOmp(t *testing.T) {
	m := newMachine(t)
	agent := filepath.Join(m.home, ".omp/agent")
	dir := filepath.Join(agent, "sessions/-work-garden")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"0000000a", "0000000b"} {
		session := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work/garden","title":"in the header"}` + "\n" +
			`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"sow","timestamp":1}}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, "2026-01-01T00-00-00-000Z_"+id+".jsonl"), []byte(session), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recent := func() string {
		t.Helper()
		stdout, stderr, code := m.run("recent", "--all", "--agent", "omp")
		if code != 0 || stderr != "" {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return stdout
	}
	if got := recent(); strings.Count(got, "in the header") != 2 {
		t.Errorf("without the history:\n%s", got)
	}
	conn, err := sqlite.OpenConn(filepath.Join(agent, "history.db"), sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL, created_at INTEGER NOT NULL, cwd TEXT);
		CREATE TABLE session_titles (session_id TEXT PRIMARY KEY, title TEXT NOT NULL, updated_at INTEGER);
		INSERT INTO session_titles VALUES ('0000000a', 'beside it', 1);`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if got := recent(); strings.Count(got, "in the header") != 1 || strings.Count(got, "beside it") != 1 {
		t.Errorf("with the history:\n%s", got)
	}
	if err := os.WriteFile(filepath.Join(agent, "history.db"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := m.run("recent", "--all", "--agent", "omp")
	if code != 0 || strings.Count(stdout, "in the header") != 2 {
		t.Errorf("with a damaged history: exit code %d\n%s", code, stdout)
	}
}
