package opencode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// branchOf returns the header and the entries from the root to the leaf.
func branchOf(t testing.TB, lines []byte) (entry.Header, []entry.Entry) {
	t.Helper()
	h, list, _, err := session.ParseEntries(lines)
	if err != nil {
		t.Fatal(err)
	}
	var all []entry.Entry
	links := tree.New(list, nil)
	for n := list.Len() - 1; n >= 0; {
		e, err := list.Entry(n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
		n = links.Parent(n, tree.Strict)
	}
	slices.Reverse(all)
	return h, all
}

// TestWriteSamples writes each sample again, and asks that OpenCode sends of it what it sent.
func TestWriteSamples(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)[:12], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t).withDatabase()
			lines, err := h.read(h.name(h.load(file(t, path))))
			if err != nil {
				t.Fatal(err)
			}
			header, branch := branchOf(t, []byte(lines))
			text, report := opencode.Write(header, branch, opencode.Options{Now: 1800000000000})
			if report.Entries != len(branch) {
				t.Errorf("%d of %d entries are in the report", report.Entries, len(branch))
			}
			again := newHouse(t).withDatabase()
			sameRequest(t, again.open(again.name(again.load(text))), strings.TrimSuffix(path, ".json")+".request.json")
		})
	}
}

// TestWriteKept writes a session in which a compaction keeps some of what was before it, and
// compares it with what OpenCode 1.18.34 sent when it had imported the file.
func TestWriteKept(t *testing.T) {
	t.Parallel()
	header, branch := branchOf(t, file(t, "testdata/written/kept/session.jsonl"))
	text, _ := opencode.Write(header, branch, opencode.Options{Now: 1795400000000})
	h := newHouse(t).withDatabase()
	sameRequest(t, h.open(h.name(h.load(text))), "testdata/written/kept/session.request.json")
}

