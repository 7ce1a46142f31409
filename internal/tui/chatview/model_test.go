package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/message"
)

func TestKeys(t *testing.T) {
	tests := []struct {
		name  string
		busy  bool
		keys  []string
		wants string
		text  string
	}{
		{"send", false, []string{"hello", "enter"}, "Send{Text:hello Queue:0}", ""},
		{"nothing to send", false, []string{"  ", "enter"}, "", "  "},
		{"new lines", false, []string{"a", "shift+enter", "b", "alt+enter", "c", "enter"}, "Send{Text:a\nb\nc Queue:0}", ""},
		{"steer", true, []string{"hello", "enter"}, "Send{Text:hello Queue:1}", ""},
		{"follow up", true, []string{"hello", "alt+enter"}, "Send{Text:hello Queue:2}", ""},
		{"no command while it works", true, []string{"!ls", "enter"}, "", "!ls"},
		{"abort", true, []string{"esc"}, "Abort{}", ""},
		{"queued text comes back", true, []string{"one", "enter", "two", "esc"}, "Send{Text:one Queue:1} Abort{}", "one\n\ntwo"},
		{"tree", false, []string{"esc", "esc"}, "Tree{}", ""},
		{"not the tree", false, []string{"esc", "a", "esc"}, "", "a"},
		{"exit empties", false, []string{"abc", "ctrl+c"}, "", ""},
		{"exit twice leaves", false, []string{"ctrl+c", "ctrl+c"}, "Quit{}", ""},
		{"exit, then something else", false, []string{"ctrl+c", "a", "ctrl+c"}, "", ""},
		{"ctrl+d leaves", false, []string{"ctrl+d"}, "Quit{}", ""},
		{"ctrl+d in a text", false, []string{"a", "ctrl+d"}, "", "a"},
		{"editor", false, []string{"abc", "ctrl+g"}, "Edit{Text:abc}", "abc"},
		{"command", false, []string{"/quit", "enter"}, "Command{Name:quit Arguments:}", ""},
		{"half a command", false, []string{"/qu", "enter"}, "", "/quit "},
		{"arguments", false, []string{"/move there it is", "enter"}, "Command{Name:move Arguments:there it is}", ""},
		{"too many arguments", false, []string{"/quit now", "enter"}, "", "/quit now"},
		{"no such command", false, []string{"/nope", "enter"}, "", "/nope"},
		{"a path is no command", false, []string{"/etc/hosts", "enter"}, "Send{Text:/etc/hosts Queue:0}", ""},
		{"complete", false, []string{"/mo", "down", "tab"}, "", "/move "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, theme.None, 80, 24)
			if tt.busy {
				d.send(chatview.Began{Doing: "working"})
			}
			d.keys(tt.keys...)
			if got := d.wanted(); got != tt.wants {
				t.Errorf("wants %q, want %q", got, tt.wants)
			}
			if got := d.m.Text(); got != tt.text {
				t.Errorf("typed is %q, want %q", got, tt.text)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.History{All: []string{"second", "first"}})
	d.keys("draft", "up")
	for _, step := range []struct{ key, want string }{{"", "second"}, {"up", "first"}, {"up", "first"}, {"down", "second"}, {"down", "draft"}, {"down", "draft"}} {
		if step.key != "" {
			d.keys(step.key)
		}
		if got := d.m.Text(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.key, got, step.want)
		}
	}
	d.keys("enter", "up")
	if got := d.m.Text(); got != "draft" {
		t.Errorf("what was sent is %q", got)
	}
}

func TestFilesAreCompleted(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.keys("see @to")
	var asked chatview.Complete
	for _, w := range d.wishes {
		if c, ok := w.(chatview.Complete); ok {
			asked = c
		}
	}
	if asked.Word != "to" || asked.Command != "" {
		t.Fatalf("asked for %+v", asked)
	}
	d.send(chatview.Choices{Seq: asked.Seq - 1, All: []chatview.Choice{{Text: "@old"}}})
	d.hides("@old")
	d.send(chatview.Choices{Seq: asked.Seq, All: []chatview.Choice{{Text: "@tomatoes.txt"}, {Text: "@tools/"}}})
	d.shows("@tomatoes.txt", "@tools/")
	d.keys("down", "tab")
	if got := d.m.Text(); got != "see @tools/" {
		t.Errorf("typed is %q", got)
	}
}

