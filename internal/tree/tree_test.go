package tree_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/google/go-cmp/cmp"
)

// list returns the list of lines, each "id parent" with "-" for no parent and,
// optionally, more members.
func list(t testing.TB, lines ...string) *entry.List {
	t.Helper()
	var raw [][]byte
	for _, l := range lines {
		raw = append(raw, []byte(l))
	}
	all, err := entry.NewList(raw)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// say is the line of a user message.
func say(id, parent string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"message":{"role":"user","content":"x"}}`, id, named(parent))
}

func named(parent string) string {
	if parent == "" {
		return "null"
	}
	return fmt.Sprintf("%q", parent)
}

func label(id, parent, target, text string) string {
	return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z","targetId":%q,"label":%q}`,
		id, named(parent), target, text)
}

func TestLinks(t *testing.T) {
	tests := []struct {
		name           string
		lines          []string
		gaps           []tree.Gap
		strict, healed []int // parents
	}{
		{"chain", []string{say("a", ""), say("b", "a"), say("c", "b")}, nil,
			[]int{-1, 0, 1}, []int{-1, 0, 1}},
		{"orphan takes the entry before it", []string{say("a", ""), say("b", "a"), say("c", "gone")}, nil,
			[]int{-1, 0, -1}, []int{-1, 0, 1}},
		{"first entry an orphan", []string{say("a", "gone"), say("b", "a")}, nil,
			[]int{-1, 0}, []int{-1, 0}},
		{"self-parent is a root", []string{say("a", ""), say("s", "s"), say("c", "s")}, nil,
			[]int{-1, -1, 1}, []int{-1, -1, 1}},
		{"damaged line with a legible parent", []string{say("a", ""), say("b", "a"), say("x", "a"), say("d", "g")},
			[]tree.Gap{{ID: "g", ParentID: "b", HasParent: true, At: 3}},
			[]int{-1, 0, 0, -1}, []int{-1, 0, 0, 1}},
		{"chain of damaged lines", []string{say("a", ""), say("x", "a"), say("d", "h")},
			[]tree.Gap{{ID: "g", ParentID: "a", HasParent: true, At: 2}, {ID: "h", ParentID: "g", HasParent: true, At: 2}},
			[]int{-1, 0, -1}, []int{-1, 0, 0}},
		{"damaged line without a parent", []string{say("a", ""), say("b", "a"), say("c", "b"), say("d", "g")},
			[]tree.Gap{{ID: "g", At: 2}},
			[]int{-1, 0, 1, -1}, []int{-1, 0, 1, 1}},
		{"damaged lines in a ring", []string{say("a", ""), say("d", "g")},
			[]tree.Gap{{ID: "g", ParentID: "h", HasParent: true, At: 1}, {ID: "h", ParentID: "g", HasParent: true, At: 1}},
			[]int{-1, -1}, []int{-1, 0}},
		{"damaged line whose parent is the orphan", []string{say("a", ""), say("d", "g")},
			[]tree.Gap{{ID: "g", ParentID: "d", HasParent: true, At: 1}},
			[]int{-1, -1}, []int{-1, 0}},
		{"duplicate ids", []string{say("a", ""), say("b", "a"), say("a", "b"), say("c", "a")}, nil,
			[]int{-1, 0, 1, 2}, []int{-1, 0, 1, 2}},
		{"parent after the child", []string{say("b", "a"), say("a", ""), say("a", "b")}, nil,
			[]int{1, -1, 0}, []int{1, -1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := tree.New(list(t, tt.lines...), tt.gaps)
			for links, want := range map[tree.Links][]int{tree.Strict: tt.strict, tree.Healed: tt.healed} {
				var got []int
				for i := range tt.lines {
					got = append(got, tr.Parent(i, links))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("links %d (-want +got):\n%s", links, diff)
				}
			}
		})
	}
}

