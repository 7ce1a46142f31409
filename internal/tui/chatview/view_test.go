package chatview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/message"
)

// talk is a conversation with something of every kind in it.
func talk(d *desk) {
	d.rows(
		of(`{"role":"compactionSummary","summary":"The **beds** were dug.","tokensBefore":9000}`),
		of(`{"role":"user","content":[{"type":"text","text":"How much water do the tomatoes need? Look at the bed and tell me."},{"type":"image","data":"AAAAAAAA","mimeType":"image/png"}]}`),
		of(`{"role":"assistant","content":[{"type":"thinking","thinking":"I should look at the bed first, and then at the weather."},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls -l beds/tomatoes && cat beds/tomatoes/soil.txt"}}],"stopReason":"toolUse"}`),
		of(`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"soil.txt\ndry"}]}`),
		of(`{"role":"toolResult","toolCallId":"c2","toolName":"edit","content":[{"type":"text","text":"done"}],"details":{"diff":"@@ -1 +1 @@\n-dry\n+wet\n"}}`),
		of(`{"role":"toolResult","toolCallId":"c3","toolName":"read","isError":true,"content":[{"type":"text","text":"there is no such file"}]}`),
		of(`{"role":"assistant","content":[{"type":"text","text":"## Water\n\nTomatoes need *about* **two litres** a day:\n\n1. in the morning, before the sun is high\n2. at `+"`20:00`"+`\n\n> Never on the leaves.\n\n| bed | litres |\n|---|---|\n| east | 2 |\n| west | 3 |\n\n`+"```sh\\nwater --litres 2 east\\n```"+`\n\nSee [the book](https://example.org/book)."}],"stopReason":"stop"}`),
		of(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"the server is overloaded"}`),
	)
	d.send(chatview.State{Name: "The beds", Model: "claude-opus-5-5", Thinking: "high", Mode: "plan", Tokens: 41000, Window: 200000, Cost: 0.31, Unsaved: 2, Others: "pi too"},
		chatview.Todos{All: []chatview.Todo{{Text: "dig", State: "completed"}, {Text: "sow", State: "in_progress"}, {Text: "weed", State: "pending"}}})
}

func TestViews(t *testing.T) {
	depths := map[string]theme.Depth{"none": theme.None, "16": theme.Sixteen, "256": theme.Indexed}
	for _, size := range [][2]int{{60, 40}, {80, 48}, {120, 50}} {
		for name, depth := range depths {
			view := func(what string, do func(d *desk)) {
				d := newDesk(t, depth, size[0], size[1])
				do(d)
				golden.Compare(t, fmt.Sprintf("%s_%d_%s", what, size[0], name), strings.ReplaceAll(d.m.View().Content, "\x1b", "^")+"\n")
			}
			view("talk", talk)
			view("works", func(d *desk) {
				talk(d)
				d.send(chatview.Began{Doing: "working"}, chatview.AnswerBegan{}, chatview.Delta{Text: "The **west** bed"},
					chatview.ToolBegan{ID: "c", Name: "bash", Arguments: message.JSON(`{"command":"make water"}`)}, chatview.ToolWrote{ID: "c", Text: "pumping\n"})
				d.keys("and the beans", "enter", "then stop", "alt+enter", "/m")
			})
			view("asks", func(d *desk) {
				talk(d)
				d.keys("ctrl+o")
				d.send(chatview.Told{Text: "the disk is full", Bad: true},
					asks(t, "1", "edit", "~/garden", `{"path":"beds/soil.txt","oldText":"a\ndry\nb","newText":"a\nwet\nb"}`), chatview.Seen{ID: "1"})
			})
		}
	}
}
