package opencode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/session"
)

// A said is a message: its data and those of its parts, without ids.
type said struct {
	info  string
	parts []string
}

// exportOf returns an export of messages. The ids are msg_01, msg_02, prt_0101, prt_0102.
func exportOf(extra string, messages ...said) []byte {
	var all []string
	for n, m := range messages {
		var parts []string
		for k, p := range m.parts {
			parts = append(parts, fmt.Sprintf(`{"id":"prt_%02d%02d",%s`, n+1, k+1, p[1:]))
		}
		info := fmt.Sprintf(`{"id":"msg_%02d","time":{"created":%d,"completed":%d},%s`, n+1, 1767323160000+n*1000, 1767323160500+n*1000, m.info[1:])
		all = append(all, fmt.Sprintf(`{"info":%s,"parts":[%s]}`, info, strings.Join(parts, ",")))
	}
	return []byte(fmt.Sprintf(`{"info":{"id":"ses_a","projectID":"p","slug":"s","directory":"/w","title":"New session - 2026-01-02T03:04:05.006Z","version":"1"%s,"time":{"created":1767323160000,"updated":1767323160000}},"messages":[%s]}`,
		extra, strings.Join(all, ",")))
}

const (
	asks    = `{"role":"user","agent":"build","model":{"providerID":"p","modelID":"m"}}`
	answers = `{"role":"assistant","providerID":"p","modelID":"m","cost":0,"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}},"finish":"stop"}`
)

func text(t string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, t) }

