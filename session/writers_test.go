package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A crowd is several writers of one session, programs without locks among them,
// beside what should be in the file: slow and plain.
type crowd struct {
	t       *rapid.T
	ctx     context.Context
	path    string
	d       spelling.Dialect
	o       session.Options
	writers []*writer
	entries map[string]*told
	order   []string // ids, as they were made
	views   [][]byte // what a program without locks read at some time
	title   string
	unsure  bool // the title: a program wrote an older one back
	torn    bool // the last thing in the file is no whole line
	dirty   bool // the file was taken away; it is put back by writing
	made    int
}

// A writer is one session object; leaf is where it goes on.
type writer struct {
	s      *session.Session
	leaf   string
	adrift bool // another program wrote the file without the leaf
}

// told is an entry that was acknowledged, or seen in the file.
type told struct {
	parent, text string
	owner        *writer // whose it is, while that is open
	lost         bool    // another program wrote the file without it
}

func (c *crowd) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) add(id, parent, text string, owner *writer) {
	if c.entries[id] != nil {
		c.t.Fatalf("a second entry %q", id)
	}
	c.entries[id] = &told{parent: parent, text: text, owner: owner}
	c.order = append(c.order, id)
}

// open lets one more session object write the file.
func (c *crowd) open() {
	s, err := session.Open(c.ctx, c.path, c.o)
	c.must(err)
	w := &writer{s: s}
	id, _ := s.Leaf()
	w.leaf = string(id)
	c.writers = append(c.writers, w)
	c.torn = false
	if all := c.inFile(s); w.leaf != all[len(all)-1] {
		c.t.Fatalf("opened at %q, the last entry is %q", w.leaf, all[len(all)-1])
	}
}

// inFile returns the ids of a session's entries in the order of the file.
func (c *crowd) inFile(s *session.Session) []string {
	var all []string
	for e, err := range s.Entries(c.ctx) {
		c.must(err)
		all = append(all, string(e.ID))
	}
	return all
}

func (c *crowd) pick(t *rapid.T) *writer {
	return rapid.SampledFrom(c.writers).Draw(t, "writer")
}

func (c *crowd) anyID(t *rapid.T) string {
	if len(c.order) == 0 {
		t.Skip("no entries")
	}
	return rapid.SampledFrom(c.order).Draw(t, "entry")
}

// at finds where a writer is whose place was lost to another program.
func (c *crowd) at(w *writer) {
	if !w.adrift {
		return
	}
	w.adrift = false
	_, err := w.s.Refresh(c.ctx)
	c.must(err)
	id, _ := w.s.Leaf()
	if w.leaf = string(id); c.entries[w.leaf] == nil {
		c.t.Fatalf("a writer is at %q, which is nothing", id)
	}
}

func (c *crowd) append(w *writer) {
	c.at(w)
	c.made++
	text := fmt.Sprintf("text %d", c.made)
	id, err := w.s.Append(c.ctx, user(text))
	c.must(err)
	c.add(string(id), w.leaf, text, w)
	w.leaf, c.torn = string(id), false
}

// go lets a writer go on from an entry that it knows.
func (c *crowd) goTo(t *rapid.T) {
	w, id := c.pick(t), c.anyID(t)
	_, err := w.s.Refresh(c.ctx)
	c.must(err)
	if _, err := w.s.Entry(entry.ID(id)); err != nil {
		if !c.dirty && !c.entries[id].lost {
			t.Fatalf("a writer does not know %q: %v", id, err)
		}
		return
	}
	c.must(w.s.MoveLeaf(entry.ID(id)))
	w.leaf = id
}

func (c *crowd) rename(t *rapid.T) {
	w := c.pick(t)
	c.at(w)
	c.made++
	name := fmt.Sprintf("name %d", c.made)
	done, err := w.s.Rename(c.ctx, name, session.Title{Source: "user"})
	c.must(err)
	if !done {
		t.Fatalf("Rename(%q) was refused", name)
	}
	c.title, c.unsure, c.torn = name, c.unsure && c.dirty, false
	if id, _ := w.s.Leaf(); string(id) != w.leaf {
		c.add(string(id), w.leaf, "", w)
		w.leaf = string(id)
	}
}