func TestAnAnswerComes(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.rows(of(`{"role":"user","content":"How much?"}`))
	d.send(chatview.Began{Doing: "working"}, chatview.AnswerBegan{}, chatview.Delta{Text: "let me see\nthis", Thinking: true}, chatview.Delta{Text: "Two **lit"})
	d.shows("working · esc stops it", "✻ let me see", "Two lit")
	d.send(chatview.Delta{Text: "res**"})
	d.shows("Two litres")
	d.send(chatview.AnswerBegan{}, chatview.Delta{Text: "Three"}) // tried again
	d.hides("Two")
	d.send(chatview.ToolBegan{ID: "c", Name: "bash", Arguments: message.JSON(`{"command":"make"}`)}, chatview.ToolWrote{ID: "c", Text: "compiling\n"})
	d.shows("→ bash  make", "compiling")
	d.send(chatview.AnswerEnded{Key: "e1"}, chatview.ToolEnded{ID: "c"}, chatview.Ended{})
	d.shows("Three") // until its row is there
	d.rows(of(`{"role":"user","content":"How much?"}`), of(`{"role":"assistant","content":[{"type":"text","text":"Three."}]}`))
	if n := strings.Count(d.screen(), "Three"); n != 1 {
		t.Errorf("it is shown %d times:\n%s", n, d.screen())
	}
	d.hides("esc stops it", "compiling")
	// However late their rows come, answers stay in sight.
	for _, key := range []string{"e2", "e3"} {
		d.send(chatview.AnswerBegan{}, chatview.Delta{Text: "answer " + key}, chatview.AnswerEnded{Key: key}, chatview.Ended{})
	}
	d.shows("answer e2", "answer e3")
	d.send(chatview.Rows{Rows: []chatview.Row{{Key: "e0"}}, Reset: true})
	d.hides("answer e2", "answer e3") // they are on a branch that was left
}

// What the published rebuild clears is cleared, and nothing before it.
func TestSwitched(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.rows(of(`{"role":"user","content":"How much?"}`))
	d.send(chatview.Began{Doing: "working"}, chatview.AnswerBegan{}, chatview.Delta{Text: "streaming"},
		chatview.ToolBegan{ID: "c", Name: "bash"}, chatview.State{Model: "opus", Name: "beds"}, chatview.Told{Text: "noted"})
	d.keys("wait", "enter")
	d.keys("typed")
	d.shows("working", "streaming", "→ bash", "beds", "steers: wait")
	d.send(chatview.Told{Text: "noted"}, chatview.Opening{What: "reading the tree"})
	d.shows("noted", "reading the tree")
	d.send(asks(t, "1", "edit", "~/work", `{"path":"a.go"}`))
	d.shows("Run edit in ~/work?")
	d.send(chatview.Switched{})
	d.hides("working", "streaming", "→ bash", "beds", "steers: wait", "noted", "reading the tree", "Run edit in ~/work?")
	d.rows(of(`{"role":"user","content":"Another one."}`))
	d.send(chatview.Todos{All: []chatview.Todo{{Text: "weed"}}}, chatview.Told{Text: "Resumed session"})
	d.shows("▌ Another one.", "☐ weed", "Resumed session")
	d.hides("How much?")
	if d.m.Text() != "typed" {
		t.Errorf("the editor holds %q", d.m.Text())
	}
}

