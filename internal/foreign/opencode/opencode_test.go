package opencode_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// An export is what `opencode export` prints and `opencode import` takes.
type export struct {
	Info     map[string]json.RawMessage
	Messages []struct {
		Info  map[string]json.RawMessage
		Parts []map[string]json.RawMessage
	}
}

// schema are the tables of OpenCode 1.18.34 that are read.
const schema = `
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
	directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text, summary_additions integer,
	summary_deletions integer, summary_files integer, summary_diffs text, metadata text, cost real DEFAULT 0 NOT NULL,
	tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, tokens_reasoning integer DEFAULT 0 NOT NULL,
	tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text,
	agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
	time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL, priority text NOT NULL, position integer NOT NULL,
	time_created integer NOT NULL, time_updated integer NOT NULL, PRIMARY KEY (session_id, position));
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
	time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
`

// A house is a home of OpenCode.
type house struct {
	t    testing.TB
	env  layout.Env
	path string // of the database
}

// newHouse returns a home without anything in it.
func newHouse(t testing.TB) *house {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, ".local", "share", "opencode")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return &house{t, layout.Env{Home: dir, Cwd: dir}, filepath.Join(data, "opencode.db")}
}

// withDatabase makes an empty database.
func (h *house) withDatabase() *house {
	h.t.Helper()
	h.exec(schema)
	return h
}

// conn opens the database as OpenCode does.
func (h *house) conn() *sqlite.Conn {
	h.t.Helper()
	conn, err := sqlite.OpenConn(h.path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		h.t.Fatal(err)
	}
	return conn
}

func (h *house) exec(script string) {
	h.t.Helper()
	conn := h.conn()
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
		h.t.Fatal(err)
	}
}