// TestWrite says what becomes of entries, and what the report says of them.
func TestWrite(t *testing.T) {
	t.Parallel()
	line := func(kind, more string) string { return `"type":"` + kind + `",` + more }
	user := line("message", `"message":{"role":"user","content":"Ask.","timestamp":1}`)
	answer := func(more, content string) string {
		return line("message", `"message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop",`+more+`"content":[`+content+`]}`)
	}
	result := func(more string) string {
		return line("message", `"message":{"role":"toolResult","toolCallId":"c","toolName":"t",`+more+`"content":[{"type":"text","text":"out"}]}`)
	}
	const call = `{"type":"toolCall","id":"c","name":"t","arguments":{"a":1}}`
	begin := []string{"model_change p m", "user Ask."}
	for name, c := range map[string]struct {
		entries []string
		want    []string
		report  []string
	}{
		"answer": {[]string{user, answer("", `{"type":"text","text":"Yes."}`)}, append(begin, "assistant Yes. stop"), nil},
		"call": {[]string{user, answer(`"stopReason":"toolUse",`, call), result("")},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c out"), nil},
		"failed call": {[]string{user, answer(`"stopReason":"toolUse",`, call), result(`"isError":true,`)},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c out failed"), nil},
		"call without a result": {[]string{user, answer(`"stopReason":"toolUse",`, call)},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c [Tool execution was interrupted] failed"), []string{"1 unanswered changed"}},
		"result of nothing":    {[]string{user, result("")}, []string{"model_change unknown unknown", "user Ask."}, []string{"1 orphan"}},
		"result before a call": {[]string{user, result(""), answer("", `{"type":"text","text":"Yes."}`)}, append(begin, "assistant Yes. stop"), []string{"1 orphan"}},
		"result that came late": {[]string{user, answer(`"stopReason":"toolUse",`, call), user, result("")},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c out", "user Ask."), []string{"3 moved changed"}},
		"details that are no object": {[]string{user, answer(`"stopReason":"toolUse",`, call), result(`"details":[1],`)},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c out"), []string{"2 details changed"}},
		"proof of another provider": {[]string{user, answer(`"api":"x",`, `{"type":"thinking","thinking":"Hm.","thinkingSignature":"sig"}`)},
			append(begin, "assistant Hm. stop"), []string{"1 thinking changed"}},
		"proof": {[]string{user, answer(`"api":"anthropic-messages",`, `{"type":"thinking","thinking":"Hm.","thinkingSignature":"sig"},{"type":"thinking","thinking":"","thinkingSignature":"hid","redacted":true}`)},
			append(begin, "assistant Hm. sig hid stop"), nil},
		"hidden thought of another provider": {[]string{user, answer("", `{"type":"redactedThinking","data":"hid"}`)}, append(begin, "assistant stop"), []string{"1 thinking"}},
		"stopped":                            {[]string{user, answer(`"stopReason":"aborted","errorMessage":"no",`, `{"type":"text","text":"Half."}`)}, append(begin, "assistant Half. aborted no"), nil},
		"failed":                             {[]string{user, answer(`"stopReason":"error","errorMessage":"no",`, ``)}, append(begin, "assistant error no"), nil},
		"failed with a text": {[]string{user, answer(`"stopReason":"error","errorMessage":"no",`, `{"type":"text","text":"Half."}`)},
			append(begin, "assistant error no", "custom opencode.text "+`{"metadata":{"cambium":{"entry":"e1"}},"text":"Half.","type":"text"}`), []string{"1 unsent changed"}},
		"compaction": {[]string{user, user, line("compaction", `"summary":"Sum.","firstKeptEntryId":"e1","tokensBefore":1`), answer("", `{"type":"text","text":"Yes."}`)},
			[]string{"model_change p m", "user Ask.", "user Ask.", "compaction Sum. KEPT", "assistant Yes. stop"}, nil},
		"compaction that keeps nothing": {[]string{user, line("compaction", `"summary":"Sum.","firstKeptEntryId":"e1","tokensBefore":1`)},
			[]string{"model_change unknown unknown", "user Ask.", "compaction Sum. ITSELF"}, nil},
		"compaction that keeps a result": {[]string{user, answer(`"stopReason":"toolUse",`, call), result(""), user, line("compaction", `"summary":"Sum.","firstKeptEntryId":"e2","tokensBefore":1`)},
			append(begin, "assistant t map[a:1] toolUse", "toolResult c out", "user Ask.", "compaction Sum. KEPT"), []string{"4 kept changed"}},
		"image": {[]string{line("message", `"message":{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/gif"},{"type":"image","data":"blob:sha256:00","mimeType":"image/gif"}]}`)},
			[]string{"model_change unknown unknown", "user image/gif"}, []string{"0 image"}},
		"model": {[]string{line("model_change", `"model":"p/m/n"`), user, line("model_change", `"model":"q/r","role":"small"`)},
			[]string{"model_change p m/n", "user Ask."}, []string{"0 model changed", "2 kind"}},
		"name": {[]string{user, line("session_info", `"name":"Beds"`)}, []string{"model_change unknown unknown", "user Ask.", "session_info Beds"}, []string{"1 title changed"}},
		"what an extension said": {[]string{line("custom_message", `"customType":"x","content":"Mind.","display":true`), line("custom", `"customType":"x"`)},
			[]string{"model_change unknown unknown", "custom_ opencode.synthetic Mind."}, []string{"0 role changed", "1 kind"}},
		"command": {[]string{line("message", `"message":{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":false}`)},
			[]string{"model_change unknown unknown", "custom_ opencode.synthetic The following tool was executed by the user", "assistant bash map[command:ls] toolUse", "toolResult CALL a"}, []string{"0 command changed"}},
		"hidden command": {[]string{line("message", `"message":{"role":"bashExecution","command":"ls","output":"a","excludeFromContext":true}`)}, nil, []string{"0 hidden"}},
		"answer first": {[]string{answer("", `{"type":"text","text":"Yes."}`)},
			[]string{"model_change p m", "custom_ opencode.synthetic (What was said before is not known.)", "assistant Yes. stop"}, nil},
		"what is not known": {[]string{user, line("message", `"message":{"role":"user","mood":"good","content":[{"type":"video"}]}`)},
			[]string{"model_change unknown unknown", "user Ask.", "user"}, []string{"1 block", "1 field"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var branch []entry.Entry
			for n, line := range c.entries {
				e, err := entry.Parse([]byte(fmt.Sprintf(`{%s,"id":"e%d","timestamp":"2026-01-02T03:04:05.000Z"}`, line, n)))
				if err != nil {
					t.Fatal(err)
				}
				branch = append(branch, e)
			}
			text, report := opencode.Write(entry.Header{ID: "s", CWD: "/w", Timestamp: "2026-01-02T03:04:05.000Z"}, branch, opencode.Options{Now: 1800000000000})
			h := newHouse(t).withDatabase()
			lines, err := h.read(h.name(h.load(text)))
			if err != nil {
				t.Fatal(err)
			}
			got := told(t, lines)
			for n := range got {
				words := strings.Fields(got[n])
				switch last := words[len(words)-1]; {
				case words[0] == "compaction" && strings.Contains(lines, `"compaction","id":"`+last):
					got[n] = strings.TrimSuffix(got[n], last) + "ITSELF"
				case words[0] == "compaction":
					got[n] = strings.TrimSuffix(got[n], last) + "KEPT"
				case words[0] == "toolResult" && strings.HasPrefix(words[1], "msg_"):
					got[n] = strings.Replace(got[n], words[1], "CALL", 1)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
			if said := reported(report); !slices.Equal(said, c.report) {
				t.Errorf("report %q, want %q", said, c.report)
			}
		})
	}
}

func reported(r convert.Report) (all []string) {
	for _, is := range r.Items {
		word := fmt.Sprintf("%d %s", is.Position, is.Reason)
		if is.Changed {
			word += " changed"
		}
		all = append(all, word)
	}
	return all
}

// gist returns what an entry says, in one line; "" for one that says nothing of its own. more
// reports members of blocks that OpenCode has no place for.
func gist(t testing.TB, e *entry.Entry) (says string, more bool) {
	t.Helper()
	var line struct {
		Summary, Name, Model, Provider, ModelID, Role string
		Message                                       struct {
			Role, Provider, Model, StopReason, ErrorMessage, ToolCallID, ToolName string
			IsError                                                               bool
			Content, Details                                                      any
			Usage                                                                 struct {
				Input, Output, CacheRead, CacheWrite float64
				Cost                                 struct{ Total float64 }
			}
		}
	}
	if err := json.Unmarshal(e.Raw(), &line); err != nil {
		t.Fatalf("%v: %s", err, e.Raw())
	}
	m := line.Message
	var blocks, texts, rest []string
	list, _ := m.Content.([]any)
	if text, ok := m.Content.(string); ok {
		list = []any{map[string]any{"type": "text", "text": text}}
	}
	for _, b := range list {
		is := b.(map[string]any)
		for key := range is {
			switch key {
			case "type", "text", "thinking", "id", "name", "arguments", "data", "mimeType":
			case "thinkingSignature":
				delete(is, key) // of another provider
			default:
				delete(is, key)
				more = true
			}
		}
		words, err := json.Marshal(is)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, string(words))
		if text, ok := is["text"].(string); ok {
			texts = append(texts, text)
		} else {
			rest = append(rest, string(words))
		}
	}
	if e.Kind == entry.Compaction {
		return "compaction " + line.Summary, more
	}
	switch e.Role {
	case entry.RoleUser:
		return fmt.Sprint("user ", blocks), more
	case entry.RoleAssistant:
		return fmt.Sprint("assistant ", m.Provider, m.Model, m.StopReason, m.ErrorMessage, blocks, m.Usage), more
	case entry.RoleToolResult:
		if m.Details == nil || fmt.Sprint(m.Details) == "map[]" {
			m.Details = ""
		}
		return fmt.Sprint("result ", m.ToolCallID, m.ToolName, m.IsError, strings.Join(texts, "\n"), rest, m.Details), more
	}
	return "", false
}

// TestWriteLosesNothingUnsaid writes random sessions and reads them back: what the report does
// not name is there, in its order.
func TestWriteLosesNothingUnsaid(t *testing.T) {
	t.Parallel()
	cases, kept := 500, 0
	h := newHouse(t).withDatabase()
	conn := h.conn()
	defer conn.Close()
	p := opencode.New()
	for seed := range cases {
		rng := rand.New(rand.NewPCG(uint64(seed), 18))
		dialect := sessiongen.Dialects()[seed%4]
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: dialect, Clean: seed%5 > 0, Entries: 1 + rng.IntN(40), NoSlot: true})
		header, branch := branchOf(t, s.Bytes)
		text, report := opencode.Write(header, branch, opencode.Options{Now: 1800000000000 + int64(seed)})
		if again, _ := opencode.Write(header, branch, opencode.Options{Now: 1800000000000 + int64(seed)}); !bytes.Equal(text, again) {
			t.Fatalf("seed %d: written twice it differs", seed)
		}
		id, err := load(conn, text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		settle(t, h.path)
		lines, err := read(p, h.name(id))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		_, back := branchOf(t, []byte(lines))
		var got []string
		for n := range back {
			says, _ := gist(t, &back[n])
			got = append(got, says)
		}
		named, fields := map[int]bool{}, map[int]bool{}
		for _, is := range report.Items {
			if is.Reason == opencode.Field {
				fields[is.Position] = true
			} else {
				named[is.Position] = true
			}
		}
		at := 0
		for n := range branch {
			want, more := gist(t, &branch[n])
			if more && !fields[n] && !named[n] {
				t.Errorf("seed %d: nothing is said of what is left out of %s", seed, branch[n].Raw())
			}
			switch {
			case named[n] && want != "", want == "" && (named[n] || branch[n].Kind == entry.Message):
				continue
			case want == "":
				t.Errorf("seed %d: nothing is said of %s", seed, branch[n].Raw())
				continue
			}
			from := at
			if branch[n].Role == entry.RoleToolResult {
				from = 0 // those of parallel calls come in the order of the calls
			}
			where := slices.Index(got[from:], want)
			if where < 0 {
				t.Errorf("seed %d: entry %d is not there\n%s\n%s\n%s", seed, n, branch[n].Raw(), want, strings.Join(got, "\n"))
				continue
			}
			kept++
			at = max(at, from+where+1)
			got[from+where] = ""
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if kept < 3*cases {
		t.Errorf("only %d entries were compared", kept)
	}
	t.Logf("%d entries compared", kept)
}
