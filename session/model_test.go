package session_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A model is a session as a slice and two maps: slow and plain.
type model struct {
	d       spelling.Dialect
	entries []node
	leaf    int // -1 for none
	title   string
	source  string
}

type node struct {
	id, parent string // parent "" for a root
	kind       string
	text       string // of a message, a summary, a label
	target     string // of a label; firstKeptEntryId of a compaction
}

func (m *model) find(id string) int {
	return slices.IndexFunc(m.entries, func(n node) bool { return n.id == id })
}

func (m *model) add(n node) {
	if m.leaf >= 0 {
		n.parent = m.entries[m.leaf].id
	}
	m.entries = append(m.entries, n)
	m.leaf = len(m.entries) - 1
}

// path returns the positions from the root to entry at.
func (m *model) path(at int) []int {
	var path []int
	for ; at >= 0; at = m.find(m.entries[at].parent) {
		path = append([]int{at}, path...)
	}
	return path
}

func (m *model) branch(at int) []string {
	ids := []string{}
	for _, i := range m.path(at) {
		ids = append(ids, m.entries[i].id)
	}
	return ids
}

func (m *model) children(id string) []string {
	ids := []string{}
	for _, n := range m.entries {
		if n.parent == id {
			ids = append(ids, n.id)
		}
	}
	return ids
}

// labels returns the names in effect in the order of a JavaScript Map.
func (m *model) labels() (order []string, names map[string]string) {
	names = map[string]string{}
	for _, n := range m.entries {
		if n.kind != "label" {
			continue
		}
		if _, ok := names[n.target]; ok && n.text == "" {
			delete(names, n.target)
			order = slices.DeleteFunc(order, func(id string) bool { return id == n.target })
		}
		if n.text == "" {
			continue
		}
		if _, ok := names[n.target]; !ok {
			order = append(order, n.target)
		}
		names[n.target] = n.text
	}
	return order, names
}

// context returns what the model sees at entry at, as "role:text".
func (m *model) context(at int) []string {
	path := m.path(at)
	cut := -1
	for p, i := range path {
		if m.entries[i].kind == "compaction" {
			cut = p
		}
	}
	said := []string{}
	say := func(n node) {
		switch n.kind {
		case "user", "assistant":
			said = append(said, n.kind+":"+n.text)
		case "branch_summary":
			if n.text != "" {
				said = append(said, "branchSummary:"+n.text)
			}
		}
	}
	if cut >= 0 {
		c := m.entries[path[cut]]
		said = append(said, "compactionSummary:"+c.text)
		kept := false
		for _, i := range path[:cut] {
			kept = kept || m.entries[i].id == c.target
			if kept {
				say(m.entries[i])
			}
		}
	}
	for _, i := range path[cut+1:] {
		say(m.entries[i])
	}
	return said
}

// saved is the model of the branch of entry at as a session of its own; the
// ids of its new labels are not known.
func (m *model) saved(at int) *model {
	out := &model{d: m.d, leaf: -1, title: m.title, source: m.source}
	moved := map[string]string{} // id of a dropped label: of what follows it
	var dropped []string
	on := map[string]bool{}
	for _, i := range m.path(at) {
		n := m.entries[i]
		if n.kind == "label" {
			dropped = append(dropped, n.id)
			continue
		}
		for _, id := range dropped {
			moved[id] = n.id
		}
		dropped = nil
		if to, ok := moved[n.target]; ok && n.kind == "compaction" {
			n.target = to
		}
		n.parent = ""
		on[n.id] = true
		out.add(n)
	}
	order, names := m.labels()
	for _, id := range order {
		if on[id] {
			out.add(node{kind: "label", target: id, text: names[id]})
		}
	}
	return out
}

// A world is a model beside the session that it is to agree with.
type world struct {
	t   *rapid.T
	ctx context.Context
	o   session.Options
	s   *session.Session
	m   *model
}

func TestModel(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(spelling.All()).Draw(t, "dialect")
		fsys, dir, err := ground(t, root)
		w := &world{t: t, ctx: context.Background(), m: &model{d: d, leaf: -1}}
		w.must(err)
		w.o = vfs.On(session.Options{Dialect: d.Name, Env: env(dir), Dir: filepath.Join(dir, "sessions"), Sync: session.SyncNone}, fsys)
		w.o.FirstWrite = rapid.SampledFrom([]session.FirstWrite{session.FirstAssistant, session.FirstUser, session.Immediately}).Draw(t, "first write")
		w.s, err = session.Create(w.ctx, "/w", w.o)
		w.must(err)
		defer func() { w.must(w.s.Close()) }()
		t.Repeat(map[string]func(*rapid.T){
			"say":     func(t *rapid.T) { w.say(t) },
			"label":   func(t *rapid.T) { w.label(t) },
			"go":      func(t *rapid.T) { w.goTo(t) },
			"summary": func(t *rapid.T) { w.summary(t) },
			"compact": func(t *rapid.T) { w.compact(t) },
			"rename":  func(t *rapid.T) { w.rename(t) },
			"fork":    func(t *rapid.T) { w.fork(t) },
			"save":    func(t *rapid.T) { w.save(t) },
			"move":    func(t *rapid.T) { w.move(t) },
			"reopen":  func(t *rapid.T) { w.reopen(t) },
			"":        func(t *rapid.T) { w.check() },
		})
	})
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) text(t *rapid.T) string {
	return rapid.StringOf(rapid.RuneFrom([]rune("ab \"\\\u2028é😀<"))).Draw(t, "text")
}

