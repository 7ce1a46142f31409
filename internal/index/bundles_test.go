package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// record is that of a file, which says n.
func record(path string, n int) catalog.Record {
	return catalog.Record{Path: path, Stamp: source.Stamp{Ino: 1, Size: int64(n)}, Info: catalog.Info{
		Path: path, ID: "x", CWD: fmt.Sprint("/work/", n%7), Agent: "pi", Messages: n, FirstMessage: strings.Repeat("word ", n%50),
		Created: time.Unix(0, 0).UTC(), Modified: time.Unix(int64(n), 0).UTC(), ModTime: time.Unix(0, 0).UTC(), Size: int64(n),
	}}
}

// known returns how many messages each record says.
func known(t *testing.T, x *index.Index) map[string]int {
	t.Helper()
	all := map[string]int{}
	for r, err := range x.Known(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[r.Path]; twice {
			t.Errorf("%s comes twice", r.Path)
		}
		all[r.Path] = r.Info.Messages
	}
	return all
}

// TestWritersOfOneDirectory has several indexes of one file keep and forget records
// of the same directories at once: what each did last stays.
func TestWritersOfOneDirectory(t *testing.T) {
	h := newHome(t)
	const writers, each = 4, 150
	name := func(writer, n int) string { return fmt.Sprintf("/d%d/%04d-%d_x.jsonl", n%3, n, writer) }
	if err := h.index().Keep(t.Context(), nil, nil); err != nil { // several that make one keep what they did for themselves
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for w := range writers {
		x := h.index()
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for round := range 8 {
				var put []catalog.Record
				var gone []string
				for n := range each {
					switch {
					case round > 0 && rng.IntN(4) > 0:
					case n%5 == 4 && round == 7:
						gone = append(gone, name(w, n))
					default:
						put = append(put, record(name(w, n), 1000*round+n))
					}
				}
				// A busy file is an error of the call: it is tried again.
				for try := 0; ; try++ {
					err := x.Keep(t.Context(), put, gone)
					if err == nil {
						break
					}
					if try == 100 {
						t.Errorf("keep: %v", err)
						return
					}
				}
			}
		})
	}
	group.Wait()
	// The same, one after the other.
	want := map[string]int{}
	for w := range writers {
		rng := rand.New(rand.NewPCG(uint64(w), 1))
		for round := range 8 {
			for n := range each {
				switch {
				case round > 0 && rng.IntN(4) > 0:
				case n%5 == 4 && round == 7:
					delete(want, name(w, n))
				default:
					want[name(w, n)] = 1000*round + n
				}
			}
		}
	}
	if diff := different(want, known(t, h.index())); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	if len(h.say) > 0 {
		t.Errorf("told %q", h.say)
	}
}

