package coder_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// wires are the protocols' names on the wire.
var wires = map[model.API]wiretest.Protocol{
	model.Anthropic: wiretest.Anthropic, model.OpenAIChat: wiretest.Chat, model.OpenAIResponses: wiretest.Responses,
}

// file returns the bytes of the session, after it was checked that it is read
// again without damage.
func (r *rig) file() []byte {
	r.t.Helper()
	path := r.coder.Agent().Session().Path()
	raw, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		if !jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true)) {
			r.t.Errorf("a line that is no JSON: %.200q", line)
		}
	}
	o := r.opt.Session
	o.ReadOnly = true
	s, err := session.Open(context.Background(), path, o)
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	if d := s.Damage(); d.Any() {
		r.t.Errorf("damage: %+v", d)
	}
	return raw
}

// callsOf is an answer of n calls of the tool change.
func callsOf(p wiretest.Protocol, n int) []byte {
	var b bytes.Buffer
	b.Write(wiretest.Piece{Begin: true}.In(p))
	for i := range int64(n) {
		for _, piece := range []wiretest.Piece{
			{Index: i, Open: true, ID: "c" + strconv.FormatInt(i, 10), Name: "change"}, {Index: i, Input: "{}"}, {Index: i, Close: true},
		} {
			b.Write(piece.In(p))
		}
	}
	b.Write(wiretest.Piece{End: true}.In(p))
	return b.Bytes()
}

// A person is asked about so many calls of one answer and no more; of ten thousand
// none is run.
func TestThousandsOfCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		many := wiretest.Reply{Raw: callsOf(wires[api], 10_000)}
		r := newRig(t)
		r.onWire(api, 1_000_000, wiretest.Reply{Raw: callsOf(wires[api], 300)}, wiretest.Text("done"), many, many, many, many)
		asked := 0
		r.opt.Approve = func(context.Context, coder.Ask) (coder.Answer, error) {
			asked++
			return coder.Yes, nil
		}
		r.start("")
		if out, err := r.prompt("go"); err != nil || out.Text != "done" || asked != 128 {
			t.Fatalf("%+v, %v, %d questions", out, err, asked)
		}
		results, said := map[string]int{}, 0
		for _, line := range r.transcript() {
			if _, text, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "toolResult") {
				results[text]++
			}
		}
		for _, line := range r.lines {
			if strings.Contains(line, `"notice"`) && strings.Contains(line, "an answer made 300 calls") {
				said++
			}
		}
		if results["changed"] != 128 || len(results) != 2 || said != 1 {
			t.Errorf("results %v, said %d times", results, said)
		}
		asked = 0
		_, err := r.prompt("more")
		var fault *provider.Error
		if !errors.As(err, &fault) || fault.Cause != provider.Malformed || asked != 0 {
			t.Errorf("%v, %d questions", err, asked)
		}
		r.file()
	})
}

// What a model says that cannot be kept leaves a session that is read again, and
// the next prompt is possible.
func TestSessionAfterHostileAnswers(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 9_990) + "1" + strings.Repeat("}", 9_990)
	answers := map[string][]wiretest.Piece{
		"deep arguments": {{Begin: true}, {Open: true, ID: "a", Name: "change"}, {Input: deep}, {Close: true}, {End: true}},
		"a name twice":   {{Begin: true}, {Open: true, ID: "a", Name: "change"}, {Input: `{"a":1,"a":2}`}, {Close: true}, {End: true}},
		"bad characters": {{Begin: true}, {Open: true, ID: "a\xff\x00", Name: "\xc3\x28\x1b[2J"}, {Input: "{\"a\":\"\xff\"}"}, {Close: true}, {End: true}},
		"bad text":       {{Begin: true}, {Open: true, Text: "\xff\x00\u2028\x1b]0;a\x07"}, {End: true}},
	}
	everywhere(t, func(t *testing.T, api model.API) {
		for name, pieces := range answers {
			t.Run(name, func(t *testing.T) {
				var b bytes.Buffer
				for _, p := range pieces {
					b.Write(p.In(wires[api]))
				}
				r := newRig(t)
				r.onWire(api, 1_000_000, wiretest.Reply{Raw: b.Bytes()}, wiretest.Reply{Say: &wiretest.Say{Text: "sorry"}, Always: true})
				r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
					if name != "bad characters" {
						t.Errorf("asked about %.100s", a.Arguments)
					}
					return coder.No, nil
				}
				r.start("")
				if _, err := r.prompt("go"); err != nil {
					t.Fatal(err)
				}
				if out, err := r.prompt("again"); err != nil || out.Text != "sorry" {
					t.Errorf("%+v, %v", out, err)
				}
				r.file()
			})
		}
	})
}

// An answer that never ends leaves its beginning, and an error that says so.
func TestEndlessAnswerIsKeptInPart(t *testing.T) {
	everywhere(t, func(t *testing.T, api model.API) {
		flow := func() iter.Seq[[]byte] {
			again := wiretest.Piece{Text: strings.Repeat("again and ", 50_000)}.In(wires[api])
			return func(yield func([]byte) bool) {
				for _, p := range []wiretest.Piece{{Begin: true}, {Open: true, Text: "again and "}} {
					if !yield(p.In(wires[api])) {
						return
					}
				}
				for yield(again) {
				}
			}
		}
		r := newRig(t)
		r.opt.Retry.Tries = 1
		r.onWire(api, 1_000_000, wiretest.Reply{Flow: flow()}, wiretest.Text("sorry"))
		r.start("")
		_, err := r.prompt("go")
		if err == nil || !strings.Contains(err.Error(), "the answer does not end") {
			t.Fatal(err)
		}
		if out, err := r.prompt("again"); err != nil || out.Text != "sorry" {
			t.Errorf("%+v, %v", out, err)
		}
		if raw := r.file(); len(raw) > 100_000 || !bytes.Contains(raw, []byte("again and again")) {
			t.Errorf("%d bytes are kept", len(raw))
		}
	})
}

// A model that calls for ever is not asked for ever.
func TestCallsForEver(t *testing.T) {
	var replies []reply
	for i := range 50 {
		replies = append(replies, reply{calls: []*message.ToolCall{called(strconv.Itoa(i), "look", "{}")}})
	}
	r := newRig(t, replies...)
	r.opt.Turns = 20
	r.start("")
	out, err := r.prompt("go")
	if !errors.Is(err, coder.ErrEndless) || out.Turns != 20 {
		t.Fatalf("%+v, %v", out, err)
	}
	if out, err := r.prompt("go on"); !errors.Is(err, coder.ErrEndless) || out.Turns != 20 {
		t.Errorf("then %+v, %v", out, err)
	}
	r.file()
}
