package conversion_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A file is a session as bytes, with the blobs that its agent has.
type file struct {
	data  []byte
	rules spelling.Dialect
	blobs map[string][]byte
	path  string
}

func (f file) parse(t testing.TB) (entry.Header, *entry.List, *tree.Tree) {
	t.Helper()
	h, list, _, err := session.ParseEntries(f.data)
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, f.data)
	}
	return h, list, tree.New(list, nil)
}

func (f file) read(ref string) ([]byte, error) {
	if data, ok := f.blobs[ref]; ok {
		return data, nil
	}
	return nil, errors.New("no such blob")
}

// source makes what is converted of a file.
func (f file) source(t testing.TB) conversion.Source {
	t.Helper()
	h, list, tr := f.parse(t)
	src := conversion.Source{Dialect: f.rules, List: list, Line: list.Load, Leaf: tr.Leaf(), Get: f.read}
	src.Header, src.Path = &h, f.path
	var err error
	if src.Title, src.TitleSource, err = f.rules.Title(&h, list); err != nil {
		t.Fatal(err)
	}
	return src
}

// to converts a file. fresh is what the new session has of its own; without an
// id it is the same session.
func (f file) to(t testing.TB, name dialect.Name, fresh spelling.Fresh) (file, *convert.Report) {
	t.Helper()
	rules, _ := spelling.ByName(string(name))
	out := file{rules: rules, blobs: map[string][]byte{}, path: "/converted.jsonl"}
	n := 0
	target := conversion.Target{
		Dialect: rules, Fresh: fresh, Now: 1_800_000_000_000,
		Put: func(data []byte, _ string) (string, error) {
			ref := blob.RefOf(data).String()
			out.blobs[ref] = bytes.Clone(data)
			return ref, nil
		},
		NewID: func(taken func(string) bool) (entry.ID, error) {
			for {
				n++
				if id := fmt.Sprintf("%08x", 0xadded00+n); !taken(id) {
					return id, nil
				}
			}
		},
	}
	if rules.Persist.Images == spelling.NoImages {
		target.Put = nil
	}
	c, err := conversion.New(f.source(t), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range c.Head() {
		out.data = append(append(out.data, line...), '\n')
	}
	for line, err := range c.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		out.data = append(append(out.data, line...), '\n')
	}
	return out, c.Report()
}

// lines returns the entries' lines.
func (f file) lines(t testing.TB) [][]byte {
	t.Helper()
	_, list, _ := f.parse(t)
	all := make([][]byte, list.Len())
	for i := range all {
		line, err := list.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = line
	}
	return all
}

// said returns what the model sees at a leaf: messages without what an entry
// gives that is in skip, images put back, each after the id of its entry. What
// omp prunes is left to omp.
func (f file) said(t testing.TB, list *entry.List, path []int, skip map[int]bool) []string {
	t.Helper()
	rules := f.rules.Replay
	rules.Prune = nil
	resolved := &entry.List{Index: list.Index, Load: func(i int) ([]byte, error) {
		line, err := list.Load(i)
		if err != nil {
			return nil, err
		}
		keep := f.rules.Persist
		keep.Forget = ""
		line, _, err = spelling.Resolve(line, keep, f.read)
		return line, err
	}}
	c, err := replay.Build(resolved, path, rules)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		if !skip[m.Entry] {
			id, _ := list.ID(m.Entry)
			all = append(all, id+" "+canonical(m.JSON))
		}
	}
	return all
}