// rows returns the bundles of a directory as they lie in the file.
func (h *home) rows() (all []string) {
	h.t.Helper()
	conn, err := sqlite.OpenConn(h.database(), sqlite.OpenReadOnly)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.Execute(conn, "SELECT data FROM bundles ORDER BY dir, first", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		data := make([]byte, s.ColumnLen(0))
		all = append(all, string(data[:s.ColumnBytes(0, data)]))
		return nil
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// TestAChangeWritesOneBundle: however many sessions a directory has.
func TestAChangeWritesOneBundle(t *testing.T) {
	h := newHome(t)
	x := h.index()
	want := map[string]int{}
	var all []catalog.Record
	for n := range 3000 {
		all = append(all, record(fmt.Sprintf("/d/%05d_x.jsonl", n), n))
		want[all[n].Path] = n
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for some := range slices.Chunk(all, 700) {
		if err := x.Keep(t.Context(), some, nil); err != nil {
			t.Fatal(err)
		}
	}
	before := h.rows()
	for _, row := range before {
		if len(row) > 14<<10 {
			t.Errorf("a bundle of %d bytes", len(row))
		}
	}
	changed := record(all[5].Path, 7777)
	want[changed.Path] = 7777
	if err := x.Keep(t.Context(), []catalog.Record{changed}, nil); err != nil {
		t.Fatal(err)
	}
	after, others := h.rows(), 0
	for _, row := range after {
		if !slices.Contains(before, row) {
			others++
		}
	}
	if len(before) < 20 || len(before) != len(after) || others != 1 {
		t.Errorf("of %d bundles, now %d, %d are others", len(before), len(after), others)
	}
	if diff := different(want, known(t, x)); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	// All gone, nothing is left; what comes then is found, before the first too.
	var gone []string
	for path := range want {
		gone = append(gone, path)
	}
	if err := x.Keep(t.Context(), nil, gone); err != nil || len(h.rows()) != 0 {
		t.Errorf("%d bundles of nothing, %v", len(h.rows()), err)
	}
	for _, name := range []string{"/d/5_x.jsonl", "/d/1_x.jsonl", "/1_x.jsonl"} {
		if err := x.Keep(t.Context(), []catalog.Record{record(name, 1)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := different(map[string]int{"/d/5_x.jsonl": 1, "/d/1_x.jsonl": 1, "/1_x.jsonl": 1}, known(t, x)); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

// A world is files that change at random, and what is known of them.
type world struct {
	t     *rapid.T
	root  string
	times int64
	files []string
}

// stamp sets a time that no file had.
func (w *world) stamp(path string) {
	w.times++
	w.at(path, time.Unix(1_700_000_000+w.times*3600, 0))
}

func (w *world) at(path string, at time.Time) {
	if err := os.Chtimes(path, at, at); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(path string, content []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// path draws where a session may lie.
func (w *world) path() string {
	home := rapid.SampledFrom([]string{".pi", ".omp", ".cambium"}).Draw(w.t, "home")
	dir := rapid.SampledFrom([]string{"--work--", "--work-a--", "x"}).Draw(w.t, "dir")
	return filepath.Join(w.root, home, "agent/sessions", dir, fmt.Sprintf("%d_s.jsonl", rapid.IntRange(0, 60).Draw(w.t, "name")))
}

// beside returns where a file is no session of anybody's.
func (w *world) beside() string {
	w.times++
	return filepath.Join(w.root, fmt.Sprint("kept-", w.times))
}

// content draws a session.
func (w *world) content() []byte {
	all := []string{header(rapid.SampledFrom([]string{"s", "other"}).Draw(w.t, "id"), rapid.SampledFrom([]string{"/work/a", "/b"}).Draw(w.t, "cwd"))}
	for n := range rapid.IntRange(0, 3).Draw(w.t, "messages") {
		role := rapid.SampledFrom([]string{"user", "assistant"}).Draw(w.t, "role")
		all = append(all, message(fmt.Sprint("m", n), "", role, rapid.StringMatching(`[a-z]{0,9}`).Draw(w.t, "text"), now))
	}
	return lines(all...)
}

// change does something to the files.
func (w *world) change() {
	w.files = slices.DeleteFunc(w.files, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
	if len(w.files) == 0 || rapid.IntRange(0, 2).Draw(w.t, "new") == 0 {
		for range rapid.SampledFrom([]int{1, 1, 1, 40}).Draw(w.t, "count") {
			path := w.path()
			w.write(path, w.content())
			w.stamp(path)
			w.files = append(w.files, path)
		}
		return
	}
	path := rapid.SampledFrom(w.files).Draw(w.t, "file")
	info, err := os.Stat(path)
	if err != nil {
		w.t.Fatal(err)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	more := []byte(message("more", "", "user", "more", now) + "\n")
	switch rapid.SampledFrom([]string{"append", "same time", "same size", "another file", "remove", "move", "move all", "remove all", "link", "directory"}).Draw(w.t, "change") {
	case "append":
		w.write(path, append(old, more...))
		w.stamp(path)
	case "same time":
		w.write(path, append(old, more...))
		w.at(path, info.ModTime())
	case "same size":
		w.write(path, []byte(strings.ReplaceAll(string(old), `"role":"user"`, `"role":"axxx"`)))
		w.stamp(path)
	case "another file": // of the same size and time
		w.write(path+".new", []byte(strings.ReplaceAll(string(old), `/work/a`, `/work/c`)))
		w.at(path+".new", info.ModTime())
		// The one that was there is kept: a file system may give its inode again.
		if err = os.Rename(path, w.beside()); err == nil {
			err = os.Rename(path+".new", path)
		}
	case "remove":
		err = os.Remove(path)
	case "move":
		to := w.path()
		if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			err = os.Rename(path, to)
		}
		w.files = append(w.files, to)
	case "move all":
		to := filepath.Dir(path) + "-moved"
		if err = os.RemoveAll(to); err == nil {
			err = os.Rename(filepath.Dir(path), to)
		}
		w.files = append(w.files, filepath.Join(to, filepath.Base(path)))
	case "remove all":
		err = os.RemoveAll(filepath.Dir(path))
	case "link":
		to := filepath.Join(filepath.Dir(path), fmt.Sprintf("%d_link.jsonl", rapid.IntRange(0, 9).Draw(w.t, "link")))
		_ = os.Remove(to) // it may be there
		err = os.Symlink(path, to)
	case "directory":
		err = os.MkdirAll(filepath.Join(filepath.Dir(path), "dir.jsonl"), 0o700)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestListingIsThatWithoutAnIndex changes files at random: a listing with an index
// says what one without says, all that it finds and every part of it, and at last
// the index knows what there is and nothing else.
func TestListingIsThatWithoutAnIndex(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		root, err := os.MkdirTemp(base, "")
		if err != nil {
			rt.Fatal(err)
		}
		h := &home{t: t, dir: root}
		w := &world{t: rt, root: root}
		x := index.New(index.Options{Dir: h.cache(), Report: h.tell})
		defer x.Close()
		for range rapid.IntRange(2, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 5).Draw(rt, "changes") {
				w.change()
			}
			// The narrower listing first: it must not have the others forgotten.
			for _, o := range []catalog.Options{{CWD: "/work/a"}, {Agents: []dialect.Name{"pi"}}, {Empty: true}} {
				o.Env = h.options(nil).Env
				want, err := catalog.List(rt.Context(), o)
				if err != nil {
					rt.Fatal(err)
				}
				o.Index, o.Trouble = x, h.tell
				got, err := catalog.List(rt.Context(), o)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := different(want, got); diff != "" {
					rt.Fatalf("%+v (-without +with):\n%s", o.CWD, diff)
				}
				var scanned []catalog.Info
				for info, err := range catalog.Scan(rt.Context(), o) {
					if err != nil {
						rt.Fatal(err)
					}
					scanned = append(scanned, info)
				}
				o.Index = nil
				n := 0
				for info, err := range catalog.Scan(rt.Context(), o) {
					if err != nil || n >= len(scanned) || !cmp.Equal(info, scanned[n]) {
						rt.Fatalf("scanned %d is not %+v (%v)", n, info, err)
					}
					n++
				}
				if n != len(scanned) {
					rt.Fatalf("scanned %d, not %d", len(scanned), n)
				}
			}
		}
		for r, err := range x.Known(rt.Context()) {
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := os.Stat(r.Path); err != nil {
				rt.Errorf("known is %s: %v", r.Path, err)
			}
		}
		if len(h.say) > 0 {
			rt.Errorf("told %q", h.say)
		}
	})
}

// TestRemnants: what no program uses is removed when an index is made, and once a
// day.
func TestRemnants(t *testing.T) {
	h := newHome(t)
	if err := os.MkdirAll(h.cache(), 0o700); err != nil {
		t.Fatal(err)
	}
	const hour = time.Hour
	for _, when := range []string{"made", "a day later", "the same day"} {
		stays := map[string]bool{}
		for name, f := range map[string]struct {
			age   time.Duration
			stays bool
		}{
			"index-1":                         {25 * hour, false},
			"index-2":                         {23 * hour, true},
			"index-2-00000000000000aa.sqlite": {25 * hour, false},
			"index-2-00000000000000aa.sqlite-journal":  {25 * hour, false},
			"index-2-00000000000000bb.sqlite":          {500 * hour, true}, // somebody has it open
			"index-2-00000000000000bb.sqlite-wal":      {20 * hour, true},
			"index-5-00000000000000cc.sqlite":          {2 * hour, false},
			"index-5-00000000000000dd.sqlite":          {hour / 2, true},
			"index-6-00000000000000ee.sqlite":          {500 * hour, true}, // of a newer program
			"index-6":                                  {500 * hour, true},
			"index-123.tmp":                            {2 * hour, false},
			"index-124.tmp":                            {hour / 2, true},
			"index-2-00000000000000aa.sqlite.bak":      {500 * hour, true},
			"index-2-mine.sqlite":                      {500 * hour, true},
			"index-two":                                {500 * hour, true},
			"index.html":                               {500 * hour, true},
			"other.sqlite":                             {500 * hour, true},
			"index-2-00000000000000ff.sqlite-shm.copy": {500 * hour, true},
		} {
			path := filepath.Join(h.cache(), name)
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Now().Add(-f.age)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			stays[path] = f.stays || when == "the same day"
		}
		if when == "a day later" {
			at := time.Now().Add(-25 * hour)
			if err := os.Chtimes(filepath.Join(h.cache(), "index-5"), at, at); err != nil {
				t.Fatal(err)
			}
		}
		x := index.New(index.Options{Dir: h.cache(), Report: h.tell})
		if err := x.Keep(t.Context(), []catalog.Record{record("/d/a.jsonl", 1)}, nil); err != nil {
			t.Fatal(err)
		}
		if n := len(known(t, x)); n != 1 {
			t.Errorf("%s: %d records", when, n)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		for path, want := range stays {
			if _, err := os.Stat(path); err == nil != want {
				t.Errorf("%s: %s stays %v, want %v", when, path, err == nil, want)
			}
		}
	}
	if len(h.say) > 0 {
		t.Errorf("told %q", h.say)
	}
}