func TestAsk(t *testing.T) {
	for key, want := range map[string]string{"y": "Answer{ID:1 Answer:1}", "a": "Answer{ID:1 Answer:2}", "n": "Answer{ID:1 Answer:0}", "esc": "Answer{ID:1 Answer:0}", "x": ""} {
		d := newDesk(t, theme.None, 80, 24)
		d.send(asks(t, "1", "bash", "~/work", `{"command":"rm -r build"}`))
		d.shows("Run bash in ~/work?", "~/work", "command: rm -r build", "tab to answer")
		if got := d.wanted(); got != "Asking{ID:1}" {
			t.Errorf("wants %q", got)
		}
		d.send(chatview.Seen{ID: "1"})
		d.shows("y run it")
		d.keys(key)
		if got := d.wanted(); got != want {
			t.Errorf("%q answers %q, want %q", key, got, want)
		}
	}
	d := newDesk(t, theme.None, 80, 24)
	d.send(asks(t, "1", "edit", "", `{"path":"a.go","edits":[{"oldText":"a\nb\nc","newText":"a\nB\nc"}]}`))
	d.send(chatview.Seen{ID: "1"})
	d.shows("path: a.go", "| a", "- b", "+ B", "| c", "pgdn for 1 row more")
	d.keys("pgdown")
	d.shows("y run it")
	d.send(chatview.Withdrawn{ID: "1"})
	d.hides("Run edit")
}

// A key that has to be pressed twice is not waited for without end.
func TestTheFirstOfTwoKeysLapses(t *testing.T) {
	for key, told := range map[string]string{"ctrl+c": "ctrl+c again leaves", "esc": "esc again shows the tree"} {
		d := newDesk(t, theme.None, 80, 24)
		d.keys(key)
		d.shows(told)
		was := d.lapsing
		d.keys("a")
		d.hides(told) // another key
		d = newDesk(t, theme.None, 80, 24)
		d.keys(key, "up", key)
		d.send(chatview.Lapsed(was)) // of the first one
		d.shows(told)
		d.send(chatview.Lapsed(d.lapsing))
		d.hides(told)
		d.keys(key)
		d.shows(told)
		if got := d.wanted(); got != "" {
			t.Errorf("%s wants %q", key, got)
		}
		d.keys(key)
		if got := d.wanted(); got == "" {
			t.Errorf("%s twice wants nothing", key)
		}
	}
}

// What is typed when another text comes into the editor is not lost.
func TestADraftIsKept(t *testing.T) {
	for name, come := range map[string]func(d *desk){
		"a prompt of the tree": func(d *desk) { d.send(chatview.Typed{Text: "prompt"}) },
		"one that is found": func(d *desk) {
			d.keys("ctrl+r")
			d.send(chatview.Recalled{Seq: 1, All: []chatview.Choice{{Text: "prompt"}}})
			d.keys("enter")
		},
		"while it is edited": func(d *desk) {
			text := d.m.Text()
			d.keys("ctrl+g")
			d.send(chatview.Typed{Text: text}, chatview.Typed{Text: "prompt"})
		},
	} {
		for _, older := range []bool{false, true} {
			d := newDesk(t, theme.None, 80, 24)
			d.send(chatview.History{All: []string{"said"}})
			d.keys("draft")
			if older {
				d.keys("up")
			}
			come(d)
			if d.m.Text() != "prompt" {
				t.Errorf("%s: the editor holds %q", name, d.m.Text())
			}
			all := ""
			for range 4 {
				d.keys("up")
				all += d.m.Text() + " "
			}
			if !strings.Contains(all, "draft ") || !strings.Contains(all, "said ") {
				t.Errorf("%s (%v): history has %q", name, older, all)
			}
		}
	}
	d := newDesk(t, theme.None, 80, 24)
	d.keys("draft", "ctrl+g")
	d.send(chatview.Typed{Text: "edited"})
	d.keys("up")
	if d.m.Text() != "edited" {
		t.Errorf("what was edited is a prompt: %q", d.m.Text())
	}
}

// What is told is dismissed by a key, and never keeps one from the editor.
func TestTold(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.send(chatview.Told{Text: "it broke", Bad: true}, chatview.Told{Text: "it broke", Bad: true}, chatview.Told{Text: "and more"})
	if n := strings.Count(d.screen(), "it broke"); n != 1 {
		t.Errorf("told %d times", n)
	}
	d.keys("abc")
	if d.m.Text() != "abc" {
		t.Errorf("typed %q", d.m.Text())
	}
	d.keys("esc")
	d.hides("it broke", "and more")
}

