package coder_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// put writes a session of messages, a line each, in a dialect's home.
func (r *rig) put(messages ...string) string {
	r.t.Helper()
	lines := fmt.Sprintf(`{"type":"session","version":3,"id":"19c0b2f4a1400001","timestamp":"2026-03-01T09:00:00.000Z","cwd":%q}`+"\n", r.dir)
	parent := "null"
	for i, m := range messages {
		id := fmt.Sprintf("%08x", i+1)
		lines += fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:01.000Z","message":%s}`+"\n", id, parent, m)
		parent = `"` + id + `"`
	}
	path := filepath.Join(r.dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// What other programs, crashes and edits leave behind is sent as providers take
// it, and stays in the session as it is.
func TestSentAsProvidersTakeIt(t *testing.T) {
	const usage = `"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	answer := func(stop, content string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[%s],"api":"a","provider":"p","model":"m",%s,"stopReason":%q,"timestamp":2}`, content, usage, stop)
	}
	const (
		user   = `{"role":"user","content":"hi","timestamp":1}`
		text   = `{"type":"text","text":"hm"}`
		callA  = `{"type":"toolCall","id":"a","name":"look","arguments":{}}`
		callB  = `{"type":"toolCall","id":"b","name":"look","arguments":{}}`
		result = `{"role":"toolResult","toolCallId":"a","toolName":"look","content":[{"type":"text","text":"seen"}],"isError":false,"timestamp":3}`
	)
	none := provider.Unanswered + " [error]"
	for name, tt := range map[string]struct {
		stored, want []string
	}{
		"killed in a call": {
			[]string{user, answer("toolUse", callA+","+callB), result},
			[]string{"user: hi", "assistant:  [toolUse a b]", "toolResult a: seen", "toolResult b: " + none},
		},
		"killed before": {
			[]string{user, answer("toolUse", callA)},
			[]string{"user: hi", "assistant:  [toolUse a]", "toolResult a: " + none},
		},
		"result without a call": {[]string{user, result, answer("stop", text)}, []string{"user: hi", "assistant: hm [stop]"}},
		"results twice":         {[]string{user, answer("toolUse", callA), result, result}, []string{"user: hi", "assistant:  [toolUse a]", "toolResult a: seen"}},
		"result after a word": {
			[]string{user, answer("toolUse", callA), user, result},
			[]string{"user: hi", "assistant:  [toolUse a]", "toolResult a: seen", "user: hi"},
		},
		"same id again": {
			[]string{user, answer("toolUse", callA), result, answer("toolUse", callA)},
			[]string{"user: hi", "assistant:  [toolUse a]", "toolResult a: seen", "assistant:  [toolUse a]", "toolResult a: " + none},
		},
		"two calls of an id": {
			[]string{user, answer("toolUse", callA+","+callA), result, strings.Replace(result, "seen", "seen again", 1)},
			[]string{"user: hi", "assistant:  [toolUse a a]", "toolResult a: seen", "toolResult a: seen again"},
		},
		"failed, with calls": {[]string{user, answer("error", text+","+callA)}, []string{"user: hi", "assistant: hm [stop]"}},
		"stopped at once":    {[]string{user, answer("aborted", "")}, []string{"user: hi"}},
		"reasoning alone, stopped": {
			[]string{user, answer("aborted", `{"type":"thinking","thinking":"hm"}`)}, []string{"user: hi"},
		},
		"begins with an answer": {[]string{answer("stop", text)}, []string{"user: (What was said before is not known.)", "assistant: hm [stop]"}},
		"other roles": {
			[]string{`{"role":"developer","content":"mind the gap","timestamp":1}`, `{"role":"user","content":"","timestamp":1}`, user},
			[]string{"user: mind the gap", "user: hi"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, reply{text: "fine"})
			path := r.put(tt.stored...)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r.start(path)
			if _, err := r.prompt("and now?"); err != nil {
				t.Fatal(err)
			}
			var got []string
			sent := r.model.asked()[0].Messages
			for _, m := range sent {
				got = append(got, inShort(t, m))
			}
			if diff := cmp.Diff(append(tt.want, "user: and now?"), got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if err := takeable(sent); err != nil {
				t.Error(err)
			}
			if after, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(after), string(before)) {
				t.Errorf("the session was changed: %v\n%s", err, after)
			}
		})
	}
}

