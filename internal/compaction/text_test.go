package compaction_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/golden"
)

// conversation has one of everything that a summary may be made from.
func conversation() []string {
	const image = `{"type":"image","data":"AAAA","mimeType":"image/png"}`
	return []string{
		user("Please look at </conversation> and < Conversation >"),
		`"type":"message","message":{"role":"user","content":[{"type":"text","text":"a picture:"},` + image + `]}`,
		`"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},` +
			`{"type":"toolCall","id":"a","name":"read","arguments":{ "path": "a.go" }},{"type":"toolCall","id":"b","name":"find","arguments":{}}],"stopReason":"toolUse"}`,
		result("a", "read", strings.Repeat("y", 2005), ""),
		result("b", "find", "nothing there", `,"useless":true`),
		`"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":"exit 1","isError":true}`,
		`"type":"message","message":{"role":"bashExecution","command":"ls","output":"a.go","exitCode":0}`,
		`"type":"message","message":{"role":"bashExecution","command":"pwd","output":"/","exitCode":0,"excludeFromContext":true}`,
		`"type":"custom_message","customType":"note","content":"mind the gap","display":true`,
		`"type":"branch_summary","fromId":"e0","summary":"tried in vain"`,
		`"type":"message","message":{"role":"assistant","content":[],"stopReason":"stop"}`,
		user("go on"),
	}
}

func TestText(t *testing.T) {
	for _, name := range []dialect.Name{dialect.Pi, dialect.Omp} {
		_, r := rules(t, name)
		s := chain(t, conversation()...)
		p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: -1})
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "text-"+string(name), p.Conversation()+"\n")
	}
}

func TestRequests(t *testing.T) {
	_, r := rules(t, dialect.Pi)
	s := chain(t,
		user("first"), answer("one"),
		`"type":"compaction","summary":"Before: <conversation>","firstKeptEntryId":"e0","tokensBefore":1`,
		user("second"), answer("two"), answer(long(30)),
	)
	p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 20, Reserve: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	o := compaction.RequestOptions{Focus: "tests", Context: []string{"fact one", "</additional-context>"}}
	var b strings.Builder
	show := func(name string, q compact.Request, tokens int) {
		b.WriteString("=== " + name + "\n" + q.Prompt + "\n\n")
		if q.MaxTokens != tokens {
			t.Errorf("%s: at most %d tokens, want %d", name, q.MaxTokens, tokens)
		}
		if q.System == "" {
			t.Errorf("%s: no system prompt", name)
		}
	}
	history, next := p.History(0, p.PreviousSummary, o)
	if next != len(p.Summarize) {
		t.Errorf("asks up to %d of %d messages", next, len(p.Summarize))
	}
	show("history", history, 8000)
	prefix, ok := p.TurnPrefix(compaction.RequestOptions{MaxTokens: 4000, Instructions: "not for this"})
	if !ok {
		t.Fatal("no request for the prefix")
	}
	show("prefix", prefix, 4000)
	show("short", p.Short("The summary.", o), 512)
	own, _ := p.History(0, p.PreviousSummary, compaction.RequestOptions{Instructions: "In your words."})
	show("own instructions", own, 8000)
	golden.Compare(t, "requests", b.String())
}

func TestJoin(t *testing.T) {
	bodies := []string{
		`"type":"compaction","summary":"old\n\n<read-files>\nold.go\n</read-files>","firstKeptEntryId":"","tokensBefore":1,"details":{"readFiles":["old.go","both.go",7],"modifiedFiles":["was.go"]}`,
		user("x"), toolCall("a", "read", "new.go"), result("a", "read", "r", ""), toolCall("b", "edit", "both.go"), result("b", "edit", "r", ""),
		answer(long(30)),
	}
	_, r := rules(t, dialect.Xcsh)
	s := chain(t, bodies...)
	p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 20})
	if err != nil {
		t.Fatal(err)
	}
	const files = "\n\n<read-files>\nnew.go\nold.go\n</read-files>\n\n<modified-files>\nboth.go\nwas.go\n</modified-files>"
	for _, tt := range []struct{ name, history, prefix, want string }{
		{"nothing new before the turn", "", " p \n", "old\n\n---\n\n**The turn under way, up to here**\n\np" + files},
		{"both", "h", "p", "h\n\n---\n\n**The turn under way, up to here**\n\np" + files},
		{"the model repeats the files", "h\n\n<modified-files>\nx\n</modified-files>\n", "", "h" + files},
		{"a tag in the text stays", "see <files>\nhere", "", "see <files>\nhere" + files},
	} {
		if got := p.Join(tt.history, tt.prefix); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	const details = `{"readFiles":["new.go","old.go"],"modifiedFiles":["both.go","was.go"]}`
	if got := p.Files.Details(); string(got) != details {
		t.Errorf("details %s, want %s", got, details)
	}
}

// TestRequestsFitTheWindow: a history that is too long is summed up in parts, each
// continuing the one before; of a turn the middle is left out.
func TestRequestsFitTheWindow(t *testing.T) {
	_, r := rules(t, dialect.Pi)
	bodies := []string{user("begin " + strings.Repeat("a", 9000)), answer("short"), user(strings.Repeat("b", 90_000))}
	for range 20 {
		bodies = append(bodies, answer(strings.Repeat("c", 3000)))
	}
	s := chain(t, append(bodies, user("turn"), answer(strings.Repeat("d", 50_000)), answer("newest"), answer(long(30)))...)
	p, err := r.Prepare(s.list, s.path(), compact.Settings{KeepRecent: 20, Reserve: 1000})
	if err != nil {
		t.Fatal(err)
	}
	o := compaction.RequestOptions{Window: 10_000}
	var records []string
	fits := func(q compact.Request) string {
		t.Helper()
		if size := len(q.System) + len(q.Prompt); size > (o.Window-q.MaxTokens)*3+100 {
			t.Errorf("a request of %d characters", size)
		}
		return q.Prompt
	}
	for at := 0; at < len(p.Summarize); {
		var q compact.Request
		q, at = p.History(at, "until now", o)
		records = append(records, fits(q))
	}
	if len(records) != 5 {
		t.Errorf("%d requests, want 5", len(records))
	}
	all := strings.Join(records, "")
	for letter, least := range map[string]int{"a": 9000, "b": 15_000, "c": 60_000} {
		if n := strings.Count(all, letter); n < least {
			t.Errorf("%d times %q in all requests, want %d at least", n, letter, least)
		}
	}
	if !strings.Contains(all, " more characters)") {
		t.Error("what was cut is not told")
	}
	prefix, _ := p.TurnPrefix(o)
	text := fits(prefix)
	if part := "[user] turn\n\n(1 messages are left out here)\n\n[assistant] newest"; !strings.Contains(text, part) {
		t.Errorf("the prefix lacks %q", part)
	}
	if _, next := p.History(len(p.Summarize), "", o); next != len(p.Summarize) {
		t.Errorf("nothing to ask, but goes on from %d", next)
	}
}
