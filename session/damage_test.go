package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// say is the line of a message; parent "" is null.
func say(id, parent string) string {
	named := "null"
	if parent != "" {
		named = string(jsonedit.Quoted(parent))
	}
	return `{"type":"message","id":"` + id + `","parentId":` + named +
		`,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"text of ` + id + `","timestamp":1}}`
}

// Everything that is wrong with links and references is counted and located,
// and the entries are all in the context.
func TestDamageIsReported(t *testing.T) {
	ctx := context.Background()
	hash := strings.Repeat("ab", 32)
	image := strings.Replace(say("a", ""), `"text of a"`,
		`[{"type":"image","data":"blob:sha256:`+hash+`","mimeType":"image/png"}]`, 1)
	blobs := []defects.MissingBlob{{Line: 2, ID: "a", Ref: "blob:sha256:" + hash,
		Detail: "not in the blob store, or not the bytes of its hash"}}
	for _, c := range []struct {
		name     string
		lines    []string
		want     defects.Report
		messages int
		tampered bool
	}{
		{name: "cycle", lines: []string{say("a", "b"), say("b", "a"), say("c", "b")}, messages: 3,
			want: defects.Report{Cycles: []defects.Flag{{Line: 2, ID: "a", Detail: "its parents lead back to it"}}}},
		{name: "its own parent", lines: []string{say("a", ""), say("b", "b"), say("c", "b")}, messages: 2,
			want: defects.Report{Cycles: []defects.Flag{{Line: 3, ID: "b", Detail: "its parents lead back to it"}}}},
		{name: "orphan", lines: []string{say("a", ""), say("b", "gone")}, messages: 2,
			want: defects.Report{Healed: []defects.Heal{{Line: 3, ID: "b", ParentID: "gone", To: "a", ToLine: 2}}}},
		{name: "duplicates", lines: []string{say("a", ""), say("b", "a"), say("a", "b"), say("a", "a")}, messages: 4,
			want: defects.Report{Duplicates: []defects.Duplicate{{ID: "a", Lines: []int{2, 4, 5}}}}},
		{name: "second header", lines: []string{say("a", ""), headerLine, say("b", "a")}, messages: 2,
			want: defects.Report{ExtraHeaders: 1}},
		{name: "no message", lines: []string{say("a", ""), `{"type":"message","id":"b","parentId":"a","message":null}`}, messages: 1,
			want: defects.Report{Flagged: []defects.Flag{{Line: 3, ID: "b", Detail: "its message is not an object"}}}},
		{name: "dangling compaction", lines: []string{say("a", ""), say("x", ""),
			`{"type":"compaction","id":"k","parentId":"a","summary":"s","firstKeptEntryId":"x","tokensBefore":1}`}, messages: 1,
			want: defects.Report{DanglingFirstKept: []defects.Flag{{Line: 4, ID: "k", Detail: "its firstKeptEntryId is not before it on its branch"}}}},
		{name: "missing blob", lines: []string{image}, messages: 1, want: defects.Report{MissingBlobs: blobs}},
		{name: "tampered blob", lines: []string{image}, messages: 1, tampered: true, want: defects.Report{MissingBlobs: blobs}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, append([]string{headerLine}, c.lines...)...)
			o := session.Options{ReadOnly: true, AgentDir: filepath.Join(filepath.Dir(path), "agent")}
			if c.tampered {
				store := filepath.Join(o.AgentDir, "blobs")
				if err := os.MkdirAll(store, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(store, hash), []byte("other bytes"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := open(t, path, o)
			replayed, err := s.Context(ctx, session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range replayed.Messages() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != c.messages {
				t.Errorf("%d messages, want %d", n, c.messages)
			}
			d := defects.Of(s.Damage())
			if diff := cmp.Diff(&c.want, d); diff != "" {
				t.Errorf("damage (-want +got):\n%s", diff)
			}
			if !d.Any() || d.String() == "" {
				t.Errorf("damage is not said: any %v, %q", d.Any(), d)
			}
		})
	}
}

// Children go by what is written, where links do not.
func TestChildrenByName(t *testing.T) {
	s := open(t, file(t, headerLine, say("a", ""), say("b", "gone"), say("a", "b"), say("c", "a"), say("d", "d"), say("e", "a")),
		session.Options{ReadOnly: true})
	for parent, want := range map[string][]string{"a": {"c", "e"}, "gone": {"b"}, "d": {"d"}, "nobody": nil} {
		children, err := gathered(s.Children(&parent))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range children {
			got = append(got, e.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("children of %q (-want +got):\n%s", parent, diff)
		}
	}
}
