package catalog

import (
	"bytes"
	"testing"
	"time"
)

func FuzzGlance(f *testing.F) {
	for _, r := range []Record{
		{},
		{Path: "/a/b.jsonl", None: true, Stamp: Stamp{Dev: 1, Ino: 2, Size: 3, ModTime: -4}},
		{Path: "/a/b.jsonl", Info: Info{ID: "1", CWD: "/work", Agent: "pi", Modified: time.Unix(5, 6), Messages: 7, Damaged: true}},
		{Path: "/ä/b.jsonl", Stamp: Stamp{Dev: 1 << 63, Ino: 9}, Info: Info{
			ID: "1", CWD: "/work", Parent: "0", Agent: "omp", Title: "t", Named: true, FirstMessage: "q", Status: Complete, Model: "a/b",
			Detail: "d", Created: time.Unix(1, 0), Modified: time.Unix(2, 0), ModTime: time.Unix(3, 0), Size: 4, Messages: 5,
			Usage: Usage{Messages: 1, Cost: 2}, Inherited: Usage{Input: 3}, Forked: true, Tips: []string{"x", "y"},
		}},
	} {
		b := AppendRecord(nil, &r)
		f.Add(b)
		f.Add(b[:len(b)-1])
		f.Add(append(b, 0))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, ok := glanceAt(b)
		r, err := ParseRecord(b)
		if ok != (err == nil) {
			t.Fatalf("glanced %v, parsed %v", ok, err)
		}
		if !ok {
			return
		}
		if g.stamp != r.Stamp || string(g.path) != r.Path || g.none != r.None {
			t.Errorf("glanced %+v of %+v", g, r)
		}
		if !g.none && (string(g.cwd) != r.Info.CWD || string(g.agent) != string(r.Info.Agent) || g.messages != r.Info.Messages ||
			g.damaged != r.Info.Damaged || !unix(g.modified).Equal(r.Info.Modified)) {
			t.Errorf("glanced %+v of %+v", g, r.Info)
		}
		// What is held without its path says the same.
		files := []file{{path: r.Path}}
		s := newShelf(files, nil, nil)
		s.held[0] = s.hold(b, &g)
		if held, ok := glanceAt(s.held[0]); !ok || held.none != g.none {
			t.Errorf("held %+v, %v", held, ok)
		}
		// No number that is not one is like itself, but for its bits.
		if want, got := AppendRecord(nil, &Record{Path: r.Path, Info: r.Info}), AppendRecord(nil, &Record{Path: r.Path, Info: s.info(0)}); !bytes.Equal(want, got) {
			t.Errorf("held %+v of %+v", s.info(0), r.Info)
		}
	})
}
