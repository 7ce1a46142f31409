package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// recordsOf generates records of files in one directory.
func recordsOf(dir string) *rapid.Generator[catalog.Record] {
	return rapid.Custom(func(t *rapid.T) catalog.Record {
		text, whole := rapid.StringOf(rapid.Rune()), rapid.Int64Range(0, 1<<60)
		at := func(name string) time.Time { return time.Unix(0, whole.Draw(t, name)).UTC() }
		r := catalog.Record{
			Path:  dir + "/" + rapid.StringMatching(`[a-d]{1,3}(_[a-z0-9]{1,8})?(\.jsonl)?`).Draw(t, "name"),
			Stamp: source.Stamp{Dev: rapid.Uint64().Draw(t, "dev"), Ino: rapid.Uint64().Draw(t, "ino"), Size: whole.Draw(t, "size"), ModTime: whole.Draw(t, "mtime")},
			None:  rapid.Bool().Draw(t, "none"),
		}
		r.Info.Path = r.Path
		if r.None {
			return r
		}
		r.Info = catalog.Info{
			Path: r.Path, ID: text.Draw(t, "id"), CWD: text.Draw(t, "cwd"), Parent: text.Draw(t, "parent"), Agent: "pi",
			Title: text.Draw(t, "title"), Named: rapid.Bool().Draw(t, "named"), Modified: at("modified"), ModTime: at("changed"),
			Messages: rapid.IntRange(0, 1<<30).Draw(t, "messages"), FirstMessage: text.Draw(t, "first"), Size: whole.Draw(t, "bytes"),
			Status: catalog.Status(rapid.SampledFrom([]string{"complete", "error", ""}).Draw(t, "status")), Model: text.Draw(t, "model"), Forked: rapid.Bool().Draw(t, "forked"),
			Damaged: rapid.Bool().Draw(t, "damaged"), Detail: text.Draw(t, "detail"),
			Tips: rapid.SliceOfN(text, 0, 3).Draw(t, "tips"),
		}
		if len(r.Info.Tips) == 0 {
			r.Info.Tips = nil
		}
		if rapid.Bool().Draw(t, "dated") {
			r.Info.Created = at("created")
		}
		if rapid.Bool().Draw(t, "used") {
			r.Info.Usage = catalog.Usage{Input: 1, Output: 2.5, CacheRead: 3, CacheWrite: 4, PremiumRequests: rapid.Float64().Draw(t, "premium"), Cost: rapid.Float64().Draw(t, "cost"), Messages: 6}
		}
		if rapid.Bool().Draw(t, "as the file") {
			r.Info.ModTime, r.Info.Size = time.Unix(0, r.Stamp.ModTime).UTC(), r.Stamp.Size
		}
		return r
	})
}

// TestBundles: whatever is put, put in place of another and taken out, bundles say
// what a map would, in order, of a size, and each by itself.
func TestBundles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := rapid.SampledFrom([]string{"", "/a", "/home/dev/.pi/agent/sessions/--work--"}).Draw(t, "dir")
		model := map[string]catalog.Record{}
		kept := []catalog.Bundle{nil}
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			put := rapid.SliceOfN(recordsOf(dir), 0, 30).Draw(t, "records")
			var gone []string
			for path := range model {
				if rapid.IntRange(0, 3).Draw(t, "goes") == 0 {
					gone = append(gone, path[len(dir)+1:])
				}
			}
			at := rapid.IntRange(0, len(kept)-1).Draw(t, "bundle")
			// A bundle is told of the names that are its own only.
			low, high := "", "\xff"
			if at > 0 {
				low = kept[at].First()
			}
			if at+1 < len(kept) {
				high = kept[at+1].First()
			}
			mine := func(name string) bool { return name >= low && name < high }
			put = slices.DeleteFunc(put, func(r catalog.Record) bool { return !mine(r.Path[len(dir)+1:]) })
			gone = slices.DeleteFunc(gone, func(name string) bool { return !mine(name) })
			for _, r := range put {
				model[r.Path] = r
			}
			for _, name := range gone {
				delete(model, dir+"/"+name)
			}
			was := slices.Clone(kept[at])
			made := catalog.Rebundle(kept[at], put, gone)
			if !slices.Equal(was, kept[at]) {
				t.Fatal("the old bundle was changed")
			}
			kept = slices.Replace(kept, at, at+1, made...)
			if len(kept) == 0 {
				kept = []catalog.Bundle{nil}
			}
			checkBundles(t, kept, model)
		}
	})
}