func (w *world) pick(t *rapid.T) int {
	if len(w.m.entries) == 0 {
		t.Skip("no entries")
	}
	return rapid.IntRange(0, len(w.m.entries)-1).Draw(t, "entry")
}

func (w *world) append(b entry.Body, n node) {
	id, err := w.s.Append(w.ctx, b)
	w.must(err)
	n.id = id
	w.m.add(n)
}

func (w *world) say(t *rapid.T) {
	text := "x" + w.text(t)
	if rapid.Bool().Draw(t, "answer") {
		w.append(answer(text), node{kind: "assistant", text: text})
		return
	}
	w.append(user(text), node{kind: "user", text: text})
}

func (w *world) label(t *rapid.T) {
	at := w.pick(t)
	text := rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "label")
	id := w.m.entries[at].id
	w.append(&entry.LabelBody{TargetID: id, Label: text}, node{kind: "label", target: id, text: text})
}

func (w *world) goTo(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "root") == 0 {
		w.s.ResetLeaf()
		w.m.leaf = -1
		return
	}
	at := w.pick(t)
	w.must(w.s.MoveLeaf(w.m.entries[at].id))
	w.m.leaf = at
}

func (w *world) summary(t *rapid.T) {
	at := w.pick(t)
	text := w.text(t)
	id, err := w.s.BranchWithSummary(w.ctx, session.BranchSummary{Target: &w.m.entries[at].id, Summary: text})
	w.must(err)
	w.m.leaf = at
	w.m.add(node{id: id, kind: "branch_summary", text: text})
}

func (w *world) compact(t *rapid.T) {
	path := w.m.path(w.m.leaf)
	if len(path) == 0 {
		t.Skip("empty branch")
	}
	kept := w.m.entries[rapid.SampledFrom(path).Draw(t, "kept")].id
	text := "x" + w.text(t)
	w.append(&entry.CompactionBody{Summary: text, FirstKeptEntryID: kept, TokensBefore: 1},
		node{kind: "compaction", text: text, target: kept})
}

func (w *world) rename(t *rapid.T) {
	name := rapid.SampledFrom([]string{"", " a\x01b ", "name", "other\nname"}).Draw(t, "name")
	source := rapid.SampledFrom([]string{"user", "auto"}).Draw(t, "source")
	done, err := w.s.Rename(w.ctx, name, session.Title{Source: source})
	w.must(err)
	text := w.m.d.Sanitize(name)
	refused := !w.m.d.EmptyTitle && text == "" || w.m.d.KeepUserTitle && source == "auto" && w.m.source == "user"
	if done == refused {
		w.t.Fatalf("Rename(%q, %s) = %v over a title of %q", name, source, done, w.m.source)
	}
	if !done {
		return
	}
	w.m.title, w.m.source = text, source
	if w.m.d.TitleBody("", "", "", "") != nil {
		id, _ := w.s.Leaf()
		w.m.add(node{id: id, kind: "title"})
	}
}

func (w *world) fork(t *rapid.T) {
	was := w.s.ID()
	old, now, err := w.s.Fork(w.ctx)
	w.must(err)
	if old == now || w.s.Path() != now || w.s.ID() == was {
		t.Fatalf("Fork() = %q, %q; path %q", old, now, w.s.Path())
	}
}

func (w *world) save(t *rapid.T) {
	at := w.pick(t)
	plan := w.m.saved(at)
	path, err := w.s.SaveBranch(w.ctx, w.m.entries[at].id)
	if len(plan.entries) == 0 {
		if err == nil {
			t.Fatal("a branch of labels alone was saved")
		}
		return
	}
	w.must(err)
	if path != w.s.Path() {
		t.Fatalf("SaveBranch() = %q, path is %q", path, w.s.Path())
	}
	w.m = plan
	for i, n := range plan.entries {
		if n.id == "" {
			id, _ := w.s.List().ID(i)
			plan.entries[i].id = id
		}
		if i > 0 {
			plan.entries[i].parent = plan.entries[i-1].id
		}
	}
	if w.m.d.NameByEntry {
		w.m.title = ""
		for i := range plan.entries {
			if e, err := w.s.List().Entry(i); err == nil && e.Kind == entry.SessionInfo {
				w.m.title, _ = jsonedit.Text(e.Raw(), "name")
			}
		}
	}
}

