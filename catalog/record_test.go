package catalog_test

import (
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func records() *rapid.Generator[catalog.Record] {
	return rapid.Custom(func(t *rapid.T) catalog.Record {
		text, whole := rapid.StringOf(rapid.Rune()), rapid.Int64Range(0, 1<<60)
		at := func(name string) time.Time { return time.Unix(0, whole.Draw(t, name)).UTC() }
		r := catalog.Record{
			Path:  text.Draw(t, "path"),
			Stamp: catalog.Stamp{Dev: rapid.Uint64().Draw(t, "dev"), Ino: rapid.Uint64().Draw(t, "ino"), Size: whole.Draw(t, "size"), ModTime: whole.Draw(t, "mtime")},
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
			Status: catalog.Failed, Model: text.Draw(t, "model"), Forked: rapid.Bool().Draw(t, "forked"),
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
			r.Info.Usage = catalog.Usage{Input: 1, Output: 2.5, CacheRead: 3, CacheWrite: 4, PremiumRequests: 5, Cost: rapid.Float64().Draw(t, "cost"), Messages: 6}
		}
		return r
	})
}

func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := records().Draw(t, "record")
		packed := catalog.AppendRecord([]byte("before"), &want)[len("before"):]
		got, err := catalog.ParseRecord(packed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("record (-want +got):\n%s", diff)
		}
		cut := packed[:rapid.IntRange(0, len(packed)-1).Draw(t, "cut")]
		if _, err := catalog.ParseRecord(cut); err == nil {
			t.Fatalf("%d of %d bytes are a record", len(cut), len(packed))
		}
	})
}

func FuzzParseRecord(f *testing.F) {
	r := catalog.Record{Path: "/a", Info: catalog.Info{Path: "/a", ID: "x", Tips: []string{"t"}}}
	f.Add(catalog.AppendRecord(nil, &r))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := catalog.ParseRecord(b)
		if err != nil {
			return
		}
		again, err := catalog.ParseRecord(catalog.AppendRecord(nil, &r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Path, again.Path); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkParseRecord(b *testing.B) {
	r := catalog.Record{Path: "/home/dev/.pi/agent/sessions/--home-dev--/2026-01-02T03-04-05-000Z_0badc0de.jsonl", Info: catalog.Info{
		ID: "0badc0de00000001", CWD: "/home/dev/project", Title: "a title of some words", FirstMessage: "what was asked first of all, in a line",
		Usage: catalog.Usage{Cost: 1},
	}}
	packed := catalog.AppendRecord(nil, &r)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.ParseRecord(packed); err != nil {
			b.Fatal(err)
		}
	}
}
