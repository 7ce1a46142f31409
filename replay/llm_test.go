package replay_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Rules in the shapes that the dialects use.
var (
	plainLLM = spelling.LLM{Skip: []string{"developer", "pythonExecution", "hookMessage", "fileMention"}}

	tightLLM = spelling.LLM{
		Skip: []string{"system"}, Attribution: true,
		Pruned: spelling.PrunedText, Summary: spelling.SummaryTight, Payload: true, Notice: spelling.NoticeMeta,
	}

	splitLLM = spelling.LLM{
		Skip: []string{"system"}, Attribution: true,
		Custom: spelling.CustomDeveloper, Spoken: []string{"skill-prompt"}, Interjected: []string{"collab-prompt"},
		Interrupted: "interrupted-thinking", Files: spelling.FilesSplit, Pruned: spelling.PrunedTextFirst,
		Summary: spelling.SummarySparse, Handoff: "handoff", RewriteMark: true, Payload: true, Blocks: true,
		BashImages: true, Notice: spelling.NoticeMeta,
	}
)

func sequence(msgs ...string) iter.Seq2[entry.JSON, error] {
	return func(yield func(entry.JSON, error) bool) {
		for _, m := range msgs {
			if !yield(entry.JSON(m), nil) {
				return
			}
		}
	}
}

// converted returns the messages for the model as text.
func converted(t *testing.T, rules spelling.LLM, cleaned *replay.Cleaned, msgs ...string) []string {
	t.Helper()
	var out []string
	for m, err := range replay.Convert(sequence(msgs...), rules, cleaned) {
		if err != nil {
			t.Fatal(err)
		}
		if !jsontext.Value(m).IsValid() {
			t.Errorf("not valid: %s", m)
		}
		out = append(out, string(m))
	}
	return out
}

const (
	image = `{"type":"image","data":"AA==","mimeType":"image/png"}`
	files = `{"role":"fileMention","files":[{"path":"a.txt","content":"hello"},{"path":"b.png","content":"","image":` + image + `}],"timestamp":7}`
	bash  = `{"role":"bashExecution","command":"ls","output":"o","exitCode":3,"cancelled":false,"truncated":false,"images":[` + image + `],"timestamp":1}`
	hook  = `{"role":"hookMessage","customType":"c","content":"b2","display":true,"timestamp":6}`
	mixed = `{"role":"custom","customType":"c","content":[{"type":"text","text":"t"},` + image + `],"display":true,"attribution":"agent","timestamp":3}`
	prune = `{"role":"toolResult","toolCallId":"c","toolName":"t","content":[{"type":"text","text":"p"},` + image + `,{"type":"text","text":"q"}],"isError":false,"prunedAt":1,"timestamp":7}`
)