// rewrite writes the file anew, with a mark in each entry.
func (c *crowd) rewrite(t *rapid.T) {
	c.made++
	mark := jsonedit.IntValue(int64(c.made))
	c.must(c.pick(t).s.Rewrite(c.ctx, func(e entry.Entry) ([]byte, error) { return jsonedit.Set(e.Raw(), "mark", mark), nil }))
	c.torn = false
}

// again closes a writer and opens another.
func (c *crowd) again(t *rapid.T) {
	i := rapid.IntRange(0, len(c.writers)-1).Draw(t, "closed")
	c.settle()
	w := c.writers[i]
	c.must(w.s.Close())
	c.writers = slices.Delete(c.writers, i, i+1)
	for _, e := range c.entries {
		if e.owner == w {
			e.owner = nil
		}
	}
	c.open()
}

// bytes is the file as a program without locks reads it; it must be there.
func (c *crowd) bytes(t *rapid.T) []byte {
	data, err := vfs.ReadFile(vfs.Of(c.o), c.path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no file")
	}
	c.must(err)
	return data
}

// pi appends a line without a lock, with a parent of its own choice, as pi does.
func (c *crowd) pi(t *rapid.T) {
	parent := c.anyID(t)
	before := c.bytes(t)
	if c.torn || len(before) == 0 {
		t.Skip("it would glue its line to the torn one")
	}
	c.made++
	id, text := fmt.Sprintf("f%07d", c.made), fmt.Sprintf("text %d", c.made)
	c.foreign([]byte(foreignLine(id, parent, text) + "\n"))
	c.add(id, parent, text, nil)
}

func foreignLine(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":%q,"timestamp":1}}`, id, parent, text)
}

// tear is a program that is killed while it appends.
func (c *crowd) tear(t *rapid.T) {
	if len(c.bytes(t)) == 0 {
		t.Skip("no session")
	}
	line := foreignLine("f0000000", "x", "never whole")
	c.foreign([]byte(line[:rapid.IntRange(1, len(line)-1).Draw(t, "torn at")]))
	c.torn = true
}

func (c *crowd) foreign(data []byte) {
	c.must(scribble(vfs.Of(c.o), c.path, 0, data))
}

// view is a program that reads the file, to write it later.
func (c *crowd) view(t *rapid.T) { c.views = append(c.views, c.bytes(t)) }

// replace is a program that writes the file anew: as it is, or as it was when it
// read it. What it lacks is written again by the sessions whose it is; what was
// its own, or of a session that is closed, is its loss.
func (c *crowd) replace(t *rapid.T) {
	data := c.bytes(t)
	if c.dirty {
		t.Skip("the file is not put back yet")
	}
	if len(c.views) > 0 && rapid.Bool().Draw(t, "stale") {
		data = rapid.SampledFrom(c.views).Draw(t, "view")
		c.unsure = true
	}
	_, list, _, err := session.ParseEntries(data)
	c.must(err)
	there := map[string]bool{}
	for i := range list.Len() {
		id, _ := list.ID(i)
		there[string(id)] = true
	}
	for id, e := range c.entries {
		e.lost = e.lost && !there[id] || !there[id] && e.owner == nil
	}
	for _, w := range c.writers {
		w.adrift = w.adrift || !there[w.leaf] && c.entries[w.leaf].owner != w
	}
	c.must(lay(vfs.Of(c.o), c.path+".tmp", data))
	c.must(vfs.Of(c.o).Rename(c.path+".tmp", c.path))
	c.dirty, c.torn = true, !bytes.HasSuffix(data, []byte("\n"))
}

// unlink takes the file away.
func (c *crowd) unlink(t *rapid.T) {
	c.bytes(t)
	if c.dirty {
		t.Skip("the file is not put back yet")
	}
	c.must(vfs.Of(c.o).Remove(c.path))
	c.dirty = true
}

