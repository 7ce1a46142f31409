package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzReplay rebuilds the context at every entry of any lines under every
// dialect's rules: it ends, never panics, and gives JSON.
func FuzzReplay(f *testing.F) {
	all, err := vectors.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range all {
		if file, ok := vectors.File(v.Input); ok && len(file) < 20_000 && strings.Contains(v.Name, "context") {
			f.Add(file)
		}
	}
	for _, odd := range []string{
		`{"type":"message","id":"a","parentId":"a","message":{"role":"assistant","content":[null,{"type":"toolCall"}],"stopReason":"error"}}`,
		`{"type":"compaction","id":"a","parentId":"b","firstKeptEntryId":"b","preserveData":{"snapcompact":{"frames":[{"data":"x","mimeType":"y","cols":1,"rows":1,"chars":1}]},"anthropicCompaction":{"provider":"p","content":"c"}}}` +
			"\n" + `{"type":"message","id":"b","parentId":"a","message":{"role":"system"}}`,
		`{"type":"custom","customType":"experimental_context_notes","id":"n","data":{"version":1,"text":"\ud800"}}` + "\n" + `{"type":"context_edit","targetId":"n","replacement":{}}`,
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if _, err := entry.Parse(line); err == nil && len(lines) < 64 {
				lines = append(lines, line)
			}
		}
		b := of(t, lines)
		for _, d := range spelling.All() {
			for leaf := -1; leaf < len(lines); leaf++ {
				c, err := replay.Build(b.list, b.tree.Path(leaf, tree.Healed), d.Replay)
				if err != nil {
					t.Fatal(err)
				}
				check(t, c, leaf)
			}
		}
	})
}

func check(t *testing.T, c *replay.Context, leaf int) {
	valid := func(what string, v entry.JSON) {
		if !jsontext.Value(v).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("%s is not JSON: %s", what, v)
		}
	}
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		valid("message", m.JSON)
	}
	for item, err := range c.Items() {
		if err != nil || item.Tokens() < 0 {
			t.Fatalf("item %+v: %v", item, err)
		}
	}
	for _, shape := range []replay.Shape{replay.OwnShape, replay.FullShape} {
		valid("state", append(c.AppendState([]byte("{"), shape), '}'))
	}
	if leaf < 0 && len(messages(t, c)) > 0 {
		t.Fatal("messages without a leaf")
	}
}

func BenchmarkReplay(b *testing.B) {
	const n = 9_100
	text := strings.Repeat("some words of a message \\n", 450)
	entries := make([]string, n)
	for i := range entries {
		entries[i] = user(text)
		if i%2 == 1 {
			entries[i] = strings.Replace(answer, `"A"`, `"`+text+`"`, 1)
		}
	}
	entries[10] = `{"type":"model_change","model":"p/m"}`
	all := linked(b, entries...)
	path := all.tree.Path(n-1, tree.Healed)
	for _, d := range spelling.All() {
		b.Run(fmt.Sprint("build/", d.Name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := replay.Build(all.list, path, d.Replay); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("messages/", d.Name), func(b *testing.B) {
			for b.Loop() {
				c, _ := replay.Build(all.list, path, d.Replay)
				for range c.Messages() {
				}
			}
		})
	}
}
