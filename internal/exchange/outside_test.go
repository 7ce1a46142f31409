package exchange_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/memory"
)

// A jungle is a disk with a home, a directory that others write to, links between
// all places of it, and what is outside of both.
type jungle struct {
	t       testing.TB
	disk    *crashfs.FS
	dice    func(n int) int
	ada     *machine
	before  map[string]string // what is outside
	links   int
	session []string // paths in the home
}

const (
	jungleHome  = "/home/ada"
	jungleShare = "/share"
	jungleOut   = "/outside"
)

func newJungle(t testing.TB, dice func(n int) int, sessions int) *jungle {
	g := &jungle{t: t, disk: crashfs.New(), dice: dice}
	g.ada = &machine{home: jungleHome, state: "/state", fsys: g.disk}
	g.dir(jungleHome)
	// Sessions, artifacts and blobs under the very names that they have inside.
	ref := blob.RefOf([]byte(secret))
	for _, name := range []string{"id_rsa", "deep/0.bash.log", "0.bash.log", "s0/0.bash.log", ref.Hash()} {
		g.file(path.Join(jungleOut, name), secret)
	}
	for i := range sessions {
		base := fmt.Sprintf("s%d", i)
		g.file(path.Join(jungleOut, base+".jsonl"), string(g.lines(base, secret)))
		g.file(path.Join(jungleOut, "sessions/p", base+".jsonl"), string(g.lines(base, secret)))
	}
	place := places.For("omp", g.ada.env(), layout.Overrides{})
	for i := range sessions {
		base := fmt.Sprintf("s%d", i)
		at := path.Join(place.Sessions, "p", base+".jsonl")
		g.file(at, string(g.lines(base, "ours")))
		g.session = append(g.session, at)
		g.tree(ident.ArtifactDir(at), 3)
		g.tree(fmt.Sprintf("%s/named/n%d", jungleHome, i), 3) // where a copy is going to be
	}
	g.share(sessions)
	g.before = g.content(jungleOut)
	return g
}

// share fills the directory that others write to: sessions of theirs, and those of
// the home, with links in every place.
func (g *jungle) share(sessions int) {
	for _, name := range []string{"omp", "omp/blobs", "omp/sessions", "pi"} {
		if at := path.Join(jungleShare, name); g.dice(12) == 0 {
			g.link(at)
		} else {
			g.dir(at)
		}
	}
	for _, project := range []string{"home-p", "q", "r"} {
		at := path.Join(jungleShare, "omp/sessions", project)
		if g.dice(6) == 0 {
			g.link(at)
			continue
		}
		for i := range sessions {
			file := path.Join(at, fmt.Sprintf("s%d.jsonl", i))
			switch g.dice(5) {
			case 0:
				g.link(file)
			case 1, 2:
				g.file(file, string(g.lines(fmt.Sprintf("s%d%s", i, map[bool]string{false: project}[project == "home-p"]), "theirs")))
				g.tree(ident.ArtifactDir(file), 3)
			}
		}
	}
}

func (g *jungle) lines(id, said string) []byte {
	return text(header("omp", id, jungleHome+"/p"), line("00000001", "", "01", said),
		line("00000002", "00000001", "02", blob.RefOf([]byte(secret)).String()))
}

// ok fails the test unless err is that of a name that is taken, or lies behind a
// link, where nothing is laid.
func (g *jungle) ok(err error) {
	g.t.Helper()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		g.t.Fatal(err)
	}
}

// real reports whether no link leads to a name.
func (g *jungle) real(name string) bool {
	for d := path.Dir(name); d != "/"; d = path.Dir(d) {
		if info, err := g.disk.Lstat(d); err == nil && !info.Mode.IsDir() {
			return false
		}
	}
	return true
}

func (g *jungle) dir(name string) {
	if g.real(name + "/x") {
		_, err := vfs.MkdirAll(g.disk, name)
		g.ok(err)
	}
}

func (g *jungle) file(name, text string) {
	if !g.real(name) {
		return
	}
	g.dir(path.Dir(name))
	f, err := g.disk.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if g.ok(err); err == nil {
		_, err = f.Write([]byte(text))
		g.ok(errors.Join(err, f.Close()))
	}
}

// link makes a link to anywhere: outside, by any way, in circles, to what is beside.
func (g *jungle) link(name string) {
	if !g.real(name) {
		return
	}
	g.dir(path.Dir(name))
	places := []string{
		jungleOut, jungleOut + "/deep", jungleOut + "/id_rsa", jungleOut + "/s0.jsonl", jungleOut + "/sessions", jungleOut + "/sessions/p",
		"/", "/none", name, path.Dir(name), jungleHome, jungleShare + "/omp", "/state", jungleShare + "/omp/sessions/q/s0",
	}
	to := places[g.dice(len(places))]
	if rel, err := filepath.Rel(path.Dir(name), to); err == nil && g.dice(2) == 0 {
		to = rel
	}
	g.links++
	g.ok(g.disk.Symlink(to, name))
}

