package coder_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/message"
)

// outsideMark is in the content of every file outside, and in names outside that no
// path and no link says.
const outsideMark = "OUTSIDE-BYTES"

// A maze is a project with links in it, of which many lead to what lies beside it.
type maze struct {
	*rand.Rand
	base  string   // what lies beside the project is below it
	names []string // paths that links and calls say, seen from base
}

// newMaze makes a tree below base: a project "work", the directory "outside", and
// in both the names that links lead to.
func newMaze(t *testing.T, r *rand.Rand, base string) *maze {
	m := &maze{Rand: r, base: base}
	for _, name := range []string{"outside/a", "outside/sub/b", "outside/AGENTS.md", "outside/.git/config", "outside/.gitignore"} {
		write(t, filepath.Join(base, name), outsideMark+"\n")
		m.names = append(m.names, name)
	}
	for _, name := range []string{"outside/" + outsideMark, "outside/sub/" + outsideMark} {
		write(t, filepath.Join(base, name), outsideMark+"\n")
	}
	for _, name := range []string{"work/one", "work/d/two", "work/d/e/three"} {
		write(t, filepath.Join(base, name), "inside\n")
		m.names = append(m.names, name)
	}
	if r.IntN(2) == 0 {
		mkdir(t, filepath.Join(base, "work/.git/info"))
		m.names = append(m.names, "work/.git/info")
	}
	m.names = append(m.names, "outside", "outside/sub", "outside/new", "work", "work/d", "work/d/e", "work/new", ".", "/", "/proc/self", "/proc/self/environ")
	return m
}

// pick is a path that is there or not.
func (m *maze) pick() string {
	path := m.names[m.IntN(len(m.names))]
	for m.IntN(3) == 0 {
		path += "/" + []string{"..", ".", "a", "sub", "b", "AGENTS.md", "d", "two", "environ", ""}[m.IntN(10)]
	}
	return path
}

// spelt is a path as seen from a directory, in one of the ways to say it.
func (m *maze) spelt(path, from string) string {
	full := path
	if !strings.HasPrefix(path, "/") {
		full = m.base + "/" + path
	}
	if m.IntN(3) == 0 {
		return full
	}
	rel, err := filepath.Rel(from, filepath.Clean(full))
	if err != nil {
		return full
	}
	if m.IntN(4) == 0 {
		rel = "d/../" + rel
	}
	return rel
}

// link puts a link somewhere below a directory; now and then over what is there.
func (m *maze) link(t *testing.T, below string) {
	names := []string{"AGENTS.md", "CLAUDE.md", ".gitignore", ".git", "d", "e", "l1", "l2", "l3", "one", "0.bash.log"}
	path := filepath.Join(m.base, below, names[m.IntN(len(names))])
	if m.IntN(3) == 0 {
		path = filepath.Join(m.base, below, "d", names[m.IntN(len(names))])
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err != nil || real != filepath.Dir(path) {
		return // a link is there instead of the directory
	}
	if m.IntN(4) == 0 {
		must(t, os.RemoveAll(path))
	}
	if os.Symlink(m.spelt(m.pick(), filepath.Dir(path)), path) == nil { // else something is there
		if rel, err := filepath.Rel(m.base, path); err == nil {
			m.names = append(m.names, rel)
		}
	}
}

// call is a call of a tool about some path.
func (m *maze) call(id string) *message.ToolCall {
	forms := [][2]string{
		{"read", `{"path":P}`}, {"ls", `{"path":P}`}, {"find", `{"path":P,"pattern":"*"}`}, {"grep", `{"path":P,"pattern":"[A-Z]"}`},
		{"write", `{"path":P,"content":"written"}`}, {"edit", `{"path":P,"oldText":"BYTES","newText":"written"}`},
	}
	f := forms[m.IntN(len(forms))]
	path := m.spelt(m.pick(), m.base+"/work")
	return called(id, f[0], strings.Replace(f[1], "P", string(jsonedit.Quoted(path)), 1))
}

// outside is what lies beside the project, as names with content.
func (m *maze) outside(t *testing.T) string {
	var b strings.Builder
	must(t, filepath.WalkDir(filepath.Join(m.base, "outside"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			fmt.Fprintln(&b, path, err)
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintln(&b, path, string(data))
		return err
	}))
	return b.String()
}

// wander lets a model call tools in a maze, as often as asked, with every question
// answered by yes, and checks that nothing from outside is told or written.
func wander(t *testing.T, seed uint64, calls int) {
	r := newRig(t)
	base, err := filepath.EvalSymlinks(r.dir)
	must(t, err)
	m := newMaze(t, rand.New(rand.NewPCG(seed, 13)), base)
	all := make([]*message.ToolCall, calls)
	r.opt.Tools = tool.All()
	r.opt.Session = vfs.On(r.opt.Session, errorfs.Light(vfs.OS()))
	r.opt.Approve = func(context.Context, coder.Ask) (coder.Answer, error) { return coder.Yes, nil }
	r.coder = coder.New(r.opt)
	a := r.coder.Agent()
	must(t, a.Start(context.Background(), agent.Start{CWD: filepath.Join(base, "work")}))
	defer func() { must(t, a.Close(context.Background())) }()
	m.artifacts(t, a.Session().ArtifactDir())
	for range 4 + m.IntN(12) {
		m.link(t, "work")
	}
	for i := range all {
		all[i] = m.call(fmt.Sprint("c", i))
	}
	before := m.outside(t)
	r.model.replies = []reply{{calls: all}, {text: "done"}}
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	environ := strings.Join(os.Environ(), "\n")
	for _, request := range r.model.asked() {
		texts := append([]string{request.System}, r.transcript()...)
		for i, text := range texts {
			secret := strings.Contains(text, outsideMark)
			if strings.Contains(text, "environ") && !secret {
				path, _, _ := strings.Cut(environ, "\n")
				secret = len(path) > 8 && strings.Contains(text, path)
			}
			if !secret {
				continue
			}
			call := ""
			if id := strings.TrimPrefix(text, "toolResult c"); i > 0 && id != text {
				var n int
				_, _ = fmt.Sscanf(id, "%d", &n)
				call = string(all[n].Name) + " " + string(all[n].Arguments)
			}
			t.Fatalf("seed %d: %s: told %.300q", seed, call, text)
		}
	}
	if after := m.outside(t); after != before {
		t.Fatalf("seed %d: outside there was\n%s\nand is\n%s", seed, before, after)
	}
}

// artifacts puts something in the place of the session's artifacts: a link, or a
// directory with links.
func (m *maze) artifacts(t *testing.T, dir string) {
	mkdir(t, filepath.Dir(dir))
	rel, err := filepath.Rel(m.base, dir)
	must(t, err)
	m.names = append(m.names, rel, rel, rel+"/0.bash.log", rel+"/a")
	if m.IntN(2) == 0 {
		symlink(t, m.spelt(m.pick(), filepath.Dir(dir)), dir)
		return
	}
	write(t, filepath.Join(dir, "0.bash.log"), "long\n")
	mkdir(t, filepath.Join(dir, "d"))
	for range m.IntN(6) {
		m.link(t, rel)
	}
}

// TestNothingFromOutside makes 10,000 calls among links: no byte from outside the
// project reaches a result or a request, and none there is overwritten.
func TestNothingFromOutside(t *testing.T) {
	const calls = 100
	for seed := range uint64(10_000 / calls) {
		wander(t, seed, calls)
	}
}

func FuzzNothingFromOutside(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, uint8(20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, calls uint8) { wander(t, seed, int(calls%64)+1) })
}