func (w *world) move(t *rapid.T) {
	cwd := rapid.SampledFrom([]string{"/w", "/v"}).Draw(t, "cwd")
	w.must(w.s.Move(w.ctx, cwd))
	if got := w.s.CWD(); got != cwd {
		t.Fatalf("CWD() = %q after a move to %q", got, cwd)
	}
}

func (w *world) reopen(t *rapid.T) {
	if !w.s.OnDisk() {
		t.Skip("no file")
	}
	path := w.s.Path()
	w.must(w.s.Close())
	var err error
	w.s, err = session.Open(w.ctx, path, w.o)
	w.must(err)
	w.m.leaf = len(w.m.entries) - 1
	w.m.title, w.m.source = w.s.Title()
}

// check compares the session, and the file as another process would read it,
// with the model.
func (w *world) check() {
	w.t.Helper()
	w.compare(w.s, w.m.leaf)
	if title, _ := w.s.Title(); title != w.m.title {
		w.t.Fatalf("title is %q, want %q", title, w.m.title)
	}
	if !w.s.OnDisk() {
		return
	}
	o := w.o
	o.ReadOnly = true
	r, err := session.Open(w.ctx, w.s.Path(), o)
	w.must(err)
	defer func() { w.must(r.Close()) }()
	if d := r.Damage(); d.Any() {
		w.t.Fatalf("damage: %s", d)
	}
	if r.ID() != w.s.ID() || r.CWD() != w.s.CWD() {
		w.t.Fatalf("reopened: id %q, cwd %q; want %q, %q", r.ID(), r.CWD(), w.s.ID(), w.s.CWD())
	}
	w.compare(r, len(w.m.entries)-1)
}

func (w *world) compare(s *session.Session, leaf int) {
	w.t.Helper()
	id, ok := s.Leaf()
	if ok != (leaf >= 0) || ok && id != w.m.entries[leaf].id {
		w.t.Fatalf("leaf is %q, %v; want position %d", id, ok, leaf)
	}
	var got, want []node
	for e, err := range s.Entries(w.ctx) {
		w.must(err)
		got = append(got, node{id: e.ID, parent: e.ParentID})
	}
	for _, n := range w.m.entries {
		want = append(want, node{id: n.id, parent: n.parent})
	}
	if !slices.Equal(want, got) {
		w.t.Fatalf("entries (-want +got):\n%s", cmp.Diff(want, got, cmp.AllowUnexported(node{})))
	}
	_, names := w.m.labels()
	for i, n := range w.m.entries {
		label, ok, err := s.Label(n.id)
		w.must(err)
		if label != names[n.id] || ok != (names[n.id] != "") {
			w.t.Fatalf("label of %q is %q, want %q", n.id, label, names[n.id])
		}
		if i%3 != 0 {
			continue
		}
		children, err := gathered(s.Children(&n.id))
		w.must(err)
		w.same("children", w.m.children(n.id), ids(children))
		branch, err := gathered(s.Branch(&n.id))
		w.must(err)
		w.same("branch", w.m.branch(i), ids(branch))
	}
	w.same("context", w.m.context(leaf), w.said(s))
	if n := len(slices.Collect(tree.Of(s.Tree()).Nodes(tree.Strict))); n != len(w.m.entries) {
		w.t.Fatalf("the tree has %d nodes, want %d", n, len(w.m.entries))
	}
}

func (w *world) same(what string, want, got []string) {
	w.t.Helper()
	if !slices.Equal(want, got) {
		w.t.Fatalf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

func (w *world) said(s *session.Session) []string {
	c, err := s.Context(w.ctx, session.ContextOptions{})
	w.must(err)
	said := []string{}
	for m, err := range c.Messages() {
		w.must(err)
		role, _ := jsonedit.Text(m.JSON, "role")
		text, ok := jsonedit.Text(m.JSON, "summary")
		content, _ := jsonedit.Get(m.JSON, "content")
		if !ok {
			text, ok = jsonedit.String(content)
		}
		for block := range jsonedit.Elements(content) {
			if !ok {
				text, _ = jsonedit.Text(block, "text")
			}
		}
		said = append(said, role+":"+strings.Clone(text))
	}
	return said
}

func ids(all []entry.Entry) []string {
	out := []string{}
	for _, e := range all {
		out = append(out, e.ID)
	}
	return out
}