// told returns each entry in a few words: its kind or role, what it says, and on which one it
// hangs, where that is not the one before.
func told(t *testing.T, lines string) (all []string) {
	t.Helper()
	last := ""
	for n, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var e struct {
			Type, ID, CustomType, Summary, FirstKeptEntryID, Provider, ModelID, ThinkingLevel, Name string
			ParentID                                                                                *string
			Data, Content                                                                           any
			Message                                                                                 struct {
				Role, StopReason, ErrorMessage, ToolCallID string
				IsError                                    bool
				PrunedAt                                   float64
				Content                                    any
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if n == 0 {
			continue
		}
		m := e.Message
		var words []string
		add := func(all ...any) {
			for _, w := range all {
				if s := fmt.Sprint(w); s != "" && s != "0" && s != "false" && s != "<nil>" {
					words = append(words, s)
				}
			}
		}
		add(strings.TrimSuffix(e.Type, "message"), m.Role, e.CustomType, e.Summary, e.FirstKeptEntryID, e.Provider, e.ModelID, e.ThinkingLevel, e.Name, m.ToolCallID)
		for _, content := range []any{m.Content, e.Content} {
			list, _ := content.([]any)
			for _, b := range list {
				is := b.(map[string]any)
				add(is["text"], is["thinking"], is["thinkingSignature"], is["name"], is["arguments"], is["mimeType"])
			}
		}
		add(m.StopReason, m.ErrorMessage)
		if m.IsError {
			add("failed")
		}
		if m.PrunedAt > 0 {
			add("pruned")
		}
		if e.Data != nil {
			data, _ := json.Marshal(e.Data)
			add(string(data))
		}
		parent := ""
		if e.ParentID != nil {
			parent = *e.ParentID
		}
		if parent != last {
			add("on " + parent + ".")
		}
		last = e.ID
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// TestEntries says what becomes of what OpenCode keeps.
func TestEntries(t *testing.T) {
	t.Parallel()
	tool := func(state string) string {
		return `{"type":"tool","tool":"read","callID":"c1","state":` + state + `}`
	}
	answer := func(parts ...string) []said {
		return []said{{asks, []string{text("Ask.")}}, {answers, parts}}
	}
	failing := func(name string) string {
		return strings.Replace(answers, `"finish":"stop"`, `"error":{"name":"`+name+`","data":{"message":"no"}}`, 1)
	}
	summing := func(parent string) string {
		return strings.Replace(answers, `"role"`, `"summary":true,"parentID":"`+parent+`","role"`, 1)
	}
	begin := []string{"model_change p m", "user Ask."}
	for name, c := range map[string]struct {
		extra    string
		messages []said
		want     []string
	}{
		"another model": {"", []said{
			{asks, []string{text("Ask.")}}, {`{"role":"user","model":{"providerID":"q","modelID":"n","variant":"high"}}`, []string{text("More.")}}, {answers, []string{text("Yes.")}},
		}, []string{"model_change p m", "user Ask.", "model_change q n", "thinking_level_change high", "user More.", "model_change p m", "assistant Yes. stop"}},
		"thoughts": {"", answer(`{"type":"reasoning","text":"Hm.","metadata":{"anthropic":{"signature":"sig"}}}`, `{"type":"reasoning","text":"","metadata":{"anthropic":{"redactedData":"hid"}}}`, `{"type":"reasoning","text":"So."}`),
			append(begin, "assistant Hm. sig hid So. stop")},
		"steps": {"", answer(`{"type":"step-start"}`, text("One."), tool(`{"status":"completed","input":{"a":1},"output":"out","metadata":{}}`), `{"type":"step-finish"}`, `{"type":"step-start"}`, text("Two.")),
			append(begin, "assistant One. read map[a:1] toolUse", "toolResult c1 out", "assistant Two. stop")},
		"open call": {"", answer(tool(`{"status":"running","input":{"a":1}}`)),
			append(begin, "assistant read map[a:1] toolUse", "toolResult c1 [Tool execution was interrupted] failed")},
		"interrupted call": {"", answer(tool(`{"status":"error","input":{},"error":"no","metadata":{"interrupted":true,"output":"half"}}`)),
			append(begin, "assistant read map[] toolUse", "toolResult c1 half")},
		"cleared result": {"", answer(tool(`{"status":"completed","input":{},"output":"long","metadata":{},"time":{"start":1,"end":2,"compacted":3}}`)),
			append(begin, "assistant read map[] toolUse", "toolResult c1 [Old tool result content cleared] pruned")},
		"argument that is no object": {"", answer(tool(`{"status":"completed","input":[1],"output":"o"}`)),
			append(begin, "assistant read map[input:[1]] toolUse", "toolResult c1 o")},
		"no state": {"", answer(`{"type":"tool","tool":7}`),
			append(begin, "assistant map[] toolUse", "toolResult prt_0201 [Tool execution was interrupted] failed")},
		"call of a call": {"", answer(`{"type":"tool","callID":"c2","metadata":{"codeMode":{"parentCallID":"c1","runtimeCallID":"c"}}}`, text("Yes.")),
			append(begin, "assistant Yes. stop", `custom opencode.tool {"callID":"c2","metadata":{"codeMode":{"parentCallID":"c1","runtimeCallID":"c"}},"type":"tool"}`)},
		"failed with a text": {"", []said{{asks, []string{text("Ask.")}}, {failing("APIError"), []string{text("Half.")}}},
			append(begin, "assistant error no", `custom opencode.text {"text":"Half.","type":"text"}`)},
		"stopped": {"", []said{{asks, []string{text("Ask.")}}, {failing("MessageAbortedError"), []string{text("Half.")}}},
			append(begin, "assistant Half. aborted no")},
		"stopped before a word": {"", []said{{asks, []string{text("Ask.")}}, {failing("MessageAbortedError"), []string{`{"type":"reasoning","text":"Hm."}`}}},
			append(begin, "assistant aborted no", `custom opencode.reasoning {"text":"Hm.","type":"reasoning"}`)},
		"files": {"", []said{{asks, []string{text("Ask."), `{"type":"file","mime":"image/png","url":"data:image/png;base64,AA=="}`, `{"type":"file","mime":"text/plain","url":"file:///a"}`, `{"type":"file","mime":"image/png","url":"https://x/a.png"}`}}},
			[]string{"model_change p m", "user Ask. image/png", `custom opencode.file {"mime":"text/plain","type":"file","url":"file:///a"}`, `custom opencode.file {"mime":"image/png","type":"file","url":"https://x/a.png"}`}},
		"not sent": {"", []said{{asks, []string{text("Ask."), `{"type":"text","text":"No.","ignored":true}`, `{"type":"agent","name":"a"}`}}},
			append(begin, `custom opencode.text {"ignored":true,"text":"No.","type":"text"}`, `custom opencode.agent {"name":"a","type":"agent"}`)},
		"subtask": {"", []said{{asks, []string{`{"type":"subtask","prompt":"x"}`}}},
			[]string{"model_change p m", "custom_ opencode.subtask The following tool was executed by the user"}},
		"compaction that keeps": {"", []said{
			{asks, []string{text("Old.")}}, {asks, []string{text("Kept.")}}, {asks, []string{`{"type":"compaction","auto":true,"tail_start_id":"msg_02"}`}},
			{summing("msg_03"), []string{text("Sum.")}}, {asks, []string{text("New.")}},
		}, []string{"model_change p m", "user Old.", "user Kept.", "compaction Sum. msg_02", "user New."}},
		"compaction with more": {"", []said{
			{asks, []string{text("Old.")}}, {asks, []string{`{"type":"compaction","auto":true}`, text("And this.")}}, {asks, []string{text("Queued.")}},
			{summing("msg_02"), []string{text("Sum.")}},
		}, []string{"model_change p m", "user Old.", "user And this.", "user Queued.", "compaction Sum. msg_02"}},
		"compaction that failed": {"", []said{
			{asks, []string{text("Old.")}}, {asks, []string{`{"type":"compaction","auto":true}`}},
			{strings.Replace(failing("APIError"), `"role"`, `"summary":true,"parentID":"msg_02","role"`, 1), nil},
		}, []string{"model_change p m", "user Old.", "custom_ opencode.compaction What did we do so far?", "assistant error no"}},
		"reverted": {`,"revert":{"messageID":"msg_03","snapshot":"s"}`, []said{
			{asks, []string{text("Ask.")}}, {answers, []string{text("Yes.")}}, {asks, []string{text("Undone.")}}, {answers, []string{text("Gone.")}},
		}, append(begin, "assistant Yes. stop", "user Undone.", "assistant Gone. stop", `custom opencode.revert {"messageID":"msg_03","snapshot":"s"} on msg_02.`)},
		"reverted from a part on": {`,"revert":{"messageID":"msg_02","partID":"prt_0202"}`, []said{
			{asks, []string{text("Ask.")}}, {answers, []string{text("Stays."), text("Goes.")}},
		}, append(begin, "assistant Stays. stop", "assistant Goes. stop", `custom opencode.revert {"messageID":"msg_02","partID":"prt_0202"} on msg_02.`)},
		"all reverted": {`,"revert":{"messageID":"msg_01"}`, []said{{asks, []string{text("Ask.")}}},
			append(begin, `custom opencode.revert {"messageID":"msg_01"} on .`)},
		"unknown role": {"", []said{{`{"role":"critic"}`, []string{text("Hm.")}}},
			[]string{`custom opencode.message {"role":"critic","time":{"completed":1767323160500,"created":1767323160000}}`, `custom opencode.text {"text":"Hm.","type":"text"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t).withDatabase()
			lines, err := h.read(h.name(h.load(exportOf(c.extra, c.messages...))))
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, lines); !slices.Equal(got, c.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
			if _, _, d, err := session.ParseEntries([]byte(lines)); err != nil || d.Any() {
				t.Errorf("%v %v", err, d)
			}
		})
	}
}

// TestDamagedData reads on behind rows that hold no JSON, and keeps what they hold.
func TestDamagedData(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withDatabase()
	id := h.load(exportOf("", said{asks, []string{text("Ask."), text("More.")}}, said{answers, []string{text("Yes.")}}, said{asks, []string{text("Last.")}}))
	h.exec(`UPDATE part SET data = '{"type":"te' WHERE id = 'prt_0102'; UPDATE message SET data = x'00ff' WHERE id = 'msg_02';
		UPDATE message SET data = '[1]' WHERE id = 'msg_03'; INSERT INTO part VALUES ('prt_09', 'msg_lost', 'ses_a', 1, 1, '{"type":"text","text":"Lost."}');
		UPDATE part SET data = '{
	"type": "text", "text": "Ask."}' WHERE id = 'prt_0101'; INSERT INTO todo VALUES ('ses_a', 'Weed.', 'open', 'high', 0, 1, 1);`)
	lines, err := h.read(h.name(id))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"model_change p m", "user Ask.", `custom opencode.damaged "{\"type\":\"te"`, "custom opencode.damaged \"\\u0000�\"",
		`custom opencode.text {"text":"Yes.","type":"text"}`, `custom opencode.damaged "[1]"`, `custom opencode.text {"text":"Last.","type":"text"}`,
		`custom opencode.text {"text":"Lost.","type":"text"}`,
		`custom opencode.todo [{"content":"Weed.","position":0,"priority":"high","status":"open","time_created":1,"time_updated":1}]`,
	}
	if got := told(t, lines); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestOldForm reads sessions that are a file for each message and part, unless the database has
// them, and says the same of them.
func TestOldForm(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)[:12], func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			root := filepath.Join(filepath.Dir(h.path), "storage")
			put := func(v any, names ...string) {
				t.Helper()
				text, err := json.MarshalIndent(v, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(append([]string{root}, names...)...) + ".json"
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var x export
			if err := json.Unmarshal(file(t, path), &x); err != nil {
				t.Fatal(err)
			}
			id := strings.TrimSuffix(filepath.Base(path), ".json")
			bare := func(v json.RawMessage) string { return strings.Trim(string(v), `"`) }
			put(x.Info, "session", "global", id)
			for _, m := range x.Messages {
				put(m.Info, "message", id, bare(m.Info["id"]))
				for _, p := range m.Parts {
					put(p, "part", bare(m.Info["id"]), bare(p["id"]))
				}
			}
			dir := filepath.Join(root, "session", "global")
			sameRequest(t, h.open(filepath.Join(dir, id+".jsonl")), strings.TrimSuffix(path, ".json")+".request.json")
			p := opencode.New()
			if got := surveyed(t, p, dir); len(got) != 1 || got[id+".jsonl"].Size == 0 {
				t.Errorf("the survey tells %v", got)
			}
			h.withDatabase().load(file(t, path))
			if got := surveyed(t, p, dir); len(got) != 0 {
				t.Errorf("beside the database: %v", got)
			}
		})
	}
}