// load puts an export into the database as OpenCode's import does.
func (h *house) load(text []byte) string {
	h.t.Helper()
	conn := h.conn()
	defer conn.Close()
	id, err := load(conn, text)
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func load(conn *sqlite.Conn, text []byte) (id string, err error) {
	var x export
	if err := json.Unmarshal(text, &x); err != nil {
		return "", err
	}
	defer sqlitex.Save(conn)(&err)
	str := func(m map[string]json.RawMessage, key string) any {
		var s string
		if json.Unmarshal(m[key], &s) != nil {
			return nil
		}
		return s
	}
	num := func(m map[string]json.RawMessage, keys ...string) int64 {
		var n float64
		for _, key := range keys[:len(keys)-1] {
			var inner map[string]json.RawMessage
			_ = json.Unmarshal(m[key], &inner)
			m = inner
		}
		_ = json.Unmarshal(m[keys[len(keys)-1]], &n)
		return int64(n)
	}
	raw := func(m map[string]json.RawMessage, key string) any {
		if v := m[key]; v != nil {
			return string(v)
		}
		return nil
	}
	without := func(m map[string]json.RawMessage, keys ...string) string {
		left := map[string]json.RawMessage{}
		for key, v := range m {
			left[key] = v
		}
		for _, key := range keys {
			delete(left, key)
		}
		data, err := json.Marshal(left)
		if err != nil {
			panic(err)
		}
		return string(data)
	}
	info := x.Info
	id, _ = str(info, "id").(string)
	err = sqlitex.Execute(conn, `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, metadata, revert, permission, agent, model, time_created, time_updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, &sqlitex.ExecOptions{Args: []any{
		id, str(info, "projectID"), str(info, "parentID"), str(info, "slug"), str(info, "directory"), str(info, "title"), str(info, "version"),
		raw(info, "metadata"), raw(info, "revert"), raw(info, "permission"), str(info, "agent"), raw(info, "model"), num(info, "time", "created"), num(info, "time", "updated"),
	}})
	for _, m := range x.Messages {
		if err != nil {
			return id, err
		}
		at := num(m.Info, "time", "created")
		err = sqlitex.Execute(conn, "INSERT INTO message VALUES (?, ?, ?, ?, ?)", &sqlitex.ExecOptions{Args: []any{
			str(m.Info, "id"), id, at, at, without(m.Info, "id", "sessionID"),
		}})
		for _, p := range m.Parts {
			if err != nil {
				return id, err
			}
			err = sqlitex.Execute(conn, "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", &sqlitex.ExecOptions{Args: []any{
				str(p, "id"), str(m.Info, "id"), id, at, at, without(p, "id", "sessionID", "messageID"),
			}})
		}
	}
	return id, err
}

// name returns the name of a session in the database.
func (h *house) name(id string) string { return filepath.Join(h.path, id+".jsonl") }

// read returns the lines of a session.
func (h *house) read(name string) (string, error) {
	return read(opencode.New(), name)
}

func read(p foreign.Program, name string) (string, error) {
	m, err := p.Read(context.Background(), vfs.OS(), name)
	if err != nil {
		return "", err
	}
	defer m.Close()
	text := make([]byte, m.Size())
	_, err = m.ReadAt(text, 0)
	return string(text), err
}

// open opens a session.
func (h *house) open(name string) *session.Session {
	h.t.Helper()
	env := h.env
	env.Home = h.t.TempDir()
	o := foreign.On(session.Options{Env: env}, foreign.Programs{All: []foreign.Program{opencode.New()}, Env: h.env})
	s, err := session.Open(context.Background(), name, o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return s
}

// samples returns the exports among the samples.
func samples(t testing.TB) (paths []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/samples/*/ses_*.request.json")
	if err != nil || len(all) < 20 {
		t.Fatalf("%d samples, %v", len(all), err)
	}
	for _, request := range all {
		paths = append(paths, strings.TrimSuffix(request, ".request.json")+".json")
	}
	return paths
}

func file(t testing.TB, path string) []byte {
	t.Helper()
	text, err := fs.ReadFile(os.DirFS("."), path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRequests compares what the model sees of each sample with what OpenCode sent when it went
// on with it.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)[:12], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t).withDatabase()
			sameRequest(t, h.open(h.name(h.load(file(t, path)))), strings.TrimSuffix(path, ".json")+".request.json")
		})
	}
}

// TestStoredRequests does the same with the databases that OpenCode itself made.
func TestStoredRequests(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(dir, "opencode.db")); err != nil {
			continue
		}
		t.Run(filepath.Base(dir)+"/"+filepath.Base(path)[:12], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			if err := os.WriteFile(h.path, file(t, filepath.Join(dir, "opencode.db")), 0o600); err != nil {
				t.Fatal(err)
			}
			id := strings.TrimSuffix(filepath.Base(path), ".json")
			sameRequest(t, h.open(h.name(id)), strings.TrimSuffix(path, ".json")+".request.json")
			names, err := os.ReadDir(filepath.Dir(h.path))
			if err != nil || len(names) != 1 {
				t.Errorf("beside the database lies %v, %v", names, err)
			}
		})
	}
}

// sameRequest compares the context of a session with a request.
func sameRequest(t *testing.T, s *session.Session, request string) {
	t.Helper()
	c, err := s.Context(context.Background(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := foreigntest.Cut(foreigntest.Neutral(t, c), true), foreigntest.Request(t, request)
	if n := len(want) - 1; n > 0 && want[0].Parts[0].Text == "What did we do so far?" {
		// A compaction is sent as a question and an answer, and here as what the user says.
		// An answer that is kept goes on behind that one.
		sum := foreigntest.Turn{Role: "user", Parts: want[1].Parts[:1]}
		want[1].Parts = want[1].Parts[1:]
		want = foreigntest.Joined(append([]foreigntest.Turn{sum}, want[1:]...))
	}
	switch filepath.Base(filepath.Dir(request)) {
	case "thinking", "kept": // not all was thought by the last model
		toldAsText(got, want)
	}
	got, want = printed(got), printed(want)
	for n := range max(len(got), len(want)) {
		var g, w foreigntest.Turn
		if n < len(got) {
			g = got[n]
		}
		if n < len(want) {
			w = want[n]
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("turn %d\n got %+v\nwant %+v", n, g, w)
		}
	}
	if d := s.Damage(); d.Any() {
		t.Errorf("damage: %v", d)
	}
}

// printed returns turns as the samples print them: without a line break at the end of what a
// tool answered, and long texts cut.
func printed(turns []foreigntest.Turn) []foreigntest.Turn {
	var all func(parts []foreigntest.Part)
	all = func(parts []foreigntest.Part) {
		for n := range parts {
			p := &parts[n]
			p.Text = strings.TrimSuffix(p.Text, "\n")
			if units := utf16.Encode([]rune(p.Text)); len(units) > 4000 {
				sum := sha256.Sum256([]byte(p.Text))
				p.Text = fmt.Sprintf("%s…[%d characters, sha256 %x]", string(utf16.Decode(units[:200])), len(units), sum[:8])
			}
			all(p.Parts)
		}
	}
	for _, t := range turns {
		all(t.Parts)
	}
	return turns
}

// toldAsText makes a text of what another model thought, as OpenCode does when it sends it: the
// entries keep it as it was. One protocol has the texts of an answer in one.
func toldAsText(got, want []foreigntest.Turn) {
	thought := func(p foreigntest.Part) bool { return p.Type == "thinking" || p.Type == "redacted" }
	for n := range min(len(got), len(want)) {
		if !slices.ContainsFunc(got[n].Parts, thought) || slices.ContainsFunc(want[n].Parts, thought) {
			continue
		}
		var parts []foreigntest.Part
		for _, p := range got[n].Parts {
			if p.Type == "thinking" {
				p = foreigntest.Part{Type: "text", Text: p.Text}
			}
			switch last := len(parts) - 1; {
			case p.Type == "redacted":
			case last >= 0 && len(want[n].Parts) == 1:
				parts[last].Text += p.Text
			default:
				parts = append(parts, p)
			}
		}
		got[n].Parts = parts
	}
}
