package transcript_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// TestMessages: who says a message, what is to be known of it, and all that it says.
func TestMessages(t *testing.T) {
	for _, test := range []struct{ name, raw, title, note, text string }{
		{"prompt", `{"role":"user","content":"dig\n\n","attribution":"agent"}`, "user", "by the agent", "dig\n"},
		{"picture", `{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, "user", "", "[image/png, 3 B]\n"},
		{"bad picture", `{"role":"user","content":[{"type":"image","data":"!","mimeType":"image/png"}]}`, "user", "", "[image/png, 1 B of text that is not base64]\n"},
		{"answer", `{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":" "},{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a\nb","n":1}}],"stopReason":"length"}`,
			"assistant", "", "(reasoning that is not shown)\n→ read\n    path: a\n    b\n    n: 1\n(length)\n"},
		{"failure", `{"role":"assistant","content":[],"errorMessage":"no","stopReason":"error"}`, "assistant", "", "error: no\n"},
		{"result", `{"role":"toolResult","toolCallId":"1","toolName":"read","isError":true,"content":[{"type":"text","text":"gone"}]}`, "result: error", "read", "gone\n"},
		{"shell", `{"role":"bashExecution","command":"a\nb","output":" ","exitCode":2,"cancelled":false}`, "shell", "exit 2", "$ a\n  b\n"},
		{"cancelled", `{"role":"bashExecution","command":"a","output":"x","cancelled":true}`, "shell", "cancelled", "$ a\nx\n"},
		{"files", `{"role":"fileMention","files":[{"path":"a.go","content":"package a","lineCount":1}]}`, "files", "", "@a.go  (1 line)\npackage a\n"},
		{"escapes", `{"role":"user","content":"\u001b[2Jx"}`, "user", "", "x\n"},
		{"other", `{"role":"odd","x":1}`, "odd", "", "{\"role\":\"odd\",\"x\":1}\n"},
		{"damaged", `[]`, "damaged", "", "[]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := transcript.Read(entry.JSON(test.raw))
			if m.Title() != test.title || m.Note() != test.note {
				t.Errorf("title %q, note %q", m.Title(), m.Note())
			}
			if got := transcript.Plain(m.Blocks); got != test.text {
				t.Errorf("text %q, want %q", got, test.text)
			}
		})
	}
}

// TestGists: an entry in a sentence and in two columns.
func TestGists(t *testing.T) {
	for _, test := range []struct {
		kind                     entry.Kind
		line, sentence, who, row string
		bad                      bool
	}{
		{entry.Message, `{"message":{"role":"user","content":"a  b\nc"}}`, "user a b c", "user", "a b c", false},
		{entry.Message, `{"message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a.go"}}]}}`, "assistant → read", "assistant", "→ read a.go", false},
		{entry.Message, `{"message":{"role":"assistant","content":[],"errorMessage":"no"}}`, "assistant no", "assistant", "no", true},
		{entry.Message, `{"message":{"role":"toolResult","toolName":"","content":"x"}}`, "result of a tool x", "tool", "x", false},
		{entry.Message, `{"message":{"role":"bashExecution","command":"ls","exitCode":1}}`, "shell ls", "shell", "ls", true},
		{entry.Message, `{"message":{"role":"fileMention","files":[{"path":"a"}]}}`, "fileMention a", "files", "a", false},
		{entry.Message, `{"message":1}`, "damaged message", "damaged", "message", true},
		{entry.Compaction, `{"summary":"s","tokensBefore":1500}`, "compaction: s", "compaction of 1.5k tokens", "s", false},
		{entry.BranchSummary, `{"summary":"s"}`, "summary of a left branch: s", "left branch", "s", false},
		{entry.ModelChange, `{"provider":"p","modelId":"m"}`, "model p/m", "model", "p/m", false},
		{entry.Label, `{"targetId":"x"}`, "label of x taken away", "label", "of x taken away", false},
		{entry.Unknown, `{"type":"t"}`, "t", "t", "", false},
	} {
		g := transcript.GistOf(test.kind, entry.JSON(test.line))
		who, row, bad := g.Row()
		if g.String() != test.sentence || who != test.who || row != test.row || bad != test.bad {
			t.Errorf("%s: %q and %q %q %t", test.line, g, who, row, bad)
		}
	}
}

// TestFirstLines: a text is cut after a line, and never within a character.
func TestFirstLines(t *testing.T) {
	for _, test := range []struct {
		text     string
		n, limit int
		want     string
	}{{"a\nb\nc", 2, 9, "a\nb"}, {"a", 3, 9, "a"}, {"", 1, 9, ""}, {"aé", 1, 2, "a"}, {strings.Repeat("x", 9), 1, 4, "xxxx"}} {
		if got := transcript.FirstLines(test.text, test.n, test.limit); got != test.want {
			t.Errorf("%d lines of %q: %q, want %q", test.n, test.text, got, test.want)
		}
	}
}