func TestConvert(t *testing.T) {
	user := func(text, rest string) string {
		return `{"role":"user","content":[` + string(new(jsonedit.Object).String("type", "text").String("text", text).Value()) + `]` + rest + `}`
	}
	tests := []struct {
		name  string
		rules spelling.LLM
		in    string
		want  []string
	}{
		{"unchanged", plainLLM, `{ "role":"user","content":"u", "timestamp":8}`, []string{`{ "role":"user","content":"u", "timestamp":8}`}},
		{"unknown role", plainLLM, `{"role":"mystery"}`, nil},
		{"no role", plainLLM, `{"content":"x"}`, nil},
		{"no object", plainLLM, `null`, nil},
		{"system kept", plainLLM, `{"role":"system","content":"s"}`, []string{`{"role":"system","content":"s"}`}},
		{"system dropped", tightLLM, `{"role":"system","content":"s"}`, nil},
		{"developer dropped", plainLLM, `{"role":"developer","content":"s"}`, nil},
		{"files dropped", plainLLM, files, nil},
		{"hook dropped", plainLLM, hook, nil},
		{"attribution of a user", tightLLM, `{"role":"user","content":"u"}`, []string{`{"role":"user","content":"u","attribution":"user"}`}},
		{"attribution kept", tightLLM, `{"role":"user","content":"u","attribution":"agent"}`, []string{`{"role":"user","content":"u","attribution":"agent"}`}},
		{"attribution null", tightLLM, `{"role":"user","content":"u","attribution":null}`, []string{`{"role":"user","content":"u","attribution":"user"}`}},
		{"attribution of a developer", tightLLM, `{"role":"developer","content":"d"}`, []string{`{"role":"developer","content":"d","attribution":"agent"}`}},
		{"assistant", tightLLM, `{"role":"assistant","content":null}`, []string{`{"role":"assistant","content":null}`}},
		{"bash", plainLLM, `{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":2,"truncated":true,"fullOutputPath":"/t/o","timestamp":1}`,
			[]string{user("Ran `ls`\n```\na\nb\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /t/o]", `,"timestamp":1`)}},
		{"bash cancelled", plainLLM, `{"role":"bashExecution","command":"x","output":"","exitCode":null,"cancelled":true,"timestamp":2}`,
			[]string{user("Ran `x`\n(no output)\n\n(command cancelled)", `,"timestamp":2`)}},
		{"bash excluded", plainLLM, `{"role":"bashExecution","command":"x","output":"","excludeFromContext":true}`, nil},
		{"bash without its fields", plainLLM, `{"role":"bashExecution","command":5,"output":null}`, []string{user("Ran ``\n(no output)", "")}},
		{"bash without images", tightLLM, bash, []string{user("Ran `ls`\n```\no\n```\n\nCommand exited with code 3", `,"attribution":"user","timestamp":1`)}},
		{"bash with images", splitLLM, bash, []string{`{"role":"user","content":[{"type":"text","text":"Ran ` + "`ls`" + `\n` + "```" + `\no\n` + "```" + `\n\nCommand exited with code 3"},` + image + `],"attribution":"user","timestamp":1}`}},
		{"python dropped", plainLLM, `{"role":"pythonExecution","code":"1"}`, nil},
		{"python", tightLLM, `{"role":"pythonExecution","code":"print(1)","output":"1","exitCode":0,"timestamp":2}`,
			[]string{user("Ran Python:\n```python\nprint(1)\n```\nOutput:\n```\n1\n```", `,"attribution":"user","timestamp":2`)}},
		{"python cancelled", tightLLM, `{"role":"pythonExecution","code":"x","output":"","exitCode":1,"cancelled":true,"timestamp":3}`,
			[]string{user("Ran Python:\n```python\nx\n```\n(no output)\n\n(execution cancelled)", `,"attribution":"user","timestamp":3`)}},
		{"python failed", tightLLM, `{"role":"pythonExecution","code":"x","output":"","exitCode":-1}`,
			[]string{user("Ran Python:\n```python\nx\n```\n(no output)\n\nExecution failed with code -1", `,"attribution":"user"`)}},
		{"python excluded", tightLLM, `{"role":"pythonExecution","code":"x","excludeFromContext":true}`, nil},
		{"custom", plainLLM, `{"role":"custom","customType":"c","content":"body","details":{"a":1},"attribution":"user","timestamp":4}`, []string{user("body", `,"timestamp":4`)}},
		{"custom blocks", plainLLM, `{"role":"custom","customType":"c","content":[` + image + `],"timestamp":5}`, []string{`{"role":"user","content":[` + image + `],"timestamp":5}`}},
		{"custom without content", plainLLM, `{"role":"custom","customType":"c","content":null}`, nil},
		{"custom keeps its attribution", tightLLM, `{"role":"custom","customType":"c","content":"b","attribution":"agent","timestamp":5}`, []string{user("b", `,"attribution":"agent","timestamp":5`)}},
		{"hook", tightLLM, hook, []string{user("b2", `,"timestamp":6`)}},
		{"custom as developer", splitLLM, `{"role":"custom","customType":"c","content":"b","attribution":"agent","timestamp":2}`,
			[]string{`{"role":"developer","content":[{"type":"text","text":"b"}],"attribution":"agent","timestamp":2}`}},
		{"custom with images", splitLLM, mixed, []string{
			`{"role":"developer","content":[{"type":"text","text":"t"}],"attribution":"agent","timestamp":3}`,
			`{"role":"user","content":[{"type":"text","text":"Images attached to c."},` + image + `],"attribution":"agent","timestamp":3}`,
		}},
		{"only images", splitLLM, `{"role":"hookMessage","customType":"h","content":[` + image + `]}`,
			[]string{`{"role":"user","content":[{"type":"text","text":"Images attached to h."},` + image + `]}`}},
		{"skill by the user", splitLLM, `{"role":"custom","customType":"skill-prompt","content":"sk","attribution":"user","timestamp":4}`, []string{user("sk", `,"attribution":"user","timestamp":4`)}},
		{"skill by the agent", splitLLM, `{"role":"custom","customType":"skill-prompt","content":"sk","attribution":"agent"}`,
			[]string{`{"role":"developer","content":[{"type":"text","text":"sk"}],"attribution":"agent"}`}},
		{"skill as a hook", splitLLM, `{"role":"hookMessage","customType":"skill-prompt","content":"sk","attribution":"user"}`,
			[]string{`{"role":"developer","content":[{"type":"text","text":"sk"}],"attribution":"user"}`}},
		{"files as a reminder", tightLLM, files, []string{
			`{"role":"user","content":[{"type":"text","text":"<system-reminder>\n<file path=\"a.txt\">\nhello\n</file>\n\n<file path=\"b.png\">\n</file>\n</system-reminder>"},` + image + `],"attribution":"user","timestamp":7}`,
		}},
		{"files split", splitLLM, files, []string{
			`{"role":"developer","content":[{"type":"text","text":"<file path=\"a.txt\">\nhello\n</file>"}],"attribution":"user","timestamp":7}`,
			`{"role":"user","content":[{"type":"text","text":"<file path=\"b.png\">\n</file>"},` + image + `],"attribution":"user","timestamp":7}`,
		}},
		{"no files split", splitLLM, `{"role":"fileMention","files":null}`, nil},
		{"pruned as stored", plainLLM, prune, []string{prune}},
		{"pruned to text", tightLLM, prune, []string{`{"role":"toolResult","toolCallId":"c","toolName":"t","content":[{"type":"text","text":"pq"}],"isError":false,"prunedAt":1,"timestamp":7,"attribution":"agent"}`}},
		{"pruned, others kept", splitLLM, prune, []string{`{"role":"toolResult","toolCallId":"c","toolName":"t","content":[{"type":"text","text":"pq"},` + image + `],"isError":false,"prunedAt":1,"timestamp":7,"attribution":"agent"}`}},
		{"pruned without text", splitLLM, `{"role":"toolResult","content":[` + image + `],"prunedAt":1}`,
			[]string{`{"role":"toolResult","content":[{"type":"text","text":"[Output truncated]"},` + image + `],"prunedAt":1,"attribution":"agent"}`}},
		{"pruned null content", tightLLM, `{"role":"toolResult","content":null,"prunedAt":1}`,
			[]string{`{"role":"toolResult","content":[{"type":"text","text":"[Output truncated]"}],"prunedAt":1,"attribution":"agent"}`}},
		{"blocks for a compaction", splitLLM, `{"role":"compactionSummary","summary":"S","blocks":[` + image + `],"providerPayload":{"type":"x"},"timestamp":9}`,
			[]string{`{"role":"user","content":[{"type":"text","text":"S"},` + image + `],"attribution":"agent","historyRewriteAt":9,"providerPayload":{"type":"x"},"timestamp":9}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var cleaned replay.Cleaned
			if diff := cmp.Diff(tt.want, converted(t, tt.rules, &cleaned, tt.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if cleaned != (replay.Cleaned{}) {
				t.Errorf("cleaned %+v", cleaned)
			}
		})
	}
}

// text returns the text of the first block.
func text(t *testing.T, msg string) string {
	t.Helper()
	var m struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || len(m.Content) == 0 {
		t.Fatalf("no text in %s: %v", msg, err)
	}
	return m.Content[0].Text
}

const summary = "## Goal\n\nText para one.  \n\n\nText two\n\n- a\n\n- b\n\n```\ncode\n\n\nx  \n```\n\n| a  |  b |\n|:-- | ---|\n| c \u2028 | d |\n<note>\n\ninner\n\n</note>\nend ->\n\n"

func TestConvertWrapsSummaries(t *testing.T) {
	tight := "\n## Goal\n\nText para one.\n\nText two\n- a\n- b\n\n```\ncode\n\n\nx\n```\n\n|a|b|\n|:---|---|\n| c \u2028 | d |\n<note>\ninner\n</note>\nend ->\n"
	sparse := "\n## Goal\n\nText para one.\nText two\n\n- a\n\n- b\n\n```\ncode\n\n\nx\n```\n\n|a|b|\n|:---|---|\n| c \u2028 | d |\n<note>\n\ninner\n</note>\nend ->\n"
	tests := []struct {
		name      string
		rules     spelling.LLM
		role      string
		tag, rest string
		want      string
	}{
		{"raw branch", plainLLM, "branchSummary", "summary", "", "\n" + summary},
		{"raw compaction", plainLLM, "compactionSummary", "summary", `,"providerPayload":{}`, "\n" + summary + "\n"},
		{"tight branch", tightLLM, "branchSummary", "summary", "", tight},
		{"tight compaction", tightLLM, "compactionSummary", "summary", "", tight},
		{"sparse branch", splitLLM, "branchSummary", "summary", "", sparse},
		{"sparse compaction", splitLLM, "compactionSummary", "summary", `,"method":"remote"`, sparse},
		{"handed over", splitLLM, "compactionSummary", "handoff", `,"method":"handoff"`, sparse},
		{"no hand-over there", tightLLM, "compactionSummary", "summary", `,"method":"handoff"`, tight},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := `{"role":"` + tt.role + `","summary":` + string(jsonedit.Quoted(summary)) + tt.rest + `,"timestamp":6}`
			got := converted(t, tt.rules, nil, in)
			if len(got) != 1 {
				t.Fatalf("%d messages", len(got))
			}
			lead, body, ok := strings.Cut(text(t, got[0]), "<"+tt.tag+">")
			inner, after, closed := strings.Cut(body, "</"+tt.tag+">")
			if !ok || !closed || after != "" || !strings.HasSuffix(lead, "\n\n") || len(lead) < 20 {
				t.Fatalf("wrapped as %q", text(t, got[0]))
			}
			if diff := cmp.Diff(tt.want, inner); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(got[0], "providerPayload") {
				t.Error("the payload was passed on")
			}
		})
	}
}

func TestConvertLaysOutSummaryDetails(t *testing.T) {
	tests := []struct {
		name     string
		rules    spelling.LLM
		in, want string
	}{
		{"unclosed fence", splitLLM, "a\n```\nx\n\n", "\na\n```\nx\n\n\n"},
		{"tag with attributes", tightLLM, "<t a=\"1\">\n\nx\n\n</t>", "\n<t a=\"1\">\nx\n</t>\n"},
		{"no tag", tightLLM, "<T>\n\nx\n\n<br/>\n\ny", "\n<T>\n\nx\n\n<br/>\n\ny\n"},
		{"numbers", tightLLM, "a\n\n1. b\n\n* c\n\n-d", "\na\n1. b\n* c\n\n-d\n"},
		{"dashes", splitLLM, "  | a |b  |\n  |:-:|--: |\n||", "\n  |a|b|\n  |:---:|---:|\n||\n"},
		{"wide blanks", splitLLM, "a\u00a0\ufeff\n\u3000\nb", "\na\n\nb\n"},
		{"empty", splitLLM, "", "\n"},
	}
	for _, tt := range tests {
		got := converted(t, tt.rules, nil, `{"role":"branchSummary","summary":`+string(jsonedit.Quoted(tt.in))+`}`)
		_, body, _ := strings.Cut(text(t, got[0]), "<summary>")
		if inner := strings.TrimSuffix(body, "</summary>"); inner != tt.want {
			t.Errorf("%s: %q became %q, want %q", tt.name, tt.in, inner, tt.want)
		}
	}
}

func TestConvertInterjections(t *testing.T) {
	in := `{"role":"custom","customType":"collab-prompt","content":"stop","attribution":"user","timestamp":1}`
	var m struct{ Role, Content, Attribution string }
	got := converted(t, splitLLM, nil, in)
	if err := json.Unmarshal([]byte(got[0]), &m, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(false)); err != nil {
		t.Fatal(err)
	}
	if m.Role != "user" || m.Attribution != "user" || !strings.HasSuffix(m.Content, "</system-notice>\nstop") {
		t.Errorf("got %+v", m)
	}
	blocks := converted(t, splitLLM, nil, `{"role":"custom","customType":"collab-prompt","content":[{"type":"text","text":"a"},`+image+`,{"type":"text","text":"b"}],"attribution":"user"}`)
	if !strings.HasSuffix(text(t, blocks[0]), "</system-notice>\na\nb") || !strings.HasSuffix(blocks[0], image+`],"attribution":"user"}`) {
		t.Errorf("got %s", blocks[0])
	}
	agent := converted(t, splitLLM, nil, `{"role":"custom","customType":"collab-prompt","content":"x","attribution":"agent"}`)
	if want := `{"role":"developer","content":[{"type":"text","text":"x"}],"attribution":"agent"}`; agent[0] != want {
		t.Errorf("got %s, want %s", agent[0], want)
	}
}

func TestConvertDropsUnfinishedReasoning(t *testing.T) {
	const mark = `{"role":"custom","customType":"interrupted-thinking","content":"note"}`
	answer := func(blocks string) string { return `{"role":"assistant","content":[` + blocks + `],"x":1}` }
	const (
		open   = `{"type":"thinking","thinking":"t"}`
		signed = `{"type":"thinking","thinking":"t","thinkingSignature":"s"}`
		said   = `{"type":"text","text":"said"}`
		empty  = `{"type":"text","text":" \n"}`
	)
	tests := []struct {
		name, in, want string
		marked         bool
	}{
		{"at the end", said + "," + open + "," + open + "," + empty, said, true},
		{"all of it", open, "", true},
		{"not marked", said + "," + open, said + "," + open, false},
		{"signed", said + "," + signed, said + "," + signed, true},
		{"before an answer", open + "," + said, open + "," + said, true},
		{"blank text only", said + "," + empty, said + "," + empty, true},
	}
	for _, tt := range tests {
		in := []string{answer(tt.in)}
		if tt.marked {
			in = append(in, mark)
		}
		if got := converted(t, splitLLM, nil, in...); got[0] != answer(tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got[0], answer(tt.want))
		}
		if got := converted(t, tightLLM, nil, in...); got[0] != answer(tt.in) {
			t.Errorf("%s, without the rule: got %s", tt.name, got[0])
		}
	}
}

func TestConvertSaysWhatWasLeftOut(t *testing.T) {
	bash := func(meta string) string {
		return `{"role":"bashExecution","command":"c","output":"","truncated":true,"fullOutputPath":"/p","meta":` + meta + `}`
	}
	tests := []struct{ meta, want string }{
		{`null`, ""},
		{`{}`, ""},
		{`{"truncation":{"totalLines":200,"shownRange":{"start":1,"end":50},"artifactId":"7","nextOffset":51}}`,
			"\n\n[Output not whole: lines 1-50 of 200 shown; goes on at :51; all of it in artifact://7]"},
		{`{"truncation":{"totalLines":9,"headRange":{"start":1,"end":2},"tailRange":{"start":8,"end":9}}}`, "\n\n[Output not whole: lines 1-2 and 8-9 of 9 shown]"},
		{`{"truncation":{"outputLines":3}}`, "\n\n[Output not whole: 3 lines shown]"},
		{`{"truncation":{},"artifactError":"write"}`, "\n\n[Output not whole: a part shown; the full output could not be kept (write)]"},
		{`{"limits":{"matchLimit":{"reached":5,"suggestion":10},"columnTruncated":{"maxColumn":768}}}`,
			"\n\n[Output not whole: stopped after 5 matches (limit=10 gives more); long lines cut at 768 chars]"},
		{`{"diagnostics":{"summary":"1 error","messages":["a.go:1: x",5]}}`, "\n\nDiagnostics (1 error):\na.go:1: x"},
	}
	for _, tt := range tests {
		got := converted(t, tightLLM, nil, bash(tt.meta))
		if want := "Ran `c`\n(no output)" + tt.want; text(t, got[0]) != want {
			t.Errorf("meta %s: got %q, want %q", tt.meta, text(t, got[0]), want)
		}
		if got := converted(t, plainLLM, nil, bash(tt.meta)); !strings.HasSuffix(text(t, got[0]), "[Output truncated. Full output: /p]") {
			t.Errorf("meta %s: by path %q", tt.meta, text(t, got[0]))
		}
	}
}

func TestConvertCleans(t *testing.T) {
	const ref = "blob:sha256:f99a6f242ce3ab55081cbe28632bd062f470ad843d3dfa100908d35697d9dd6b"
	const gone = "[Image not available: its data is not in the blob store.]"
	tests := []struct {
		name, in, want string
		cleaned        replay.Cleaned
	}{
		{"surrogates", `{"role":"user","content":"\ud83dx\ude00 \ud83d\ude00"}`, "{\"role\":\"user\",\"content\":\"\uFFFDx\uFFFD \\ud83d\\ude00\"}", replay.Cleaned{Surrogates: 2}},
		{"invalid utf-8", "{\"role\":\"user\",\"content\":\"\xff\"}", "{\"role\":\"user\",\"content\":\"\uFFFD\"}", replay.Cleaned{Surrogates: 1}},
		{"name in a call", `{"role":"assistant","content":[{"type":"text","text":"a\u0007"},{"type":"toolCall","name":"ba\u0007s\u009bh","id":"1"}]}`,
			`{"role":"assistant","content":[{"type":"text","text":"a\u0007"},{"type":"toolCall","name":"bash","id":"1"}]}`, replay.Cleaned{Names: 1}},
		{"name in a result", `{"role":"toolResult","toolName":"a\nb","content":[]}`, `{"role":"toolResult","toolName":"ab","content":[]}`, replay.Cleaned{Names: 1}},
		{"blob", `{"role":"user","content":[{"type":"image","data":"` + ref + `","mimeType":"image/png"},` + image + `]}`,
			`{"role":"user","content":[{"type":"text","text":"` + gone + `"},` + image + `]}`, replay.Cleaned{Blobs: 1}},
		{"blob that is no reference", `{"role":"user","content":[{"type":"image","data":"blob:sha256:12"}]}`, `{"role":"user","content":[{"type":"text","text":"` + gone + `"}]}`, replay.Cleaned{Blobs: 1}},
		{"words about a blob", `{"role":"user","content":"` + ref + `","details":{"image_url":"` + ref + `"}}`, `{"role":"user","content":"` + ref + `","details":{"image_url":"` + ref + `"}}`, replay.Cleaned{}},
		{"blobs in a provider's history", `{"role":"user","content":"x","providerPayload":{"items":[{"type":"input_image","image_url":"` + ref + `"},{"type":"image_generation_call","result":"` + ref + `"},{"image_url":"` + ref + `"}]}}`,
			`{"role":"user","content":"x","providerPayload":{"items":[{"type":"input_text","text":"` + gone + `"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + gone + `"}]},{"image_url":"` + gone + `"}]}}`, replay.Cleaned{Blobs: 3}},
		{"surrogate in an output", `{"role":"bashExecution","command":"c","output":"\ud800"}`, "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Ran `c`\\n```\\n\uFFFD\\n```\"}]}", replay.Cleaned{Surrogates: 1}},
		{"nothing counted of what is not sent", `{"role":"bashExecution","command":"\ud800","excludeFromContext":true}`, "", replay.Cleaned{}},
		{"nothing counted of another role", `{"role":"mystery","x":"\ud800"}`, "", replay.Cleaned{}},
	}
	for _, tt := range tests {
		var cleaned replay.Cleaned
		got := converted(t, plainLLM, &cleaned, tt.in)
		if tt.want == "" && len(got) == 0 {
			got = []string{""}
		}
		if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if cleaned != tt.cleaned {
			t.Errorf("%s: cleaned %+v, want %+v", tt.name, cleaned, tt.cleaned)
		}
	}
}

func TestConvertCountsOnlyWhatIsSent(t *testing.T) {
	var cleaned replay.Cleaned
	got := converted(t, plainLLM, &cleaned, `{"role":"bashExecution","command":"\ud800","excludeFromContext":true}`,
		`{"role":"assistant","content":[]}`, `{"role":"user","content":"\udc00"}`)
	if len(got) != 2 || cleaned != (replay.Cleaned{Surrogates: 1}) {
		t.Errorf("%d messages, cleaned %+v", len(got), cleaned)
	}
}

func TestConvertClipsToolResults(t *testing.T) {
	result := func(content string) string { return `{"role":"toolResult","content":` + content + `}` }
	block := func(n int) string { return `{"type":"text","text":"` + strings.Repeat("a", n) + `"}` }
	tests := []struct {
		name    string
		in      string
		units   []int
		clipped int
	}{
		{"exactly", result("[" + block(replay.MaxToolResult) + "]"), []int{replay.MaxToolResult}, 0},
		{"one more", result("[" + block(replay.MaxToolResult+1) + "]"), []int{replay.MaxToolResult}, 1},
		{"over several", result("[" + block(10) + "," + block(replay.MaxToolResult) + "," + block(5) + "]"), []int{10, replay.MaxToolResult - 10}, 1},
	}
	for _, tt := range tests {
		var cleaned replay.Cleaned
		got := converted(t, plainLLM, &cleaned, tt.in)
		content, _ := jsonedit.Get(entry.JSON(got[0]), "content")
		var units []int
		for b := range jsonedit.Elements(content) {
			s, _ := jsonedit.Get(b, "text")
			units = append(units, jsonedit.UnitsRaw(s))
		}
		if !slices.Equal(units, tt.units) || cleaned.Clipped != tt.clipped {
			t.Errorf("%s: blocks of %d units, clipped %d; want %d, %d", tt.name, units, cleaned.Clipped, tt.units, tt.clipped)
		}
		if tt.clipped > 0 && !strings.Contains(got[0], "clipped") {
			t.Errorf("%s: no note", tt.name)
		}
	}
	var cleaned replay.Cleaned
	got := converted(t, plainLLM, &cleaned, result(`"`+strings.Repeat("b", replay.MaxToolResult+9)+`"`))
	content, _ := jsonedit.Get(entry.JSON(got[0]), "content")
	if n := jsonedit.UnitsRaw(content); n != replay.MaxToolResult || cleaned.Clipped != 1 {
		t.Errorf("string of %d units, clipped %d", n, cleaned.Clipped)
	}
}

func TestConvertPassesErrorsInPlace(t *testing.T) {
	broken := errors.New("broken")
	msgs := func(yield func(entry.JSON, error) bool) {
		_ = yield(entry.JSON(`{"role":"assistant","content":[]}`), nil) &&
			yield(nil, broken) && yield(entry.JSON(`{"role":"assistant","content":[],"x":1}`), nil)
	}
	var got []string
	for m, err := range replay.Convert(msgs, splitLLM, nil) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, string(m))
	}
	if diff := cmp.Diff([]string{`{"role":"assistant","content":[]}`, "broken", `{"role":"assistant","content":[],"x":1}`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range replay.Convert(msgs, splitLLM, nil) {
		break
	}
	n := 0
	for range replay.Convert(sequence(mixed, mixed, files), splitLLM, nil) {
		if n++; n == 2 {
			break
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{files, bash, hook, mixed, prune, `{"role":"compactionSummary","summary":"| a |\n\n\n<a>\n"}`,
		`{"role":"fileMention","files":[null,5,{"image":true}]}`, `{"role":"assistant","content":[null,{"type":"toolCall","name":5}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := entry.JSON(b)
		if !jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			return
		}
		before := string(b)
		for _, rules := range []spelling.LLM{plainLLM, tightLLM, splitLLM, {}} {
			for m, err := range replay.Convert(sequence(before, before), rules, nil) {
				if err != nil || !jsontext.Value(m).IsValid(jsontext.AllowDuplicateNames(true)) {
					t.Fatalf("%q became %q, %v", before, m, err)
				}
			}
		}
	})
}