// Of a long conversation only what is seen is read.
func TestOnlyWhatIsSeenIsRead(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	const n = 9000
	all := make([][]chatview.Part, n)
	for i := range all {
		all[i] = []chatview.Part{{Style: chatview.Markdown, Text: fmt.Sprintf("message %d\n\nsecond line", i)}}
	}
	d.rows(all...)
	d.shows("message 8999")
	if d.loaded > 300 {
		t.Errorf("%d rows were read for the first screen", d.loaded)
	}
	for range 20 {
		d.keys("pgup")
	}
	d.hides("message 8999", theme.Ellipsis)
	if d.loaded > 600 {
		t.Errorf("%d rows were read", d.loaded)
	}
	d.keys("ctrl+home")
	d.shows("message 0")
	d.keys("pgdown")
	d.hides("message 0\n")
	for range 3 {
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	d.keys("ctrl+end")
	d.shows("message 8999")
}

func TestFoldsAndForeign(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	d.bodies["a"] = of(`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"one\ntwo\nthree"}]}`)
	d.bodies["b"] = of(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm\nso"},{"type":"text","text":"Yes."}]}`)
	d.bodies["c"] = of(`{"role":"custom","customType":"x","content":"secret","display":false}`)
	d.bodies["d"] = of(`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}`)
	d.send(chatview.Rows{Rows: []chatview.Row{{Key: "a"}, {Key: "b", Foreign: true}, {Key: "c"}, {Key: "d"}}})
	d.shows("⎿ one (+2 lines)", "┊ ✻ hm", "┊ Yes.", "[picture image/png, 3 B]")
	d.hides("three", "so\n", "secret")
	d.keys("ctrl+o", "ctrl+t")
	d.shows("three", "  so")
}

func TestNothingDrivesTheTerminal(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	evil := "\x1b]0;pwn\x07a\x1b[2Jb\u202ec"
	d.rows([]chatview.Part{{Style: chatview.Markdown, Text: evil + "\n```\n" + evil + "\n```\n| a | b |\n|--|--|\n| " + evil + " | x |"},
		{Style: chatview.Call, Head: evil, Text: evil}, {Style: chatview.Output, Text: evil}, {Style: chatview.Bad, Text: evil}, {Style: chatview.Note, Text: evil}})
	d.send(chatview.Told{Text: evil}, chatview.State{Model: evil, Name: evil, Others: evil}, chatview.Todos{All: []chatview.Todo{{Text: evil}}},
		chatview.Began{Doing: evil}, chatview.Typed{Text: evil}, tea.PasteMsg{Content: evil})
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\x07", "\u202e"} {
		if strings.Contains(d.m.View().Content, bad) {
			t.Errorf("the screen holds %q", bad)
		}
	}
}

// The screen is as large as the window, whatever the size.
func TestEverySizeFits(t *testing.T) {
	for _, size := range [][2]int{{20, 4}, {40, 8}, {41, 9}, {60, 15}, {80, 24}, {200, 60}} {
		d := newDesk(t, theme.Indexed, size[0], size[1])
		d.rows(of(`{"role":"user","content":"How much water do the tomatoes in the large bed need in a week without rain?"}`))
		d.send(chatview.Began{Doing: "working"}, chatview.Told{Text: strings.Repeat("long ", 100), Bad: true},
			chatview.State{Model: "a-model-with-a-long-name", Thinking: "high", Tokens: 50000, Window: 100000, Cost: 1.5, Unsaved: 3, Others: "pi too", Name: strings.Repeat("n", 90)},
			chatview.Todos{All: []chatview.Todo{{Text: strings.Repeat("t", 300)}, {Text: "b", State: "in_progress"}}})
		d.keys(strings.Repeat("word ", 60))
		for _, extra := range []tea.Msg{nil, asks(t, "1", "bash", "", `{"command":"`+strings.Repeat("x ", 900)+`"}`), chatview.Page{Title: "t", Lines: []string{strings.Repeat("l", 900)}}} {
			if extra != nil {
				d.send(extra)
			}
			lines := strings.Split(d.m.View().Content, "\n")
			if len(lines) != size[1] {
				t.Errorf("%v: %d lines", size, len(lines))
			}
			for _, line := range lines {
				if term.Width(line) > size[0] {
					t.Errorf("%v: %d cells: %q", size, term.Width(line), line)
				}
			}
		}
	}
}