// checkBundles compares bundles with what they must say.
func checkBundles(t *rapid.T, kept []catalog.Bundle, model map[string]catalog.Record) {
	got := map[string]catalog.Record{}
	last := ""
	for _, b := range kept {
		n := 0
		for r := range b.Records() {
			if n == 0 && b.First() != r.Path[strings.LastIndexByte(r.Path, '/')+1:] {
				t.Fatalf("the first is %q, not %q", r.Path, b.First())
			}
			if r.Path <= last {
				t.Fatalf("%q comes after %q", r.Path, last)
			}
			last, got[r.Path] = r.Path, r
			n++
		}
		if len(b) > 14<<10 && n > 1 {
			t.Fatalf("%d records in %d bytes", n, len(b))
		}
	}
	if diff := cmp.Diff(model, got); diff != "" {
		t.Fatalf("records (-want +got):\n%s", diff)
	}
}

// TestLargeDirectory: what is added at the end leaves all bundles but the last as
// they are, full; one in the middle is cut in halves.
func TestLargeDirectory(t *testing.T) {
	var kept []catalog.Bundle
	of := func(n int) []catalog.Record {
		path := fmt.Sprintf("/d/%06d_x.jsonl", n)
		return []catalog.Record{{Path: path, Info: catalog.Info{Path: path, ID: "x", FirstMessage: strings.Repeat("word ", n%40)}}}
	}
	for n := range 2000 {
		if len(kept) == 0 {
			kept = catalog.Rebundle(nil, of(2*n), nil)
			continue
		}
		last := len(kept) - 1
		kept = append(kept[:last], catalog.Rebundle(kept[last], of(2*n), nil)...)
	}
	total := 0
	for _, b := range kept {
		total += len(b)
	}
	if mean := total / len(kept); len(kept) < 20 || mean < 8<<10 {
		t.Errorf("%d bundles of %d bytes", len(kept), mean)
	}
	middle := kept[len(kept)/2]
	var halves []catalog.Bundle
	for n := 1; len(halves) < 2; n += 2 {
		if halves = catalog.Rebundle(middle, of(n), nil); len(halves) == 1 {
			middle = halves[0]
		}
	}
	if a, b := len(halves[0]), len(halves[1]); a > 2*b || b > 2*a {
		t.Errorf("cut into %d and %d bytes", a, b)
	}
}

func FuzzBundle(f *testing.F) {
	r := catalog.Record{Path: "/a", Info: catalog.Info{Path: "/a", ID: "x", Tips: []string{"t"}, Usage: catalog.Usage{Cost: 1}}}
	for _, b := range catalog.Rebundle(nil, []catalog.Record{r, {Path: "/b", None: true}}, nil) {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b := catalog.Bundle(raw)
		_ = b.First()
		var all []catalog.Record
		for r := range b.Records() {
			all = append(all, r)
		}
		for _, made := range catalog.Rebundle(b, []catalog.Record{r}, []string{"c"}) {
			for range made.Records() {
				continue
			}
		}
		if len(all) == 0 || strings.Contains(all[0].Path, "/") {
			return
		}
		for _, made := range catalog.Rebundle(nil, all[:1], nil) {
			for again := range made.Records() {
				if again.Path != all[0].Path || again.Info.ID != all[0].Info.ID {
					t.Errorf("%+v became %+v", all[0], again)
				}
			}
		}
	})
}

func BenchmarkBundle(b *testing.B) {
	var all []catalog.Record
	for n := range 40 {
		all = append(all, catalog.Record{Path: fmt.Sprintf("/home/dev/.pi/agent/sessions/--home-dev--/2026-01-02T03-04-05-%03dZ_0badc0de.jsonl", n), Info: catalog.Info{
			ID: "0badc0de", CWD: "/home/dev/project", Title: "a title of some words", FirstMessage: "what was asked first of all, in a line",
			Usage: catalog.Usage{Cost: 1},
		}})
	}
	kept := catalog.Rebundle(nil, all, nil)[0]
	b.Run("change one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(catalog.Rebundle(kept, all[20:21], nil)) != 1 {
				b.Fatal("cut")
			}
		}
	})
	b.Run("read all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range kept.Records() {
				continue
			}
		}
	})
}
