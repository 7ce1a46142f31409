package serve_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// private is a text that no token may get.
const private = "PRIVATE"

// stamps describes every file and directory below dir.
func stamps(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// leaked returns the files below dirs with the private text in them.
func leaked(t *testing.T, dirs ...string) (found []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(private)) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestSwapped: below a root a directory, or a session file, becomes a link and what
// it was again all the while: no token gets what the link leads to, and nothing is
// changed or made there.
func TestSwapped(t *testing.T) {
	for name, swap := range map[string]struct{ at, to string }{
		"directory":          {"", ""},
		"session":            {"s.jsonl", "s.jsonl"},
		"what is no session": {"s.jsonl", "key.jsonl"},
		"artifacts":          {"s", "s"},
		"directory in it":    {"deep", "deep"},
	} {
		t.Run(name, func(t *testing.T) { swapped(t, swap.at, swap.to) })
	}
}

// swapped serves a root in which the name at is exchanged with a link to what is
// called to outside.
func swapped(t *testing.T, at, to string) {
	o, x := options(t)
	top := scratch.OwnDir(t)
	root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
	o.Roots, o.Limits.Rate = []string{root}, -1
	o.Record = func(fsys vfs.FS) session.Recorder {
		return state.New(state.Options{FS: fsys, Dir: places.Own(o.RPC.Env).State, Now: time.Now, Random: rand.Reader})
	}
	lay := func(dir, text, key string) {
		for _, name := range []string{"s.jsonl", "deep/s.jsonl", "s/0.bash.log"} {
			x.file(filepath.Join(dir, name), text)
		}
		x.file(filepath.Join(dir, "key.jsonl"), key)
	}
	lay(outside, strings.ReplaceAll(sample, `"content":"one"`, `"content":"`+private+`"`), private)
	before := stamps(t, outside)
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	x.run(o)
	for round := range 3 {
		sub, link := filepath.Join(root, fmt.Sprint(round)), filepath.Join(root, fmt.Sprint(".link", round))
		lay(sub, sample, sample)
		if err := os.Symlink(filepath.Join(outside, to), link); err != nil {
			t.Fatal(err)
		}
		stop := scratch.Swapping([2]string{filepath.Join(sub, at), link})
		for range 3 {
			x.everything(sub)
			x.everything(filepath.Join(sub, "deep"))
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	_ = x.ended() // what met a link could not be saved
	if now := stamps(t, outside); now != before {
		t.Errorf("outside is\n%s\nand was\n%s", now, before)
	}
	if found := leaked(t, root, x.home); len(found) > 0 {
		t.Errorf("%q hold what is outside", found)
	}
}

// everything has each token do what it can with the sessions of a directory. No
// answer may have the private text.
func (x *site) everything(dir string) {
	told := func(r reply) reply {
		if bytes.Contains(r.body, []byte(private)) {
			x.t.Errorf("told %s", r.body)
		}
		return r
	}
	on := func(token, method, params string, then ...string) {
		opened := told(x.call(token, "", method, params))
		h, ok := jsonedit.Text(opened.result(), "handle")
		if !ok {
			return
		}
		for i := 0; i+1 < len(then); i += 2 {
			told(x.call(token, opened.session(), then[i], `{"handle":`+quoted(h)+then[i+1]+`}`))
		}
		x.ask("DELETE", "/rpc", token, "Cambium-Session", opened.session())
	}
	path, d := filepath.Join(dir, "s.jsonl"), `"sessionDir":`+quoted(dir)
	const message = `,"message":{"role":"assistant","content":[{"type":"text","text":"more"}]}`
	const rewrite = `,"entries":[{"type":"message","id":"u1","parentId":null,"message":{"role":"user","content":"x"}}]`
	for _, method := range []string{"listAll", "getRecentSessions", "findMostRecentSession"} {
		told(x.call(x.read, "", method, "{"+d+"}"))
	}
	on(x.read, "open", pathParam(path), "getEntries", "", "buildSessionContext", "")
	on(x.read, "continueRecent", `{"cwd":"/w",`+d+`}`, "getEntries", "")
	on(x.write, "open", pathParam(path), "appendMessage", message, "setSessionName", `,"name":"n"`, "getEntries", "", "rewriteEntries", rewrite)
	on(x.write, "open", pathParam(path), "fork", "", "createBranchedSession", `,"leafId":"a1"`, "newSession", "", "appendMessage", message)
	on(x.write, "open", `{"reinitialize":true,"path":`+quoted(path)+`}`, "appendMessage", message)
	on(x.write, "open", pathParam(filepath.Join(dir, "new.jsonl")), "appendMessage", message)
	on(x.write, "create", `{"cwd":"/w",`+d+`}`, "appendMessage", message, "rewriteEntries", rewrite, "getEntries", "")
	on(x.write, "forkFrom", `{"targetCwd":"/w","sourcePath":`+quoted(path)+`,`+d+`}`, "getEntries", "")
	on(x.write, "open", pathParam(path), "moveTo", `,"cwd":"/v"`, "getEntries", "")
	on(x.write, "forkFrom", `{"targetCwd":"/w","sourcePath":`+quoted(path)+`}`, "getEntries", "")
}
