package readview_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

func quote(s string) string { return string(jsonedit.Quote(nil, s)) }

// numbered is a text of so many lines.
func numbered(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d of 水泵 and its clock\n", word, i+1)
	}
	return b.String()
}

func user(text string) row {
	return said(readview.Prompt, `{"role":"user","content":`+quote(text)+`}`)
}

func answer(blocks ...string) row {
	return said(readview.Entry, `{"role":"assistant","model":"opus","content":[`+strings.Join(blocks, ",")+`]}`)
}

func textBlock(text string) string { return `{"type":"text","text":` + quote(text) + `}` }

func call(name, arguments string) string {
	return `{"type":"toolCall","id":"1","name":` + quote(name) + `,"arguments":` + arguments + `}`
}

func result(name, text, rest string) row {
	return said(readview.Tool, `{"role":"toolResult","toolCallId":"1","toolName":`+quote(name)+rest+`,"content":[`+textBlock(text)+`]}`)
}

// kinds are sessions with one kind of block each.
var kinds = []struct {
	name string
	rows []row
}{
	{"prompt", []row{user("Why does the valve test fail once in twenty runs on the build machine and never here?\n\n\tLook at 水泵 🌱 first.")}},
	{"prompt-long", []row{user(numbered("line", 200))}},
	{"answer", []row{answer(textBlock("It reads the **real** clock:\n\n- `valve.Open` takes the time\n- the test counts in a clock of its own\n\n```go\nfunc (v *Valve) Open() {\n\tv.opened = time.Now() // the real one\n}\n```\n\n| pump | litres |\n|---|---:|\n| 水泵 | 12 |\n"))}},
	{"answer-long", []row{answer(textBlock(strings.Repeat("A paragraph about the pump.\n\n", 200)))}},
	{"thinking", []row{answer(`{"type":"thinking","thinking":"A test that fails now and then depends on time.\nOr on order.\nOr on both."}`, `{"type":"thinking","thinking":""}`, textBlock("I look."))}},
	{"call", []row{answer(call("bash", `{"command":"go test \u001b]0;x\u0007 -run TestWater\n-count 20 ./valve","timeout":120}`))}},
	{"edit", []row{
		answer(call("edit", `{"path":"valve/valve.go","oldText":"a\nb\nold\nc","newText":"a\nb\nnew\nmore\nc"}`)),
		result("edit", "1 replacement", `,"details":{"diff":"-old\n+new\n+more","durationMs":12}`)}},
	{"write", []row{answer(call("write", `{"path":"notes.md","content":`+quote(numbered("note", 30))+`}`))}},
	{"result", []row{result("bash", numbered("PASS: TestWater", 60), `,"details":{"exitCode":0,"durationMs":2340}`)}},
	{"result-failed", []row{result("bash", "no such file\n", `,"isError":true,"details":{"exitCode":2,"durationMs":200000}`)}},
	{"result-empty", []row{result("bash", "", "")}},
	{"result-of", []row{{sort: readview.Tool, raw: result("bash", "x", "").raw, passage: readview.Passage{Of: "bash go test ./valve", Label: "green"}}}},
	{"picture", []row{said(readview.Prompt, `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString(make([]byte, 3000))+`"},`+textBlock("What is this?")+`]}`)}},
	{"shell", []row{said(readview.Tool, `{"role":"bashExecution","command":"git status\n--short","output":" M valve.go\n","exitCode":1,"cancelled":false}`)}},
	{"failure", []row{said(readview.Entry, `{"role":"assistant","content":[],"stopReason":"error","errorMessage":"the provider is overloaded"}`)}},
	{"extension", []row{said(readview.Entry, `{"role":"custom","customType":"lint","content":"two findings"}`)}},
	{"hidden", []row{{raw: `{"role":"custom","customType":"lint","content":"two findings in valve.go"}`, passage: readview.Passage{Hidden: true}}}},
	{"system", []row{said(readview.Entry, `{"role":"system","content":`+quote(numbered("rule", 9))+`}`)}},
	{"files", []row{said(readview.Entry, `{"role":"fileMention","files":[{"path":"a.go","content":"package a","lineCount":1}]}`)}},
	{"damaged", []row{said(readview.Entry, `{"role":"odd","x":1}`), said(readview.Entry, `[]`)}},
	{"compaction", []row{{sort: readview.Compaction, part: &transcript.Part{Sort: transcript.Rule, Text: "compaction of 18k tokens: 10 messages above summed up, 1 kept"},
		raw: `{"role":"compactionSummary","summary":"The test read the *real* clock.","timestamp":1}`}}},
	{"aside", []row{{part: &transcript.Part{Sort: transcript.Aside, Text: "model anthropic/claude-sonnet-4-5"}}}},
	{"fork", []row{{sort: readview.Fork, passage: readview.Passage{More: 3, Branches: []readview.Branch{
		{Entry: 7, ID: "3c000001", Text: "assistant → edit valve/valve.go", Entries: 3}, {Entry: 9, ID: "4d", Text: "user What about ollas, 赤い土の壺?", Entries: 1}}}}}},
	{"hostile", []row{user("\x1b[2J\x1b]52;c;eA==\x07a\u202eb\u200b"), answer(textBlock("# \x1b[31mred\n\n```\x1b[2J\n\x1b]0;t\x07\n```")), result("ba\x1b[2Jsh", "\x1b[31mred\x9b", "")}},
}

// TestKinds: how each kind of block looks, folded and open, on terminals of every size
// and kind. No row is too wide, and no text drives the terminal.
func TestKinds(t *testing.T) {
	for _, kind := range kinds {
		for _, cols := range []int{40, 60, 80, 120} {
			for depth, th := range themes() {
				b := open(t, kind.rows, readview.Options{Theme: th}, 0)
				rows := 40
				if strings.HasSuffix(kind.name, "-long") {
					rows = 110 // its end is seen, too
				}
				b.size(cols, rows)
				folded := look(t, b, cols, rows)
				b.press("z")
				opened := content(look(t, b, cols, rows))
				if opened == content(folded) {
					opened = "the same\n"
				} else if rows > 40 {
					opened = "more\n"
				}
				if depth == "none" {
					golden.Compare(t, fmt.Sprintf("%s-%d", kind.name, cols), content(folded)+"=== open\n"+opened)
				}
				if kind.name == "answer" && cols == 60 {
					golden.Compare(t, fmt.Sprintf("%s-%d-%s", kind.name, cols, depth), strings.ReplaceAll(folded, "\x1b", "␛")+"\n")
				}
			}
		}
	}
}

// look is the screen, of which the size and the sequences are checked.
func look(t *testing.T, b *bench, cols, rows int) string {
	t.Helper()
	view := b.m.View()
	lines := strings.Split(view, "\n")
	if len(lines) != rows {
		t.Errorf("%d rows, want %d", len(lines), rows)
	}
	for _, line := range lines {
		if w := term.Width(line); w > cols {
			t.Errorf("a row of %d cells, of %d: %q", w, cols, line)
		}
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\x07", "\u202e", "\u200b", "\x1b[31mred"} {
			if strings.Contains(line, bad) {
				t.Errorf("stored text drives the terminal: %q", line)
			}
		}
	}
	return view
}

// content is what is seen between the head and the status, without empty lines at its
// end.
func content(view string) string {
	lines := strings.Split(plain(view), "\n")
	return strings.TrimRight(strings.Join(lines[1:len(lines)-3], "\n"), "\n") + "\n"
}

// TestScreens: the whole screen in its states.
func TestScreens(t *testing.T) {
	for _, scene := range []struct {
		name string
		do   func(b *bench)
	}{
		{"end", func(*bench) {}},
		{"search", func(b *bench) { b.press("/"); b.typed("clock") }},
		{"found", func(b *bench) { b.press("home", "/"); b.typed("clock"); b.press("enter") }},
		{"branch-point", func(b *bench) { b.press("B", "down") }},
		{"damage", func(b *bench) { b.send(readview.Noted{Notes: []string{"1 damaged line", "1 link healed"}}) }},
		{"help", func(b *bench) { b.press("?") }},
	} {
		for _, size := range [][2]int{{40, 15}, {60, 15}, {80, 24}, {120, 40}, {200, 24}} {
			b := open(t, garden(), readview.Options{}, -1)
			b.size(size[0], size[1])
			scene.do(b)
			golden.Compare(t, fmt.Sprintf("screen-%s-%dx%d", scene.name, size[0], size[1]), plain(look(t, b, size[0], size[1])))
		}
	}
}

// TestMarks: what is looked for is marked wherever it is seen, and nothing else changes.
func TestMarks(t *testing.T) {
	for depth, th := range themes() {
		marks := []readview.Pattern{mark(t, "clock"), mark(t, `re:v\.opened = t`)}
		with := open(t, garden(), readview.Options{Theme: th, Words: "clock", Marks: marks}, 0)
		without := open(t, garden(), readview.Options{Theme: th}, 0)
		with.size(80, 60)
		without.size(80, 60)
		with.press("z", "home")
		without.press("z", "home")
		view := with.m.View()
		if got, want := content(view), content(without.m.View()); got != want {
			t.Errorf("%s: with marks it says\n%s\nwithout\n%s", depth, got, want)
		}
		for _, want := range []string{th.Paint(theme.Match, "clock"), th.Paint(theme.Match, "v.opened = t")} {
			if !strings.Contains(view, want) {
				t.Errorf("%s: %q is not marked in %q", depth, want, view)
			}
		}
	}
}

func mark(t *testing.T, text string) readview.Pattern {
	t.Helper()
	p, err := readview.Mark(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSmall: a terminal that is too small says so, and grows.
func TestSmall(t *testing.T) {
	b := open(t, garden(), readview.Options{}, -1)
	b.size(20, 4)
	if !strings.Contains(b.m.View(), "The terminal is") {
		t.Errorf("a view of 20 by 4:\n%s", b.m.View())
	}
	b.size(60, 15)
	if !strings.Contains(b.m.View(), "Thank you") {
		t.Errorf("it does not work when it grows:\n%s", b.m.View())
	}
}

// garden is a session with everything that is gone to.
func garden() []row {
	return []row{
		user("Why does the valve test fail?"),
		answer(`{"type":"thinking","thinking":"It depends on time.\nLook at the clock."}`, textBlock("I run it."), call("bash", `{"command":"go test ./valve"}`)),
		result("bash", numbered("PASS: TestWater", 30), `,"details":{"exitCode":0}`),
		answer(textBlock("It reads the real clock:\n\n```go\nv.opened = time.Now()\n```")),
		{sort: readview.Fork, passage: readview.Passage{Branches: []readview.Branch{{Entry: 70, ID: "b70", Text: "user What about ollas?", Entries: 12}, {Entry: 80, ID: "b80", Text: "user And drip lines?", Entries: 2}}}},
		user("Good. Do it."),
		answer(call("bash", `{"command":"false"}`)),
		result("bash", "exit status 1", `,"isError":true`),
		{sort: readview.Compaction, part: &transcript.Part{Sort: transcript.Rule, Text: "compaction: 6 messages above summed up"}, raw: `{"role":"compactionSummary","summary":"The test read the clock.","timestamp":1}`},
		user("Thank you"),
	}
}
