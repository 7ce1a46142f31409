package acp_test

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	sdk "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/replay-*.txt")

// The history of a session is told in order, every piece of it, as whoever said it.
func TestReplay(t *testing.T) {
	for _, name := range []string{"cambium", "pi", "omp", "xcsh"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t).connect()
			r.examples(name)
			list, err := r.client.ListSessions(r.ctx, sdk.ListSessionsRequest{Cwd: &r.dir})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, one := range list.Sessions {
				if _, err := r.client.LoadSession(r.ctx, sdk.LoadSessionRequest{SessionId: one.SessionId, Cwd: r.dir, McpServers: []sdk.McpServer{}}); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "== %s\n", *one.Title)
				last, ids := "", map[string]bool{}
				for _, u := range r.editor.updates() {
					if id := messageOf(u); id != "" && id != last {
						if last = id; ids[id] || !isID.MatchString(id) {
							t.Errorf("the message %q is told twice, or that is no UUID", id)
						}
						ids[id] = true
						b.WriteByte('\n')
					}
					b.WriteString(line(u))
				}
			}
			inURLs := (&url.URL{Path: r.dir}).EscapedPath()
			got := strings.NewReplacer(r.dir, "DIR", inURLs, "DIR").Replace(b.String())
			file := filepath.Join("testdata", "replay-"+name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

var isID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// messageOf is the id of the message that an update is a piece of, "" for others.
func messageOf(u sdk.SessionUpdate) string {
	id := sdk.Ptr("")
	switch {
	case u.UserMessageChunk != nil:
		id = u.UserMessageChunk.MessageId
	case u.AgentMessageChunk != nil:
		id = u.AgentMessageChunk.MessageId
	case u.AgentThoughtChunk != nil:
		id = u.AgentThoughtChunk.MessageId
	}
	return *id
}

// Each answer of a turn has an id of its own, which its thoughts share.
func TestMessageIDs(t *testing.T) {
	r := newRig(t, wiretest.Answer(wiretest.Say{Thinking: "hm hm", Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "ls", Arguments: "{}"}}}), wiretest.Text("two words")).connect()
	id := r.begin().SessionId
	r.must(id, "hi", sdk.StopReasonEndTurn)
	r.must(id, "/session", sdk.StopReasonEndTurn)
	pieces, order := map[string]int{}, []string{}
	for _, u := range r.editor.updates() {
		if id := messageOf(u); id != "" {
			if pieces[id]++; pieces[id] == 1 {
				order = append(order, id)
			}
		}
	}
	if len(order) != 3 || pieces[order[0]] != 4 || pieces[order[1]] != 2 || pieces[order[2]] != 1 {
		t.Errorf("messages of %v pieces", pieces)
	}
}

// line is an update as a line.
func line(u sdk.SessionUpdate) string {
	switch {
	case u.UserMessageChunk != nil:
		return "user    " + block(u.UserMessageChunk.Content)
	case u.AgentMessageChunk != nil:
		return "agent   " + block(u.AgentMessageChunk.Content)
	case u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Meta != nil:
		return "notice  " + block(u.AgentThoughtChunk.Content)
	case u.AgentThoughtChunk != nil:
		return "thought " + block(u.AgentThoughtChunk.Content)
	case u.ToolCall != nil:
		c := u.ToolCall
		return fmt.Sprintf("call    %s %s %s %q at %s: %s in %s\n", c.ToolCallId, c.Kind, c.Status, c.Title, places(c.Locations), contents(c.Content), short(fmt.Sprint(c.RawInput)))
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		return fmt.Sprintf("update  %s %s: %s out %s\n", c.ToolCallId, *c.Status, contents(c.Content), short(fmt.Sprint(c.RawOutput)))
	case u.Plan != nil:
		text := "plan    "
		for _, e := range u.Plan.Entries {
			text += fmt.Sprintf("[%s %s %s]", e.Content, e.Status, e.Priority)
		}
		return text + "\n"
	case u.AvailableCommandsUpdate != nil:
		return "commands\n"
	}
	return "other\n"
}

func block(b sdk.ContentBlock) string {
	switch {
	case b.Text != nil:
		return short(b.Text.Text) + "\n"
	case b.Image != nil:
		return fmt.Sprintf("picture %s, %d bytes of base64\n", b.Image.MimeType, len(b.Image.Data))
	case b.ResourceLink != nil:
		return b.ResourceLink.Name + " " + b.ResourceLink.Uri + "\n"
	}
	return "other\n"
}

func places(all []sdk.ToolCallLocation) string {
	var out []string
	for _, p := range all {
		n := 0
		if p.Line != nil {
			n = *p.Line
		}
		out = append(out, fmt.Sprintf("%s:%d", p.Path, n))
	}
	return strings.Join(out, " ")
}

func contents(all []sdk.ToolCallContent) string {
	var out []string
	for _, c := range all {
		switch {
		case c.Diff != nil && c.Diff.OldText != nil:
			out = append(out, "diff "+c.Diff.Path+" "+short(*c.Diff.OldText)+" > "+short(c.Diff.NewText))
		case c.Diff != nil:
			out = append(out, "diff "+c.Diff.Path+" > "+short(c.Diff.NewText))
		case c.Content != nil:
			out = append(out, strings.TrimSpace(block(c.Content.Content)))
		}
	}
	return strings.Join(out, " | ")
}

// short is the beginning of a text, quoted.
func short(t string) string { return fmt.Sprintf("%q", jsonedit.CutText(t, 60)) }