// tree lays artifacts, or a link in their place.
func (g *jungle) tree(dir string, deep int) {
	if g.dice(4) == 0 {
		g.link(dir)
		return
	}
	for range g.dice(4) {
		name := path.Join(dir, []string{"0.bash.log", "1.read.log", "deep", "id_rsa", "a"}[g.dice(5)])
		switch {
		case g.dice(3) == 0:
			g.link(name)
		case deep > 0 && g.dice(3) == 0:
			g.tree(name, deep-1)
		default:
			g.file(name, "of a tool")
		}
	}
}

// content returns all files below a directory, links not followed.
func (g *jungle) content(dir string) map[string]string {
	all := map[string]string{}
	infos, err := g.disk.ReadDir(dir)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, info := range infos {
		at := path.Join(dir, info.Name)
		switch {
		case info.Mode.IsDir():
			for name, text := range g.content(at) {
				all[name] = text
			}
		case info.Regular():
			data, err := vfs.ReadFile(g.disk, at, 0)
			if err != nil {
				g.t.Fatal(err)
			}
			all[at] = string(data)
		}
	}
	return all
}

// check fails when what is outside is not as it was, or any of it is elsewhere.
func (g *jungle) check(what string) {
	g.t.Helper()
	out := g.content(jungleOut)
	for name, was := range g.before {
		if out[name] != was {
			g.t.Fatalf("%s: %s is %q now", what, name, out[name])
		}
	}
	if len(out) != len(g.before) {
		g.t.Fatalf("%s: outside are %d files, were %d", what, len(out), len(g.before))
	}
	for _, dir := range []string{"/home", jungleShare, "/state"} {
		if _, err := g.disk.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for name, text := range g.content(dir) {
			if bytes.Contains([]byte(text), []byte("PRIVATE")) {
				g.t.Fatalf("%s: %s holds what is outside", what, name)
			}
		}
	}
}

// acts does all that copies or moves sessions, and returns how many it tried. What
// is refused is refused; what is done is looked at.
func (g *jungle) acts() int {
	there := vfs.On(exchange.Directory(jungleShare), g.disk)
	sync := func(m *machine, side exchange.Side) {
		_, _, _ = m.sync(side, vfs.On(exchange.Options{Workers: 1}, g.disk))
	}
	sync(g.ada, there)
	g.check("sync with a directory")
	logs, blobs := memory.New(memory.Options{}), &blob.Memory{}
	sync(g.ada, exchange.Shared("memory", logs, blobs))
	bob := &machine{home: "/home/bob", state: "/state/bob", fsys: g.disk}
	g.dir(bob.home)
	sync(bob, exchange.Shared("memory", logs, blobs))
	g.check("sync through a store")
	sync(bob, there)
	g.check("sync with a directory, again")
	n := 4 * len(g.session)

	o := vfs.On(session.Options{
		FirstWrite: session.Immediately, NoDrafts: true, Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Env: layout.Env{Home: jungleHome, Cwd: jungleHome, Getenv: func(string) string { return "" }},
	}, g.disk)
	for i, at := range g.session {
		_ = g.with(at, o, func(s *session.Session) error {
			_, err := s.Convert(g.t.Context(), session.ConvertOptions{To: dialect.Pi})
			return err
		})
		_ = g.with(at, o, func(s *session.Session) error {
			_, err := s.Convert(g.t.Context(), session.ConvertOptions{To: dialect.Omp, Path: fmt.Sprintf("%s/named/n%d.jsonl", jungleHome, i)})
			return err
		})
		_ = g.with(at, o, func(s *session.Session) error { _, _, err := s.Fork(g.t.Context()); return err })
		if s, err := session.ForkFrom(g.t.Context(), at, jungleHome+"/v", o); err == nil {
			_ = s.Close()
		}
		_ = g.with(at, o, func(s *session.Session) error {
			_, w, err := s.NewArtifact(g.t.Context(), "bash")
			if err == nil {
				err = w.Close()
			}
			_, listed := s.Artifacts()
			return errors.Join(err, listed)
		})
		_ = g.with(at, o, func(s *session.Session) error { return s.Move(g.t.Context(), jungleHome+"/w") })
		n += 6
	}
	g.check("fork, convert and move")
	return n
}

func (g *jungle) with(at string, o session.Options, do func(*session.Session) error) error {
	s, err := session.Open(g.t.Context(), at, o)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// TestNothingFromOutside tries 10,000 syncs, forks, conversions and moves among
// random links: no byte from outside comes into a session, an artifact or a store,
// and nothing outside changes.
func TestNothingFromOutside(t *testing.T) {
	tries, links := 0, 0
	for seed := uint64(0); tries < 10_000; seed++ {
		random := rand.New(rand.NewPCG(seed, 13))
		g := newJungle(t, random.IntN, 4)
		tries += g.acts()
		links += g.links
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if links < tries/4 {
		t.Errorf("only %d links in %d tries", links, tries)
	}
}

// FuzzNothingFromOutside does so with links that the bytes lay.
func FuzzNothingFromOutside(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, 64))
	f.Add(bytes.Repeat([]byte{0, 1, 3, 0, 2, 4, 9}, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		dice := func(n int) int {
			if len(data) == 0 {
				return n - 1
			}
			d := int(data[0]) % n
			data = data[1:]
			return d
		}
		newJungle(t, dice, 2).acts()
	})
}
