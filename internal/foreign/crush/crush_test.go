package crush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// schema are the tables of Crush that are read, with its triggers.
const schema = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
	prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
	updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL default '[]', model TEXT,
	created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX idx_messages_session_id ON messages (session_id);
CREATE TRIGGER update_session_message_count_on_insert AFTER INSERT ON messages BEGIN
	UPDATE sessions SET message_count = message_count + 1 WHERE id = new.session_id; END;
INSERT INTO sessions VALUES ('s1', NULL, 'Beds', 0, 100, 10, 0.25, 1767323200, 1767323100, 'm5', '[{"content":"Weed."}]');
INSERT INTO sessions VALUES ('s2', 's1', 'New Session', 0, 0, 0, 0, 1767323300, 1767323300, NULL, NULL);
INSERT INTO messages VALUES
	('m1', 's1', 'user', '[{"type":"text","data":{"text":"Ask."}},{"type":"binary","data":{"Path":"a.txt","MIMEType":"text/plain","Data":"YmVhbnM="}},{"type":"binary","data":{"Path":"a.png","MIMEType":"image/png","Data":"AA=="}},{"type":"image_url","data":{"url":"https://x"}}]', NULL, 1767323101, 1767323101, NULL, NULL, 0),
	('m2', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"Hm.","signature":"sig"}},{"type":"text","data":{"text":"I look."}},{"type":"tool_call","data":{"id":"c1","name":"view","input":"{\"path\":\"a\"}","finished":true}},{"type":"tool_call","data":{"id":"c2","name":"view","input":"{\"pa","finished":false}},{"type":"finish","data":{"reason":"tool_use","time":1767323102}}]', 'rose', 1767323102, 1767323102, 1767323102, 'claude', 0),
	('m3', 's1', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"c1","name":"view","content":"beans","metadata":"{\"lines\":1}","is_error":false}},{"type":"tool_result","data":{"tool_call_id":"c2","name":"view","content":"no","is_error":true}},{"type":"tool_result","data":{"tool_call_id":"c3","name":"shot","content":"seen","data":"AA==","mime_type":"image/png"}}]', NULL, 1767323102, 1767323102, NULL, NULL, 0),
	('m4', 's1', 'assistant', '[{"type":"text","data":{"text":"Half"}},{"type":"finish","data":{"reason":"canceled","message":"User canceled request"}}]', 'rose', 1767323103, 1767323103, NULL, 'claude', 0),
	('m5', 's1', 'assistant', '[{"type":"text","data":{"text":"Sum."}},{"type":"finish","data":{"reason":"end_turn"}}]', 'rose', 1767323104, 1767323104, NULL, 'claude', 1),
	('m6', 's1', 'user', '[{"type":"text","data":{"text":"Go on.","hidden":true}},{"type":"shell_command","data":{"command":"ls","output":"a\n","exit_code":1}}]', NULL, 1767323105, 1767323105, NULL, NULL, 0),
	('m7', 's1', 'assistant', '[{"type":"text","data":{"text":"Yes."}},{"type":"finish","data":{"reason":"end_turn"}}]', 'moss', 1767323106, 1767323106, NULL, 'chat', 0),
	('m8', 's1', 'system', '[{"type":"text","data":{"text":"Be."}}]', NULL, 1767323107, 1767323107, NULL, NULL, 0),
	('m9', 's1', 'user', '[{"type":', NULL, 1767323108, 1767323108, NULL, NULL, 0);
`

// project makes a project with a database and returns the path of that.
func project(t testing.TB, script string) (env layout.Env, path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, dirName), 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, dirName, dbName)
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return layout.Env{Home: t.TempDir(), Cwd: dir}, path
}

// text returns the lines of a session.
func text(path, id string) (string, error) {
	m, err := New().Read(context.Background(), vfs.OS(), filepath.Join(path, id+database.Ext))
	if err != nil {
		return "", err
	}
	defer m.Close()
	all := make([]byte, m.Size())
	_, err = m.ReadAt(all, 0)
	return string(all), err
}

// TestRead says what becomes of what Crush keeps.
func TestRead(t *testing.T) {
	t.Parallel()
	env, path := project(t, schema)
	lines, err := text(path, "s1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`"message":{"role":"user","content":[{"type":"text","text":"Ask."},{"type":"text","text":"<file path='a.txt'>\n\nbeans\n</file>\n"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1767323101000}`,
		`"customType":"crush.image_url","data":{"type":"image_url","data":{"url":"https://x"}}`,
		`"type":"model_change","id":"m2:model","parentId":"m1:image_url","timestamp":"2026-01-02T03:05:02.000Z","provider":"claude","modelId":"rose"`,
		`"content":[{"type":"thinking","thinking":"Hm.","thinkingSignature":"sig"},{"type":"text","text":"I look."},{"type":"toolCall","id":"c1","name":"view","arguments":{"path":"a"}},{"type":"toolCall","id":"c2","name":"view","arguments":{"input":"{\"pa"}}]`,
		`"role":"toolResult","toolCallId":"c1","toolName":"view","content":[{"type":"text","text":"beans"}],"details":{"lines":1},"isError":false`,
		`"role":"toolResult","toolCallId":"c2","toolName":"view","content":[{"type":"text","text":"no"}],"isError":true`,
		`"role":"toolResult","toolCallId":"c3","toolName":"shot","content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":false`,
		`"content":[{"type":"text","text":"Half"}],"api":"","provider":"claude","model":"rose","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"aborted","errorMessage":"User canceled request"`,
		`"type":"compaction","id":"m5","parentId":"m4","timestamp":"2026-01-02T03:05:04.000Z","summary":"Sum.","firstKeptEntryId":"m5"`,
		`"content":[{"type":"text","text":"Go on."},{"type":"text","text":"$ ls\na\n\n(exit code 1)"}]`,
		`"type":"model_change","id":"m7:model","parentId":"m6","timestamp":"2026-01-02T03:05:06.000Z","provider":"chat","modelId":"moss"`,
		`"content":[{"type":"text","text":"Yes."}],"api":"","provider":"chat","model":"moss","usage":{"input":100,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":110,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}},"stopReason":"stop"`,
		`"customType":"crush.text","data":{"type":"text","data":{"text":"Be."}}`,
		`"customType":"crush.damaged","data":"[{\"type\":"`,
		`"customType":"crush.todos","data":[{"content":"Weed."}]`,
		`"type":"session_info","id":"title","parentId":"todos","timestamp":"2026-01-02T03:06:40.000Z","name":"Beds"`,
	}
	got := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	for n := range max(len(got)-1, len(want)) {
		switch {
		case n+1 >= len(got), n >= len(want):
			t.Errorf("%d entries, want %d", len(got)-1, len(want))
		case !strings.Contains(got[n+1], want[n]):
			t.Errorf("entry %d\n%s\nhas not\n%s", n, got[n+1], want[n])
		}
	}
	for n, line := range got {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d is no JSON: %s", n, line)
		}
	}
	sub, err := text(path, "s2")
	if err != nil || !strings.Contains(sub, `"cwd":"`+env.Cwd+`","parentSession":"s1"`) || strings.Count(sub, "\n") != 1 {
		t.Errorf("%v %s", err, sub)
	}
	if _, err := text(path, "s3"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a session that is not there: %v", err)
	}
}