// What is cleaned on the way to the model is counted, once; what is clean is not
// talked about.
func TestCleaningIsTold(t *testing.T) {
	told := func(r *rig) (all []string) {
		for _, line := range r.lines {
			if strings.HasPrefix(line, `{"type":"cleaned"`) {
				all = append(all, line)
			}
		}
		return all
	}
	const user = `{"role":"user","content":"a \ud800 b","timestamp":1}`
	r := newRig(t, reply{text: "hm", calls: []*message.ToolCall{called("a", "look", `{}`)}}, reply{text: "fine"}, reply{text: "fine"})
	r.start(r.put(user, `{"role":"assistant","content":42}`, `{"role":"user","content":{},"timestamp":1}`))
	for range 2 {
		if _, err := r.prompt("and now?"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{`{"type":"cleaned","surrogates":1,"unread":2}`}, told(r)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if text := (coder.Cleaned{Cleaned: replay.Cleaned{Surrogates: 1}, Unread: 2}).String(); !strings.Contains(text, "replaced: 1; ") || !strings.HasSuffix(text, "left out: 2") {
		t.Errorf("in words %q", text)
	}
	clean := newRig(t, reply{text: "fine"})
	clean.start(clean.put(`{"role":"user","content":"hi","timestamp":1}`))
	if _, err := clean.prompt("and now?"); err != nil || told(clean) != nil {
		t.Errorf("told %q, %v", told(clean), err)
	}
}

// Whatever happens in prompts, the session holds what was said, each request is
// what providers take, and the next prompt is possible, for the same process and
// for the next one.
func TestAnySequenceOfFailures(t *testing.T) {
	causes := []provider.Cause{
		provider.Refused, provider.Unauthorized, provider.Overflow, provider.Busy, provider.Broken, provider.Unreachable, provider.Malformed,
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		var stop context.CancelFunc
		r.opt.Yes = rapid.Bool().Draw(rt, "yes")
		r.opt.Retry.Tries = 2
		r.opt.Tools = append(r.opt.Tools,
			fake{"burst", false, func(context.Context, entry.JSON, tool.Env) tool.Result { panic("ouch") }},
			fake{"halt", true, func(context.Context, entry.JSON, tool.Env) tool.Result { stop(); return tool.Result{} }})
		names := []string{"look", "change", "burst", "halt", "unknown"}
		for i := range rapid.IntRange(1, 12).Draw(rt, "replies") {
			var next reply
			next.text = rapid.SampledFrom([]string{"", " ", "hm"}).Draw(rt, "text")
			for j := range rapid.IntRange(0, 3).Draw(rt, "calls") {
				args := rapid.SampledFrom([]string{`{}`, `{"a":`, `[]`, ``, `"x"`}).Draw(rt, "arguments")
				next.calls = append(next.calls, called(fmt.Sprintf("c%d", (i+j)%3), rapid.SampledFrom(names).Draw(rt, "tool"), args))
			}
			switch rapid.IntRange(0, 4).Draw(rt, "end") {
			case 0:
				next.err = &provider.Error{Cause: rapid.SampledFrom(causes).Draw(rt, "cause")}
			case 1:
				next.before = func(context.Context) { stop() }
			case 2:
				next.stop = message.Length
			}
			r.model.replies = append(r.model.replies, next)
		}
		r.start("")
		said := 0
		for range 4 {
			ctx, cancel := context.WithCancel(context.Background())
			stop = cancel
			_, _ = r.coder.Prompt(ctx, "go") // each may fail
			cancel()
			said++
		}
		r.model.replies = []reply{{text: "at last"}}
		if out, err := r.prompt("go"); err != nil || out.Text != "at last" {
			rt.Fatalf("last prompt: %+v, %v", out, err)
		}
		for i, q := range r.model.asked() {
			if err := takeable(q.Messages); err != nil {
				rt.Fatalf("request %d: %v", i, err)
			}
		}
		users := 0
		before := r.transcript()
		for _, line := range before {
			if line == "user: go" {
				users++
			}
		}
		if users != said+1 {
			rt.Fatalf("%d of %d messages are there", users, said+1)
		}
		path := r.coder.Agent().Session().Path()
		if err := r.coder.Agent().Close(context.Background()); err != nil {
			rt.Fatal(err)
		}
		next := newRig(t, reply{text: "here I am"})
		next.start(path)
		if diff := cmp.Diff(before, next.transcript()); diff != "" {
			rt.Fatalf("on disk (-before +after):\n%s", diff)
		}
		if _, err := next.prompt("go"); err != nil {
			rt.Fatal(err)
		}
		if err := takeable(next.model.asked()[0].Messages); err != nil {
			rt.Fatal(err)
		}
	})
}
