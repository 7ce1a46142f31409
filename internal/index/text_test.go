package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/search"
)

// TestEveryKindIsSearched has a word in every place where an entry says
// something, and some where it says nothing.
func TestEveryKindIsSearched(t *testing.T) {
	entry := func(n int, kind, members string) string {
		return fmt.Sprintf(`{"type":%q,"id":"e%07d","parentId":null,"timestamp":"2026-11-20T10:00:00.000Z",%s}`, kind, n, members)
	}
	said := func(n int, message string) string { return entry(n, "message", `"message":`+message) }
	picture := strings.Repeat("xhidden", 400)
	h := newHome(t)
	h.write("omp", "all", lines(header("all00000", "/work/a"),
		said(1, `{"role":"user","content":"x01\n\"x02\" \ud83d\ude00"}`),
		said(2, `{"role":"assistant","provider":"acme","model":"opus","content":[{"type":"thinking","thinking":"x03","thinkingSignature":"xhidden"},{"type":"text","text":"x04"},`+
			`{"type":"toolCall","id":"xhidden","name":"x05","arguments":{"path":"x06","deep":[{"x07":17.25}],"data":"`+picture+`"}}],"errorMessage":"x08"}`),
		said(3, `{"role":"toolResult","toolName":"x05","toolCallId":"xhidden","content":[{"type":"text","text":"x09"},{"type":"image","data":"xhidden","mimeType":"image/png"}]}`),
		said(4, `{"role":"bashExecution","command":"x10","output":"x11"}`),
		said(5, `{"role":"pythonExecution","code":"x12","output":"x13"}`),
		said(6, `{"role":"fileMention","files":[{"path":"x14","content":"x15"}]}`),
		said(7, `{"role":"custom","customType":"x16","content":[{"type":"text","text":"x17"}]}`),
		said(8, `{"role":"system","content":"x18","sections":{"s":"x19"}}`),
		said(9, `{"role":"oracle","omen":{"text":"x20"}}`),
		entry(10, "compaction", `"summary":"x21","shortSummary":"x22","firstKeptEntryId":"e0000009"`),
		entry(11, "branch_summary", `"fromId":"root","summary":"x23"`),
		entry(12, "custom", `"customType":"x24","data":{"a":["x25"]}`),
		entry(13, "custom_message", `"customType":"x26","content":"x27","display":true`),
		entry(14, "label", `"targetId":"e0000001","label":"x28"`),
		entry(15, "title_change", `"title":"x29","source":"user"`),
		entry(16, "session_init", `"systemPrompt":"x30","task":"x31","tools":[]`),
		entry(17, "from_the_future", `"words":{"more":"x32"}`),
		entry(18, "context_edit", `"targetId":"e0000001","replacement":{"content":"x33"}`),
		`{"torn":"xhidden`,
		entry(19, "message", `"message":{"role":"user","content":[{"type":"text","text":"x34"},{"type":"unheard","of":"x35","data":"xhidden"}]}`),
	))
	x := h.index()
	h.update(x)
	for n := 1; n <= 35; n++ {
		word := fmt.Sprintf("x%02d", n)
		hits := h.search(word, search.Options{Options: h.options(x)})
		if len(hits) != 1 {
			t.Errorf("%s: %d hits", word, len(hits))
			continue
		}
		at := hits[0].Ranges
		if len(at) == 0 || hits[0].Snippet[at[0][0]:at[0][1]] != word && !strings.Contains(hits[0].Snippet, "😀") {
			t.Errorf("%s: snippet %q at %v", word, hits[0].Snippet, at)
		}
	}
	for _, query := range []string{"xhidden*", "re:xhidden"} {
		if hits := h.search(query, search.Options{Options: h.options(x)}); len(hits) > 0 {
			t.Errorf("%s: found in %s %q", query, hits[0].EntryID, hits[0].Snippet)
		}
	}
	for query, want := range map[string]string{
		"model:OPUS": "e0000002", "tool:X05 role:tool": "e0000003", "role:label": "e0000014", "role:compaction": "e0000010",
		"role:system x31": "e0000016", "17.25": "e0000002", "role:file": "e0000006", `"x01 x02"`: "", `re:x02.\s😀`: "e0000001",
	} {
		got := ""
		for _, hit := range h.search(query, search.Options{Options: h.options(x)}) {
			got += hit.EntryID
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// TestBuildIsInterrupted ends the building of texts again and again: what was
// done stays, and the answers are complete meanwhile.
func TestBuildIsInterrupted(t *testing.T) {
	h := newHome(t)
	paths := h.random(rand.New(rand.NewPCG(17, 18)), 24)
	want := h.answers(nil)
	kept := 0
	for round := 0; ; round++ {
		if round > 2*len(paths) {
			t.Fatalf("%d of %d texts after %d rounds", kept, len(paths), round)
		}
		x := h.index()
		ctx, stop := context.WithCancel(t.Context())
		o, calls := h.options(x), 0
		o.Progress = func(int, int) {
			if calls++; calls == 3 {
				stop()
			}
		}
		err := search.Update(ctx, o)
		stop()
		now := countTexts(t.Context(), t, x)
		if now < kept {
			t.Errorf("round %d: %d texts, were %d", round, now, kept)
		}
		if kept = now; err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if round%4 == 0 {
			if diff := different(want, h.answers(x)); diff != "" {
				t.Errorf("round %d:\n%.1000s", round, diff)
			}
		}
	}
	if diff := different(want, h.answers(h.index())); diff != "" {
		t.Errorf("at the end:\n%.1000s", diff)
	}
}