// TestFind finds the database of the working directory, and its sessions with their states.
func TestFind(t *testing.T) {
	t.Parallel()
	env, path := project(t, schema)
	p := New()
	if dirs := p.Folders(context.Background(), vfs.OS(), env, nil); !slices.Equal(dirs, []string{path}) {
		t.Errorf("folders are %v", dirs)
	}
	if dirs := p.Folders(context.Background(), vfs.OS(), layout.Env{Home: env.Cwd, Cwd: env.Home}, nil); len(dirs) != 0 {
		t.Errorf("folders elsewhere are %v", dirs)
	}
	if !p.Owns(filepath.Join(path, "s1.jsonl"), env) || p.Owns(filepath.Join(env.Cwd, "s1.jsonl"), env) {
		t.Error("it owns the wrong names")
	}
	var roll vfs.Roll
	if err := p.Survey(context.Background(), vfs.OS(), path, &roll); err != nil || roll.Len() != 2 {
		t.Fatalf("%d sessions, %v", roll.Len(), err)
	}
	for n := range roll.Len() {
		is, err := p.Stat(context.Background(), vfs.OS(), filepath.Join(path, string(roll.Name(n))))
		if f := roll.At(n); err != nil || is.Size != f.Size || is.ModTime != f.ModTime || is.Ino != f.Ino {
			t.Errorf("%s: %+v %v, surveyed %+v", roll.Name(n), is, err, f)
		}
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("beside the database lies %v, %v", names, err)
	}
}

// TestDamage reads databases that are cut, or in which bytes are changed: it ends, and what was
// read is whole lines.
func TestDamage(t *testing.T) {
	t.Parallel()
	_, path := project(t, schema)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if past := time.Now().Add(-time.Hour); os.Chtimes(path, past, past) != nil {
			t.Fatal("the time of the file does not change")
		}
		var roll vfs.Roll
		_ = New().Survey(context.Background(), vfs.OS(), path, &roll)
		for _, id := range []string{"s1", "s2"} {
			lines, err := text(path, id)
			if err != nil {
				continue
			}
			if _, _, d, err := session.ParseEntries([]byte(lines)); err != nil || d.Any() {
				t.Errorf("%s: %v %v", what, err, d)
			}
		}
	}
	for cut := 0; cut < len(whole); cut += 4096 {
		check(fmt.Sprint("cut at ", cut), whole[:cut])
	}
	for range 200 {
		data := slices.Clone(whole)
		for range 1 + rng.IntN(6) {
			data[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		check("changed", data)
	}
}

// FuzzParts makes entries of messages that hold anything.
func FuzzParts(f *testing.F) {
	f.Add("user", []byte(`[{"type":"binary","data":{"MIMEType":"text/x","Data":"="}}]`))
	f.Add("assistant", []byte(`[{"type":"tool_call","data":{"input":"{\"a\":1}\n"}},{"type":"finish","data":{"reason":"error"}}]`))
	f.Add("tool", []byte(`[{"type":"tool_result","data":{"metadata":"[","data":"x"}},7]`))
	f.Fuzz(func(t *testing.T, role string, parts []byte) {
		m := lines(&stored{id: "s", messages: []message{{id: "a", role: role, parts: parts}, {id: "a", role: role, parts: parts, summary: true}, {id: string(parts), role: "user", parts: parts}}, fields: map[string]database.Field{"summary_message_id": database.Of("", []byte(`"a"`))}})
		text := make([]byte, m.Size())
		if _, err := m.ReadAt(text, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, damage, err := session.ParseEntries(text); err != nil || damage.Any() {
			t.Fatalf("%v %v\n%s", err, damage, text)
		}
	})
}
