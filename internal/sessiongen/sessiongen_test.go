package sessiongen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// source returns the random source of a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// line is the envelope of one line, read without the generator's help.
type line struct {
	Type     string         `json:"type"`
	ID       *string        `json:"id"`
	ParentID *string        `json:"parentId"`
	TargetID string         `json:"targetId"`
	Label    string         `json:"label"`
	Version  int            `json:"version"`
	Message  jsontext.Value `json:"message"`
}

// parse reads every line of a clean session strictly.
func parse(t *testing.T, data []byte) []line {
	t.Helper()
	var lines []line
	for i, raw := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var l line
		err := json.Unmarshal([]byte(raw), &l, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil {
			t.Fatalf("line %d: %v\n%s", i+1, err, raw)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestEqualSeedsGiveEqualBytes(t *testing.T) {
	for _, d := range sessiongen.Dialects() {
		for seed := range uint64(20) {
			opts := sessiongen.Options{Dialect: d, Clean: seed%2 == 0}
			a, b := sessiongen.Random(source(seed), opts), sessiongen.Random(source(seed), opts)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("%s seed %d: two runs differ:\n%s", d, seed, diff)
			}
			c := sessiongen.Random(source(seed+1000), opts)
			if bytes.Equal(a.Bytes, c.Bytes) {
				t.Errorf("%s: seeds %d and %d give the same session", d, seed, seed+1000)
			}
		}
	}
}

func TestCleanSessionIsWhatItSays(t *testing.T) {
	for _, d := range sessiongen.Dialects() {
		for seed := range uint64(60) {
			s := sessiongen.Random(source(seed), sessiongen.Options{Dialect: d, Clean: true})
			checkClean(t, fmt.Sprintf("%s seed %d", d, seed), s)
		}
	}
}

// checkClean reads the session's bytes again and compares with what it claims.
func checkClean(t *testing.T, name string, s sessiongen.Session) {
	t.Helper()
	lines := parse(t, s.Bytes)
	if s.Slot {
		if lines[0].Type != "title" || bytes.IndexByte(s.Bytes, '\n') != 255 {
			t.Errorf("%s: the slot is not 256 bytes", name)
		}
		lines = lines[1:]
	}
	if lines[0].Type != "session" || *lines[0].ID != s.ID {
		t.Errorf("%s: first record is %q", name, lines[0].Type)
	}
	var ids []string
	labels, parents, kinds := map[string]string{}, map[string]string{}, map[string]int{}
	isParent := map[string]bool{}
	for _, l := range lines[1:] {
		parent := ""
		if l.ParentID != nil {
			parent = *l.ParentID
		}
		if _, known := parents[parent]; parent != "" && !known {
			t.Errorf("%s: entry %s comes before its parent %s", name, *l.ID, parent)
		}
		if _, twice := parents[*l.ID]; twice {
			t.Errorf("%s: id %s twice", name, *l.ID)
		}
		ids, parents[*l.ID], isParent[parent] = append(ids, *l.ID), parent, true
		kinds[l.Type]++
		switch {
		case l.Type == "label" && l.Label == "":
			delete(labels, l.TargetID)
		case l.Type == "label":
			labels[l.TargetID] = l.Label
		}
	}
	var leaves []string
	for _, id := range ids {
		if !isParent[id] {
			leaves = append(leaves, id)
		}
	}
	got := []any{s.IDs, s.Parents, s.Labels, s.Kinds, s.Leaves, len(s.Hazards)}
	if diff := cmp.Diff([]any{ids, parents, labels, kinds, leaves, 0}, got); diff != "" {
		t.Errorf("%s: what the session says of itself (-read +said):\n%s", name, diff)
	}
	if s.Leaf() != ids[len(ids)-1] {
		t.Errorf("%s: leaf %q, last entry %q", name, s.Leaf(), ids[len(ids)-1])
	}
}

func TestNewlines(t *testing.T) {
	for _, tt := range []struct {
		newlines   sessiongen.Newlines
		appendable bool
		crlf, torn bool
	}{
		{sessiongen.LF, false, false, false},
		{sessiongen.CRLF, false, true, false},
		{sessiongen.LFUnterminated, false, false, true},
		{sessiongen.CRLFUnterminated, false, true, true},
		{sessiongen.LFUnterminated, true, false, false},
		{sessiongen.CRLFUnterminated, true, true, false},
	} {
		s := sessiongen.Random(source(3), sessiongen.Options{Dialect: sessiongen.Omp, Clean: true, NoSlot: true,
			Newlines: tt.newlines, Appendable: tt.appendable})
		if got := !bytes.HasSuffix(s.Bytes, []byte("\n")); got != tt.torn || s.Unterminated != tt.torn {
			t.Errorf("%+v: unterminated %v, said %v", tt, got, s.Unterminated)
		}
		lf, crlf := bytes.Count(s.Bytes, []byte("\n")), bytes.Count(s.Bytes, []byte("\r\n"))
		if s.CRLF != tt.crlf || tt.crlf && crlf != lf || !tt.crlf && crlf != 0 {
			t.Errorf("%+v: %d LF, %d CRLF, said %v", tt, lf, crlf, s.CRLF)
		}
	}
}

func TestVersions(t *testing.T) {
	for version := 1; version <= 3; version++ {
		old := false
		for seed := range uint64(30) {
			s := sessiongen.Random(source(seed), sessiongen.Options{Version: version, Clean: true, Entries: 60})
			lines := parse(t, s.Bytes)
			if want := map[int]int{1: 0, 2: 2, 3: 3}[version]; lines[0].Version != want {
				t.Fatalf("version %d: header says %d", version, lines[0].Version)
			}
			if version == 1 && (lines[1].ID != nil || s.IDs != nil) {
				t.Fatalf("version 1: entries have ids")
			}
			old = old || bytes.Contains(s.Bytes, []byte("hookMessage")) || bytes.Contains(s.Bytes, []byte("firstKeptEntryIndex"))
		}
		if old != (version < 3) {
			t.Errorf("version %d: old names written: %v", version, old)
		}
	}
}

// TestRangeOfSessions checks that three hundred sessions of a dialect hold what
// the interoperability tests are meant to meet.
func TestRangeOfSessions(t *testing.T) {
	want := map[sessiongen.Dialect][]string{
		sessiongen.Pi: {"context_edit", "session_info", "usage", `"role":"system"`},
		sessiongen.Omp: {"reset_boundary", "title_change", "credential_pin", `"retryRecovery"`, "fileMention", "interrupted-thinking",
			"openaiRemoteCompaction", "providerReplayThroughEntryId", "anthropicCompaction", "experimental-context-rollover"},
		sessiongen.Xcsh:    {"mcp_tool_selection", "service_tier_change", "pythonExecution"},
		sessiongen.Cambium: {"cambium.leaf", "mode_change", "ttsr_injection"},
	}
	for _, d := range sessiongen.Dialects() {
		found := map[string]bool{}
		for seed := range uint64(300) {
			s := sessiongen.Random(source(seed), sessiongen.Options{Dialect: d, Clean: true})
			note(found, s)
			for _, text := range want[d] {
				found[text] = found[text] || bytes.Contains(s.Bytes, []byte(text))
			}
		}
		all := append([]string{"several roots", "branches", "label on label", "label cleared", "compaction off the leaf's path",
			"beyond the BMP", "raw U+2028", "lone surrogate", "big integer", "CRLF", "unterminated", "unknown kind",
			"branch_summary", "custom_message"}, want[d]...)
		for _, text := range all {
			if !found[text] {
				t.Errorf("%s: no session in 300 has %q", d, text)
			}
		}
	}
}

// note marks what the session holds.
func note(found map[string]bool, s sessiongen.Session) {
	mark := func(name string, ok bool) { found[name] = found[name] || ok }
	roots := 0
	onPath := map[string]bool{}
	for id := s.Leaf(); id != ""; id = s.Parents[id] {
		onPath[id] = true
	}
	for _, l := range strings.Split(string(s.Bytes), "\n") {
		var e line
		err := json.Unmarshal([]byte(l), &e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil || e.ID == nil || e.Type == "session" {
			continue
		}
		if e.ParentID == nil {
			roots++
		}
		mark("label on label", e.Type == "label" && strings.Contains(string(s.Bytes), `"type":"label","id":"`+e.TargetID))
		mark("label cleared", e.Type == "label" && e.Label == "")
		mark("compaction off the leaf's path", e.Type == "compaction" && !onPath[*e.ID])
	}
	mark("several roots", roots > 1)
	mark("branches", len(s.Leaves) > 2)
	mark("beyond the BMP", bytes.Contains(s.Bytes, []byte("\U0001F600")))
	mark("raw U+2028", bytes.Contains(s.Bytes, []byte("\u2028")))
	mark("lone surrogate", bytes.Contains(s.Bytes, []byte(`\udc00 `)))
	mark("big integer", bytes.Contains(s.Bytes, []byte("123456789012345678901234567890")))
	mark("CRLF", s.CRLF)
	mark("unterminated", s.Unterminated)
	mark("unknown kind", s.Kinds["x_future_kind"] > 0)
	mark("branch_summary", s.Kinds["branch_summary"] > 0)
	mark("custom_message", s.Kinds["custom_message"] > 0)
}

func TestWildSessionsHaveHazards(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(300) {
		s := sessiongen.Random(source(seed), sessiongen.Options{Dialect: sessiongen.Omp})
		for _, h := range s.Hazards {
			seen[h] = true
		}
	}
	for _, h := range []string{"torn", "glued", "torn prefix glued", "scalar", "blank", "nul run", "raw control", "invalid utf-8",
		"second header", "self-parent", "orphan", "duplicate id", "cycle", "odd id", "id not a string", "no envelope",
		"bare assistant", "several lines"} {
		if !seen[h] {
			t.Errorf("no wild session has hazard %q", h)
		}
	}
}