// settle lets every writer write once after the file was taken from them.
func (c *crowd) settle() {
	if !c.dirty {
		return
	}
	for _, w := range c.writers {
		c.append(w)
	}
	c.dirty = false
}

// check compares the file, as another process reads it, and what each writer
// knows, with what should be there.
func (c *crowd) check() {
	c.t.Helper()
	if c.dirty {
		return // nobody wrote since the file was taken away
	}
	o := c.o
	o.ReadOnly = true
	r, err := session.Open(c.ctx, c.path, o)
	c.must(err)
	defer func() { c.must(r.Close()) }()
	c.compare("the file", r)
	if title, _ := r.Title(); title != c.title && !c.unsure {
		c.t.Fatalf("title is %q, want %q", title, c.title)
	}
	if d := defects.Of(r.Damage()); len(d.Duplicates) > 0 {
		c.t.Fatalf("entries are there twice: %v", d.Duplicates)
	}
	for i, w := range c.writers {
		_, err := w.s.Refresh(c.ctx)
		c.must(err)
		c.at(w)
		c.compare(fmt.Sprintf("writer %d", i), w.s)
		if id, _ := w.s.Leaf(); string(id) != w.leaf {
			c.t.Fatalf("writer %d is at %q, it was left at %q", i, id, w.leaf)
		}
	}
}

func (c *crowd) compare(who string, s *session.Session) {
	c.t.Helper()
	got, want := map[string]string{}, map[string]string{}
	for e, err := range s.Entries(c.ctx) {
		c.must(err)
		text := ""
		if m, ok := jsonedit.Get(e.Raw(), "message"); ok {
			text, _ = jsonedit.Text(m, "content")
		}
		got[string(e.ID)] = string(e.ParentID) + " " + text
	}
	for id, e := range c.entries {
		if _, there := got[id]; there || !e.lost {
			want[id] = e.parent + " " + e.text
		}
	}
	if !maps.Equal(want, got) {
		diff := cmp.Diff(want, got)
		c.t.Fatalf("%s (-want +got):\n%s%v", who, diff, slices.Sorted(maps.Keys(got)))
	}
}

// TestModelOfSeveralWriters lets up to four session objects and programs without
// locks do anything to one file in any order: what was acknowledged is there,
// once, with the parent and the text that it had, and every writer sees it and
// stays where it was.
func TestModelOfSeveralWriters(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		fsys, dir, err := ground(t, root)
		d := rapid.SampledFrom(spelling.All()).Draw(t, "dialect")
		c := &crowd{t: t, ctx: context.Background(), path: filepath.Join(dir, "s.jsonl"), d: d, entries: map[string]*told{}}
		c.o = vfs.On(session.Options{Dialect: d.Name, Env: env(dir), Sync: session.SyncNone, Random: rand.NewChaCha8([32]byte{7})}, fsys)
		c.must(errors.Join(err, lay(fsys, c.path, []byte(headerLine+"\n"+say("a", "")+"\n"))))
		c.add("a", "", "text of a", nil)
		c.open()
		c.open()
		defer func() {
			for _, w := range c.writers {
				c.must(w.s.Close())
			}
		}()
		t.Repeat(map[string]func(*rapid.T){
			"append":  func(t *rapid.T) { c.append(c.pick(t)); c.settle() },
			"go":      c.goTo,
			"rename":  func(t *rapid.T) { c.rename(t); c.settle() },
			"rewrite": func(t *rapid.T) { c.rewrite(t); c.settle() },
			"again":   c.again,
			"open": func(t *rapid.T) {
				if len(c.writers) > 3 || c.dirty {
					t.Skip("enough")
				}
				c.open()
			},
			"pi": c.pi, "torn": c.tear, "view": c.view, "replace": c.replace, "unlink": c.unlink,
			"": func(*rapid.T) { c.check() },
		})
	})
}