// canonical returns a value with the members of its objects in order.
func canonical(v entry.JSON) string {
	switch jsonedit.Kind(v) {
	case '{':
		members := map[string]string{}
		for key, value := range jsonedit.Members(v) {
			members[key] = canonical(value)
		}
		var all []string
		for key, value := range members {
			all = append(all, fmt.Sprintf("%q:%s", key, value))
		}
		slices.Sort(all)
		return "{" + strings.Join(all, ",") + "}"
	case '[':
		var all []string
		for e := range jsonedit.Elements(v) {
			all = append(all, canonical(e))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return string(v)
}

// sameContext checks, leaf by leaf, that the model sees the same, entries of the
// report aside.
func sameContext(t *testing.T, a, b file, report *convert.Report) {
	t.Helper()
	skip, own := map[int]bool{}, map[int]bool{}
	for _, item := range report.Items {
		skip[item.Position] = item.Reason != conversion.Restored
		if item.Reason == conversion.Preserved {
			own[item.Position] = true // which entries are kept depends on what it holds
		}
	}
	_, la, ta := a.parse(t)
	_, lb, tb := b.parse(t)
	tips := ta.Tips()
	if len(tips) > 12 {
		tips = tips[len(tips)-12:]
	}
	for _, leaf := range append(tips, ta.Leaf()) {
		if slices.ContainsFunc(ta.Path(leaf, tree.Strict), func(i int) bool { return own[i] }) {
			continue
		}
		x := a.said(t, la, ta.Path(leaf, tree.Strict), skip)
		y := b.said(t, lb, tb.Path(leaf, tree.Strict), skip)
		if !slices.Equal(x, y) {
			for n := range max(len(x), len(y)) {
				if n >= len(x) || n >= len(y) || x[n] != y[n] {
					t.Errorf("%s to %s, at entry %d: message %d of %d and %d:\nbefore %.600s\nafter  %.600s", a.rules.Name, b.rules.Name, leaf, n, len(x), len(y),
						at(x, n), at(y, n))
					return
				}
			}
		}
	}
	if slices.ContainsFunc(ta.Path(ta.Leaf(), tree.Strict), func(i int) bool { return own[i] }) {
		return
	}
	// At the new leaf is what was at the old one.
	x := a.said(t, la, ta.Path(ta.Leaf(), tree.Strict), skip)
	y := b.said(t, lb, tb.Path(tb.Leaf(), tree.Strict), skip)
	if !slices.Equal(x, y) {
		t.Errorf("%s to %s: the leaf moved: %d messages, then %d", a.rules.Name, b.rules.Name, len(x), len(y))
	}
}

func at(all []string, n int) string {
	if n < len(all) {
		return all[n]
	}
	return "(none)"
}

// sameLines checks that a session that came home is what it was: byte for byte
// where it was not changed abroad, equal everywhere.
func sameLines(t *testing.T, a, abroad, b file) {
	t.Helper()
	before, between, after := a.lines(t), abroad.lines(t), b.lines(t)
	if len(before) != len(after) {
		t.Fatalf("%s, %s and back: %d entries, then %d", a.rules.Name, abroad.rules.Name, len(before), len(after))
	}
	for i := range before {
		switch {
		case bytes.Equal(before[i], after[i]):
		case bytes.Equal(before[i], between[i]):
			t.Errorf("%s, %s and back: entry %d was not changed and comes back as\n%.600s\nfrom\n%.600s", a.rules.Name, abroad.rules.Name, i, after[i], before[i])
		case canonical(before[i]) != canonical(after[i]):
			t.Errorf("%s, %s and back: entry %d comes back as\n%.600s\nfrom\n%.600s\nthrough\n%.600s", a.rules.Name, abroad.rules.Name, i, after[i], before[i], between[i])
		}
	}
}

// journey converts a file to every dialect and back, directly and by way of a
// third.
func journey(t *testing.T, f file) {
	t.Helper()
	for _, other := range spelling.All() {
		if other.Name == f.rules.Name {
			continue
		}
		abroad, report := f.to(t, other.Name, spelling.Fresh{})
		checkFile(t, abroad)
		sameContext(t, f, abroad, report)
		back, report := abroad.to(t, f.rules.Name, spelling.Fresh{})
		sameLines(t, f, abroad, back)
		if report.Added != 0 {
			t.Errorf("%s, %s and back: %d entries added", f.rules.Name, other.Name, report.Added)
		}
		header(t, f, back)
		for _, third := range spelling.All() {
			if third.Name == f.rules.Name || third.Name == other.Name {
				continue
			}
			far, _ := abroad.to(t, third.Name, spelling.Fresh{})
			checkFile(t, far)
			back, _ := far.to(t, f.rules.Name, spelling.Fresh{})
			sameLines(t, f, far, back)
			header(t, f, back)
		}
	}
}

// header checks that a session that came home has the header it left with.
func header(t *testing.T, a, b file) {
	t.Helper()
	before, _, _ := a.parse(t)
	after, _, _ := b.parse(t)
	if before.Raw == nil {
		return // the source has none
	}
	if want := string(spelling.MigrateHeader(before.Raw)); canonical(entry.JSON(want)) != canonical(after.Raw) {
		t.Errorf("%s: the header was\n%s\nand is\n%s", a.rules.Name, want, after.Raw)
	}
	if (before.Slot == nil) != (after.Slot == nil) || before.Slot != nil && before.Slot.Title != after.Slot.Title {
		t.Errorf("%s: the slot was %v and is %v", a.rules.Name, before.Slot, after.Slot)
	}
}

// checkFile checks that a converted file says whose it is, and that none of its
// lines is damaged.
func checkFile(t *testing.T, f file) {
	t.Helper()
	h, list, damage, err := session.ParseEntries(f.data)
	if err != nil {
		t.Fatal(err)
	}
	if damage.Unreadable() > 0 {
		t.Errorf("to %s: %s", f.rules.Name, damage)
	}
	if got := spelling.Of("", list, h); got.Name != f.rules.Name {
		t.Errorf("to %s: by its marks it is of %s", f.rules.Name, got.Name)
	}
}

func TestVectors(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, v := range all {
		data, ok := vectors.File(v.Input)
		if !ok {
			continue
		}
		h, list, _, err := session.ParseEntries(data)
		if err != nil || list.Len() == 0 || len(data) > 1<<20 {
			continue
		}
		ran++
		t.Run(v.File, func(t *testing.T) {
			rules, _ := spelling.ByName(v.System)
			if h.Slot != nil {
				rules, _ = spelling.ByName("omp") // no session for the others
			}
			journey(t, file{data: data, rules: rules, path: "/vector.jsonl"})
		})
	}
	if ran < 40 {
		t.Errorf("only %d vectors have a session", ran)
	}
}

func TestRandom(t *testing.T) {
	for _, name := range sessiongen.Dialects() {
		t.Run(string(name), func(t *testing.T) {
			rules, _ := spelling.ByName(string(name))
			for seed := range uint64(12) {
				s := sessiongen.Random(rand.New(rand.NewPCG(seed, 7)), sessiongen.Options{Dialect: name, Clean: true, Entries: int(10 + 6*seed)})
				journey(t, file{data: s.Bytes, rules: rules, path: "/random.jsonl"})
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}