func TestHealsAreCounted(t *testing.T) {
	tr := tree.New(list(t, say("a", ""), say("b", "gone"), say("c", "b"), say("d", "g")),
		[]tree.Gap{{ID: "g", ParentID: "a", HasParent: true, At: 3}})
	want := []tree.Heal{{Entry: 1, To: 0, Gap: -1}, {Entry: 3, To: 0, Gap: 0}}
	if diff := cmp.Diff(want, tr.Heals()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !tr.Orphan(1) || tr.Orphan(2) {
		t.Errorf("orphans: got %v %v, want true false", tr.Orphan(1), tr.Orphan(2))
	}
}

func TestPaths(t *testing.T) {
	tr := tree.New(list(t, say("x", "y"), say("y", "x"), say("z", "y"), say("s", "s"), say("r", ""), say("q", "r")), nil)
	for from, want := range map[int][]int{0: {1, 0}, 1: {0, 1}, 2: {0, 1, 2}, 3: {3}, 5: {4, 5}, 6: nil, -1: nil} {
		if diff := cmp.Diff(want, tr.Path(from, tree.Strict)); diff != "" {
			t.Errorf("path of %d (-want +got):\n%s", from, diff)
		}
	}
	if diff := cmp.Diff([]int{0, 3, 4}, tr.Roots(tree.Strict)); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	for _, tt := range [][3]int{{0, 2, 1}, {2, 5, -1}, {5, 4, 4}, {5, 5, 5}, {9, 5, -1}} {
		if got := tr.CommonAncestor(tt[0], tt[1], tree.Strict); got != tt[2] {
			t.Errorf("common ancestor of %d and %d: got %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
	if got := tr.Depth(2, tree.Strict); got != 2 {
		t.Errorf("depth: got %d, want 2", got)
	}
}

// TestHealedCycles: links that are healed may make a cycle, where none is damaged and no
// parent as written stands after its child.
func TestHealedCycles(t *testing.T) {
	misspelt := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"custom","id":%q,"pareWtId":%q}`, id, parent)
	}
	for _, lines := range [][]string{
		{say("r", ""), misspelt("a", "b"), say("b", "a"), say("c", "b")},
		{say("r", ""), misspelt("a", "c"), misspelt("b", "a"), say("c", "b")},
		{say("r", ""), misspelt("a", "c"), misspelt("b", "c"), misspelt("c", "a")},
	} {
		tr := tree.New(list(t, lines...), nil)
		for i := 1; i < len(lines); i++ {
			if got := len(tr.Path(i, tree.Healed)); got < 2 || got >= len(lines) {
				t.Errorf("%s: the path of %d has %d entries", lines, i, got)
			}
			if tr.Depth(i, tree.Healed) >= len(lines) || tr.CommonAncestor(i, 1, tree.Healed) < 0 {
				t.Errorf("%s: %d is at %d, below nothing", lines, i, tr.Depth(i, tree.Healed))
			}
		}
		if roots := tr.Roots(tree.Healed); len(roots) != 2 {
			t.Errorf("%s: roots %v", lines, roots)
		}
	}
}

func TestChildren(t *testing.T) {
	tr := tree.New(list(t, say("a", ""), say("b", "a"), say("o", "gone"), say("c", "a"), say("d", "b")), nil)
	for at, want := range map[int][]int{-1: {0}, 0: {1, 3}, 1: {4}, 4: nil} {
		if diff := cmp.Diff(want, tr.Children(at, tree.Strict)); diff != "" {
			t.Errorf("children of %d (-want +got):\n%s", at, diff)
		}
	}
	if diff := cmp.Diff([]int{2, 4}, tr.Children(1, tree.Healed)); diff != "" {
		t.Errorf("healed children (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2}, tr.Roots(tree.Strict)); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
}

// grown is a list to which lines are added.
type grown struct {
	*entry.List
	lines [][]byte
}

func newGrown() *grown {
	g := &grown{}
	g.List = &entry.List{Index: entry.NewIndex(), Load: func(i int) ([]byte, error) { return g.lines[i], nil }}
	return g
}

func (g *grown) add(t testing.TB, line string) {
	t.Helper()
	var e entry.Envelope
	if err := e.Scan([]byte(line)); err != nil {
		t.Fatal(err)
	}
	g.lines = append(g.lines, []byte(line))
	g.Add(&e, entry.At{Len: int64(len(line)), Line: len(g.lines)})
}

func TestGrow(t *testing.T) {
	g := newGrown()
	g.add(t, say("a", ""))
	tr := tree.New(g.List, nil)
	if got := tr.Children(0, tree.Strict); got != nil {
		t.Errorf("children: got %v", got)
	}
	g.add(t, say("b", "late"))
	g.add(t, say("c", "a"))
	if got := tr.Parent(1, tree.Healed); got != 0 || len(tr.Heals()) != 1 {
		t.Errorf("orphan: got parent %d, %d heals", got, len(tr.Heals()))
	}
	if diff := cmp.Diff([]int{1, 2}, tr.Children(0, tree.Healed)); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
	g.add(t, say("late", "a"))
	if got := tr.Parent(1, tree.Strict); got != 3 || len(tr.Heals()) != 0 {
		t.Errorf("adopted: got parent %d, %d heals", got, len(tr.Heals()))
	}
	if diff := cmp.Diff([]int{2, 3}, tr.Children(0, tree.Healed)); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
	g.add(t, label("l", "c", "a", "here"))
	if got, ok, err := tr.Label("a"); got != "here" || !ok || err != nil {
		t.Errorf("label: got %q %v %v", got, ok, err)
	}
}

func TestLeaf(t *testing.T) {
	exit := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"custom","customType":"session_exit","id":%q,"parentId":%s}`, id, named(parent))
	}
	tests := []struct {
		name  string
		lines []string
		want  int
	}{
		{"none", nil, -1},
		{"last of any kind", []string{say("a", ""), label("l", "a", "a", "x")}, 1},
		{"exit after the newest", []string{say("a", ""), exit("e", "a")}, 1},
		{"exit beside the newest", []string{say("a", ""), say("b", "a"), exit("e", "a")}, 1},
		{"two exits beside it", []string{say("a", ""), say("b", "a"), exit("e", "a"), exit("f", "e")}, 1},
		{"exit alone", []string{exit("e", "")}, 0},
		{"exit in the middle", []string{say("a", ""), exit("e", "a"), say("b", "e")}, 2},
	}
	for _, tt := range tests {
		if got := tree.New(list(t, tt.lines...), nil).Leaf(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTips(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []int
	}{
		{"one branch", []string{say("a", ""), say("b", "a")}, []int{1}},
		{"labels are not said", []string{say("a", ""), say("b", "a"), label("l", "a", "a", "x")}, []int{1}},
		{"the end of what hangs on it", []string{say("a", ""), say("b", "a"), label("l", "b", "a", "x"), say("c", "a")}, []int{2, 3}},
		{"two records on the last word", []string{say("a", ""), label("l", "a", "a", "x"), label("m", "a", "a", "y")}, []int{2}},
		{"cycle", []string{say("x", "y"), say("y", "x")}, []int{1}},
		{"nothing said", []string{label("l", "", "a", "x")}, nil},
	}
	for _, tt := range tests {
		got := tree.New(list(t, tt.lines...), nil).Tips()
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLabelsAreOrderedAsAMap(t *testing.T) {
	tr := tree.New(list(t, say("a", ""), say("b", "a"),
		label("1", "b", "a", "one"), label("2", "1", "b", "two"), label("3", "2", "a", "three"),
		label("4", "3", "b", ""), label("5", "4", "c", "four"), label("6", "5", "b", "five")), nil)
	got, err := tr.Labels()
	if err != nil {
		t.Fatal(err)
	}
	want := []tree.Label{{"a", "three", 4}, {"c", "four", 6}, {"b", "five", 7}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNodes(t *testing.T) {
	at := func(id, parent, time string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":"user"}}`, id, named(parent), time)
	}
	tr := tree.New(list(t,
		at("r", "", "2026-01-02T00:00:09.000Z"),
		at("late", "r", "2026-01-02T00:00:08.000Z"),
		at("early", "r", "2026-01-02T00:00:07.000Z"),
		at("same", "r", "2026-01-02T00:00:08.000Z"),
		at("second", "", "2026-01-02T00:00:01.000Z"),
		at("below", "early", "never"),
	), nil)
	want := []tree.Node{{0, 0, 3, false}, {2, 1, 1, false}, {5, 2, 0, true}, {1, 1, 0, false}, {3, 1, 0, true}, {4, 0, 0, true}}
	got := slices.Collect(tr.Nodes(tree.Strict))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	lines := []string{say("a", ""), say("b", "a"), label("l", "b", "a", `q"\u00e9`), say("c", "a"), say("d", "")}
	tr := tree.New(list(t, lines...), nil)
	got, err := tr.AppendJSON([]byte("x"), tree.Strict)
	if err != nil {
		t.Fatal(err)
	}
	want := `x[{"entry":` + lines[0] + `,"label":"q\"é","children":[{"entry":` + lines[1] + `,"children":[{"entry":` + lines[2] +
		`,"children":[]}]},{"entry":` + lines[3] + `,"children":[]}]},{"entry":` + lines[4] + `,"children":[]}]`
	want = string(bytes.ReplaceAll([]byte(want), []byte(`"label":"q\"é"`), append([]byte(`"label":`), jsonedit.Quoted(`q"\u00e9`)...)))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	if err := tr.WriteJSON(&b, tree.Strict); err != nil || b.String() != want[1:] {
		t.Errorf("written: %v\n%s", err, b.String())
	}
	if empty, err := tree.New(list(t), nil).AppendJSON(nil, tree.Strict); string(empty) != "[]" || err != nil {
		t.Errorf("empty: got %s %v", empty, err)
	}
}

func TestJSONErrors(t *testing.T) {
	l := list(t, say("a", ""), label("l", "a", "a", "x"))
	broken := errors.New("broken")
	load := l.Load
	for _, bad := range []int{0, 1} {
		l.Load = func(i int) ([]byte, error) {
			if i == bad {
				return nil, broken
			}
			return load(i)
		}
		if _, err := tree.New(l, nil).AppendJSON(nil, tree.Strict); !errors.Is(err, broken) {
			t.Errorf("line %d: got %v", bad, err)
		}
	}
	l.Load = load
	if err := tree.New(l, nil).WriteJSON(failing{}, tree.Strict); !errors.Is(err, errFull) {
		t.Errorf("writer: got %v", err)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestDeepChainsAndLongCycles(t *testing.T) {
	chain := func(n int, first string) *entry.List {
		lines := make([][]byte, n)
		for i := range lines {
			parent := first
			if i > 0 {
				parent = fmt.Sprint(i - 1)
			}
			lines[i] = []byte(say(fmt.Sprint(i), parent))
		}
		l, err := entry.NewList(lines)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const deep = 100_000
	tr := tree.New(chain(deep, ""), nil)
	if got := len(tr.Path(deep-1, tree.Strict)); got != deep {
		t.Errorf("path: got %d", got)
	}
	text, err := tr.AppendJSON(nil, tree.Strict)
	if end := strings.Repeat("]}", deep) + "]"; err != nil || !bytes.HasSuffix(text, []byte(end)) {
		t.Errorf("tree of %d bytes does not close all nodes: %v", len(text), err)
	}
	if got := bytes.Count(text, []byte(`"entry":`)); got != deep {
		t.Errorf("nodes: got %d", got)
	}
	const ring = 20_000
	tr = tree.New(chain(ring, fmt.Sprint(ring-1)), nil)
	if got := len(tr.Path(7, tree.Healed)); got != ring {
		t.Errorf("path in the ring: got %d", got)
	}
	if diff := cmp.Diff([]int{0}, tr.Roots(tree.Strict)); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0}, tr.Cycles()); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
	n := 0
	for range tr.Nodes(tree.Strict) {
		n++
	}
	if n != ring {
		t.Errorf("nodes of the ring: got %d", n)
	}
}

// TestBranchedAsRecorded compares the plan of a session made from a branch with
// what pi 0.87.1 wrote.
func TestBranchedAsRecorded(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.File != "pi-19-branched-session-relabels.json" {
			continue
		}
		text, _ := vectors.File(v.Input)
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))[1:]
		l, err := entry.NewList(lines)
		if err != nil {
			t.Fatal(err)
		}
		tr := tree.New(l, nil)
		plan, err := tr.Branched(l.Find("a2"), tree.Strict)
		if err != nil {
			t.Fatal(err)
		}
		got := written(l, plan)
		var want []string
		results, _ := jsonedit.Get(v.Expected, "results")
		n := 0
		for r := range jsonedit.Elements(results) {
			if n++; n != 3 {
				continue
			}
			for line := range jsonedit.Elements(r) {
				s, _ := jsonedit.String(line)
				want = append(want, s)
			}
		}
		if diff := cmp.Diff(want[1:len(want)-1], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return
	}
	t.Error("the vector is missing")
}

// written returns the lines of a planned session, new ids as the vectors write
// them.
func written(l *entry.List, plan tree.Branched) []string {
	var out []string
	parent := "null"
	for _, k := range plan.Kept {
		line, _ := l.Load(k.Entry)
		out = append(out, string(k.Line(line)))
		id, _ := l.ID(k.Entry)
		parent = string(jsonedit.Quoted(id))
	}
	for n, r := range plan.Labels {
		id := fmt.Sprintf(`"{{id:%d}}"`, n+1)
		var o jsonedit.Object
		o.String("type", "label").Add("id", entry.JSON(id)).Add("parentId", entry.JSON(parent))
		o.String("timestamp", jsonedit.FormatTime(r.Time)).String("targetId", r.TargetID).String("label", r.Label)
		out = append(out, string(o.Value()))
		parent = id
	}
	return out
}

func TestBranched(t *testing.T) {
	cut := func(id, parent, first string) string {
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":%q,"summary":"S","firstKeptEntryId":%q}`, id, parent, first)
	}
	tests := []struct {
		name  string
		lines []string
		leaf  int
		want  []string
	}{
		{"own id stays", []string{say("a", ""), label("l", "a", "a", ""), cut("c", "l", "c")}, 2,
			[]string{say("a", ""), cut("c", "a", "c")}},
		{"label just before the compaction", []string{say("a", ""), label("l", "a", "a", ""), cut("c", "l", "l")}, 2,
			[]string{say("a", ""), cut("c", "a", "c")}},
		{"id off the path stays", []string{say("a", ""), label("l", "a", "a", ""), cut("c", "l", "zz")}, 2,
			[]string{say("a", ""), cut("c", "a", "zz")}},
		{"leaf is a label", []string{say("a", ""), label("l", "a", "a", "")}, 1, []string{say("a", "")}},
		{"labels only", []string{label("l", "", "a", "")}, 0, nil},
		{"outside", []string{say("a", "")}, 7, nil},
		{"orphan first", []string{say("a", "gone"), say("b", "a")}, 1, []string{say("a", ""), say("b", "a")}},
	}
	for _, tt := range tests {
		l := list(t, tt.lines...)
		plan, err := tree.New(l, nil).Branched(tt.leaf, tree.Healed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, written(l, plan)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
