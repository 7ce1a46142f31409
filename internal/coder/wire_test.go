package coder_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
)

// protocols are the three protocols, and the address below which each is spoken.
var protocols = map[model.API]string{model.Anthropic: "", model.OpenAIChat: "/v1", model.OpenAIResponses: "/v1"}

// onWire makes the rig ask a server over a protocol, with a window of so many
// tokens.
func (r *rig) onWire(api model.API, window int, replies ...wiretest.Reply) *wiretest.Server {
	r.t.Helper()
	server := wiretest.New(r.t, replies...)
	none := ""
	r.opt.Registry = model.New([]model.Provider{{
		Name: "p", API: api, BaseURL: server.URL + protocols[api], KeyEnv: &none,
		Models: []model.Definition{{ID: "m", Window: window, MaxOutput: 1000, Levels: []string{"off", "high"}}},
	}}, nil)
	r.opt.Providers = coder.Providers(r.opt.Now)
	r.opt.Settings.ThinkingLevel = "off"
	return server
}

// everywhere runs a test over each protocol.
func everywhere(t *testing.T, test func(t *testing.T, api model.API)) {
	for api := range protocols {
		t.Run(string(api), func(t *testing.T) { test(t, api) })
	}
}

func TestTurnsOnTheWire(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		r := newRig(t)
		server := r.onWire(api, 100_000,
			wiretest.Answer(wiretest.Say{Text: "let me see", Calls: []wiretest.Call{{ID: "a", Name: "look", Arguments: `{"n": 1}`}, {ID: "b", Name: "look"}}}),
			wiretest.Text("done"), wiretest.Text("indeed"))
		r.start("")
		out, err := r.prompt("go")
		if err != nil || out.Text != "done" || out.Turns != 2 {
			t.Fatalf("%+v, %v", out, err)
		}
		if _, err := r.prompt("really?"); err != nil {
			t.Fatal(err)
		}
		got := r.transcript()
		if len(got) != 7 || !strings.HasPrefix(got[1], "assistant: let me see [toolUse ") || !strings.HasSuffix(got[2], ": seen") || got[6] != "assistant: indeed [stop]" {
			t.Errorf("transcript %q", got)
		}
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

// Each of the vendors' failures ends as it should: the session is sound, the next
// prompt possible, and the key nowhere.
func TestFailuresOnTheWire(t *testing.T) {
	tries := map[wiretest.Failure]int{
		wiretest.Overloaded: 4, wiretest.RateLimited: 4, wiretest.Timeout: 4, wiretest.Internal: 4,
	}
	everywhere(t, func(t *testing.T, api model.API) {
		for _, failure := range wiretest.Failures() {
			t.Run(string(failure), func(t *testing.T) {
				want := max(tries[failure], 1)
				var replies []wiretest.Reply
				for range want {
					replies = append(replies, wiretest.Failing(failure))
				}
				r := newRig(t)
				r.onWire(api, 100_000, append(replies, wiretest.Text("here I am"))...)
				r.start("")
				_, err := r.prompt("go")
				var fault *provider.Error
				if !errors.As(err, &fault) || fault.Host == "" || fault.Detail == "" {
					t.Errorf("got %v", err)
				}
				if len(r.waits) != want-1 {
					t.Errorf("asked again %d times, want %d: %v", len(r.waits), want-1, err)
				}
				if out, err := r.prompt("again"); err != nil || out.Text != "here I am" {
					t.Errorf("then %+v, %v", out, err)
				}
				if got := r.transcript(); len(got) != 4 || !strings.HasPrefix(got[1], "assistant:  [error] ask p/m at 127.0.0.1:") {
					t.Errorf("transcript %q", got)
				}
			})
		}
	})
}

// An answer that breaks off is asked for again and leaves no trace.
func TestBrokenStreams(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		for _, cut := range []wiretest.Cut{wiretest.Clean, wiretest.Drop, wiretest.Reset} {
			t.Run(string(cut), func(t *testing.T) {
				r := newRig(t)
				r.onWire(api, 100_000, wiretest.Reply{Say: &wiretest.Say{Text: "one two three four"}, Cut: cut, Events: 5}, wiretest.Text("whole"))
				r.start("")
				if out, err := r.prompt("go"); err != nil || out.Text != "whole" {
					t.Fatalf("%+v, %v", out, err)
				}
				if diff := cmp.Diff([]string{"user: go", "assistant: whole [stop]"}, r.transcript()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	})
}

// Arguments that are no JSON are answered, and the model sees what it had sent.
func TestMalformedArgumentsOnTheWire(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		r := newRig(t)
		server := r.onWire(api, 100_000, wiretest.Calling(wiretest.Call{ID: "a", Name: "look", Arguments: `{"path": "x`}), wiretest.Text("done"))
		r.start("")
		if out, err := r.prompt("go"); err != nil || out.Text != "done" || out.Turns != 2 {
			t.Fatalf("%+v, %v", out, err)
		}
		if got := r.transcript()[2]; !strings.Contains(got, `not a JSON object: {"path": "x [error]`) {
			t.Errorf("answered %q", got)
		}
		if sent := string(server.Last().Body); !strings.Contains(sent, "not a JSON object") {
			t.Errorf("asked %s", sent)
		}
	})
}

// A conversation that has grown too long is summed up before the next turn.
func TestCompactionWhenDue(t *testing.T) {
	r := newRig(t)
	server := r.onWire(model.OpenAIChat, 20_000,
		wiretest.Answer(wiretest.Say{Text: strings.Repeat("long ", 20), Usage: wiretest.Usage{Input: 19_000, Output: 100}}),
		wiretest.Text("they talked at length"), wiretest.Text("a line"), wiretest.Text("after all"))
	r.opt.Settings.Compaction.KeepRecent = -1
	r.opt.Settings.Compaction.Reserve = 2000
	r.start("")
	if _, err := r.prompt("tell me everything"); err != nil {
		t.Fatal(err)
	}
	out, err := r.prompt("and now?")
	if err != nil || out.Text != "after all" {
		t.Fatalf("%+v, %v; %s", out, err, strings.Join(r.lines, "\n"))
	}
	got := r.transcript()
	if len(got) < 2 || !strings.HasPrefix(got[0], "compactionSummary: ") || !strings.Contains(got[0], "they talked at length") {
		t.Errorf("transcript %q", got)
	}
	if !strings.Contains(strings.Join(r.events, " "), "compaction_start compaction_progress compaction_progress compaction_end") {
		t.Errorf("events %v", r.events)
	}
	if last := string(server.Last().Body); !strings.Contains(last, "they talked at length") || strings.Contains(last, "tell me everything") {
		t.Errorf("asked %s", last)
	}
}

// A compaction that fails is told of once, and the model is asked all the same.
func TestCompactionThatFails(t *testing.T) {
	r := newRig(t)
	r.onWire(model.OpenAIChat, 20_000,
		wiretest.Answer(wiretest.Say{Text: strings.Repeat("long ", 20), Usage: wiretest.Usage{Input: 19_000, Output: 100}}),
		wiretest.Failing(wiretest.Invalid), wiretest.Text("after all"))
	r.opt.Settings.Compaction.KeepRecent = -1
	r.start("")
	if _, err := r.prompt("tell me everything"); err != nil {
		t.Fatal(err)
	}
	before := r.transcript()
	r.events, r.lines = nil, nil
	if out, err := r.prompt("and now?"); err != nil || out.Text != "after all" {
		t.Fatalf("%+v, %v", out, err)
	}
	if diff := cmp.Diff(append(before, "user: and now?", "assistant: after all [stop]"), r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	told := 0
	for _, line := range r.lines {
		if strings.HasPrefix(line, `{"type":"compaction_`) && !strings.Contains(line, "compaction_progress") {
			told++
		}
		if strings.Contains(line, "compaction_end") && !strings.Contains(line, `"errorMessage":"`) {
			t.Errorf("told %s", line)
		}
	}
	if told != 2 {
		t.Errorf("told %d times: %v", told, r.events)
	}
}

// Where nothing can be summed up nothing is told.
func TestNothingToCompact(t *testing.T) {
	r := newRig(t)
	r.onWire(model.OpenAIChat, 20_000,
		wiretest.Answer(wiretest.Say{Text: "short", Usage: wiretest.Usage{Input: 19_000, Output: 100}}), wiretest.Text("after all"))
	r.start("")
	for range 2 {
		if _, err := r.prompt("go"); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(strings.Join(r.events, " "), "compaction") {
		t.Errorf("events %v", r.events)
	}
}

// A conversation that the model refuses as too long is summed up, and said again.
func TestRecoveryFromOverflow(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		r := newRig(t)
		server := r.onWire(api, 100_000, wiretest.Text(strings.Repeat("long ", 20)), wiretest.Failing(wiretest.Overflow),
			wiretest.Text("they talked at length"), wiretest.Text("a line"), wiretest.Text("after all"))
		r.opt.Settings.Compaction.KeepRecent = -1
		r.start("")
		if _, err := r.prompt("tell me everything"); err != nil {
			t.Fatal(err)
		}
		out, err := r.prompt("and now?")
		if err != nil || out.Text != "after all" {
			t.Fatalf("%+v, %v; %s", out, err, strings.Join(r.lines, "\n"))
		}
		ended := slices.IndexFunc(r.lines, func(line string) bool { return strings.HasPrefix(line, `{"type":"compaction_end"`) })
		if ended < 0 || !strings.Contains(r.lines[ended], `"entryId":`) || !strings.Contains(r.lines[ended], `"tokensBefore":`) {
			t.Errorf("told %s", strings.Join(r.lines, "\n"))
		}
		if last := string(server.Last().Body); !strings.Contains(last, "they talked at length") || !strings.Contains(last, "and now?") {
			t.Errorf("asked %s", last)
		}
		for _, line := range r.transcript() {
			if strings.Contains(line, "[error]") {
				t.Errorf("the session has %q", line)
			}
		}
	})
}

// A switch while a prompt runs stops it, and what it says goes nowhere else.
func TestSwitchStops(t *testing.T) {
	r := newRig(t)
	gate := make(chan struct{})
	server := r.onWire(model.Anthropic, 100_000, wiretest.Text("hello"), wiretest.Reply{Say: &wiretest.Say{Text: "one two"}, Stall: true, Events: 4, Release: gate})
	r.start("")
	if _, err := r.prompt("hi"); err != nil {
		t.Fatal(err)
	}
	from := r.coder.Agent().Session().Path()
	to := r.put(`{"role":"user","content":"elsewhere","timestamp":1}`)
	switched := make(chan error)
	go func() {
		<-server.Arrived(2)
		_, err := r.coder.Agent().Switch(context.Background(), to)
		switched <- err
	}()
	out, err := r.prompt("go")
	if err != nil || out.Stop != message.Aborted {
		t.Errorf("%+v, %v", out, err)
	}
	if err := <-switched; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"user: elsewhere"}, r.transcript()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ok, err := r.coder.Agent().Switch(context.Background(), from); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := r.transcript(); len(got) != 3 || got[2] != "user: go" {
		t.Errorf("left %q", got)
	}
	if m, ok := r.coder.Model(); !ok || m.ID != "m" {
		t.Errorf("model %+v", m)
	}
}
