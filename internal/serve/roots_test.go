package serve_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// linked makes a root that is a link, which its owner made, and a session in it.
func linked(t *testing.T) (x *site, root, path string) {
	t.Helper()
	o, x := options(t)
	o.RPC.Env.Real = func(path string) (string, bool) {
		real, err := filepath.EvalSymlinks(path)
		return real, err == nil
	}
	root = filepath.Join(x.home, "shown")
	x.file(filepath.Join(x.home, "disk", "s.jsonl"), sample)
	if err := os.Symlink(filepath.Join(x.home, "disk"), root); err != nil {
		t.Fatal(err)
	}
	o.Roots = []string{root}
	return x.run(o), root, filepath.Join(root, "s.jsonl")
}

// TestRootIsALink: a root may be a link. A session in it that somebody renames is
// followed.
func TestRootIsALink(t *testing.T) {
	x, root, path := linked(t)
	session := x.must(x.write, "", "open", pathParam(path)).session()
	x.must(x.write, session, "setSessionName", `{"handle":"1","name":"n"}`)
	if err := os.Rename(path, filepath.Join(root, "t.jsonl")); err != nil {
		t.Fatal(err)
	}
	x.must(x.write, session, "appendMessage", `{"handle":"1","message":{"role":"user","content":"two"}}`)
	if lines := x.lines(filepath.Join(root, "t.jsonl")); len(lines) != 4 || !strings.Contains(lines[3], "two") {
		t.Errorf("lines %q", lines)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("at the name of before: %v", err)
	}
	if err := x.ended(); err != nil {
		t.Error(err)
	}
}

// TestRootIsTheDirectory: a root stays the directory that it was when the server
// began, and is the new one once it was removed.
func TestRootIsTheDirectory(t *testing.T) {
	x, root, path := linked(t)
	secret := filepath.Dir(x.file(filepath.Join(x.home, "secret", "s.jsonl"), strings.ReplaceAll(sample, "one", "PRIVATE")))
	if err := errors.Join(os.Remove(root), os.Symlink(secret, root)); err != nil {
		t.Fatal(err)
	}
	if r := x.must(x.read, "", "listAll", `{"sessionDir":`+quoted(root)+`}`); !strings.Contains(string(r.body), `"one"`) {
		t.Errorf("listed %s", r.body)
	}
	session := x.must(x.write, "", "open", pathParam(path)).session()
	if r := x.must(x.write, session, "getEntry", `{"handle":"1","id":"u1"}`); !strings.Contains(string(r.body), `"one"`) {
		t.Errorf("read %s", r.body)
	}
	x.ask("DELETE", "/rpc", x.write, "Cambium-Session", session)
	if err := errors.Join(os.Remove(root), os.RemoveAll(filepath.Join(x.home, "disk")), os.Mkdir(root, 0o700)); err != nil {
		t.Fatal(err)
	}
	x.file(path, strings.ReplaceAll(sample, "one", "again"))
	if r := x.must(x.read, "", "listAll", `{"sessionDir":`+quoted(root)+`}`); !strings.Contains(string(r.body), `"again"`) {
		t.Errorf("listed %s", r.body)
	}
}

// TestLinksInRoots: over HTTP no link below a root is followed, wherever it leads.
func TestLinksInRoots(t *testing.T) {
	o, x := options(t)
	x.run(o)
	path := x.session("1_a.jsonl")
	dir := filepath.Dir(path)
	if err := errors.Join(os.Symlink(path, filepath.Join(dir, "2_b.jsonl")), os.Symlink(dir, filepath.Join(x.sessions, "--v--"))); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{filepath.Join(dir, "2_b.jsonl"), filepath.Join(x.sessions, "--v--", "1_a.jsonl")} {
		r := x.call(x.read, "", "open", pathParam(link))
		if text, _ := jsonedit.Path(r.body, "error", "message"); r.code() != "-32008" || !strings.Contains(string(text), "not one of a session") {
			t.Errorf("open %s: %s", link, r.body)
		}
	}
	if r := x.must(x.read, "", "listAll", "{}"); strings.Count(string(r.body), `"path":`) != 1 {
		t.Errorf("listed %s", r.body)
	}
}

// TestMovedOut: a session that somebody takes out of the root while it is open is put
// back at its name, with what is appended. What was taken is not written to.
func TestMovedOut(t *testing.T) {
	x, root, path := linked(t)
	session := x.must(x.write, "", "open", pathParam(path)).session()
	away := x.file(filepath.Join(x.home, "away", "s.jsonl"), "")
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	x.must(x.write, session, "appendMessage", `{"handle":"1","message":{"role":"user","content":"two"}}`)
	if text := strings.Join(x.lines(away), "\n") + "\n"; text != sample {
		t.Errorf("outside is %q", text)
	}
	if lines := x.lines(filepath.Join(root, "s.jsonl")); len(lines) != 4 || !strings.Contains(lines[3], "two") {
		t.Errorf("lines %q", lines)
	}
	if err := x.ended(); err != nil {
		t.Error(err)
	}
}

// TestUndoInRoots: who may use the roots takes back what was done there last, and is told
// of nothing that was done elsewhere.
func TestUndoInRoots(t *testing.T) {
	o, x := options(t)
	root := filepath.Join(x.home, "shown")
	own := places.Own(o.RPC.Env).State
	keep := state.New(state.Options{Dir: own, Now: time.Now, Random: rand.Reader})
	o.Roots, o.Record = []string{root}, func(fsys vfs.FS) session.Recorder {
		return state.New(state.Options{Dir: own, FS: fsys, Now: time.Now, Random: rand.Reader})
	}
	removed := map[string]string{}
	for _, dir := range []string{root, filepath.Join(x.home, "hidden")} {
		path := x.file(filepath.Join(dir, "s.jsonl"), sample)
		done, err := keep.Trash(t.Context(), state.Change{Op: state.Remove, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		removed[dir] = done.ID
	}
	x.run(o)
	if r := x.must(x.write, "", "undo", `{}`); !strings.Contains(string(r.body), removed[root]) {
		t.Errorf("taken back: %s", r.body)
	}
	if _, err := os.Lstat(filepath.Join(root, "s.jsonl")); err != nil {
		t.Error(err)
	}
	for _, params := range []string{`{}`, `{"id":` + quoted(removed[filepath.Join(x.home, "hidden")]) + `}`} {
		if r := x.call(x.write, "", "undo", params); r.code() != "-32001" || strings.Contains(string(r.body), "hidden") {
			t.Errorf("undo %s: %s", params, r.body)
		}
	}
}
