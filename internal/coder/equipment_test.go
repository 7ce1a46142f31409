package coder_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
)

// hinted says of itself that it only reads.
type hinted struct{ fake }

func (hinted) ReadsOnly() bool { return true }

// A shelf has one tool, another one of the same name in the third turn.
type shelf struct {
	turn     int
	old, new tool.Tool
}

func (s *shelf) Tools(context.Context) []tool.Tool {
	if s.turn++; s.turn < 3 {
		return []tool.Tool{s.old}
	}
	return []tool.Tool{s.new}
}

// That a tool may always be run does not hold for another one of its name.
func TestAlwaysIsOfTheTool(t *testing.T) {
	call := reply{calls: []*message.ToolCall{{ID: "a", Name: "more", Arguments: []byte(`{}`)}}}
	r := newRig(t, call, call, call, call, reply{text: "done"})
	asked := 0
	r.opt.More = &shelf{old: &hinted{fake{"more", true, answers("old")}}, new: &hinted{fake{"more", true, answers("new")}}}
	r.opt.Approve = func(context.Context, coder.Ask) (coder.Answer, error) {
		asked++
		return coder.Always, nil
	}
	r.start("")
	if _, err := r.prompt("use it"); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.transcript(), "\n")
	if asked != 2 || strings.Count(got, ": old") != 2 || strings.Count(got, ": new") != 2 {
		t.Errorf("asked %d times\n%s", asked, got)
	}
}

// A box has another tool in every turn, and one called like one of our own.
type box struct{ turn int }

func (b *box) Tools(context.Context) []tool.Tool {
	b.turn++
	return []tool.Tool{
		fake{"look", true, answers("not ours")},
		hinted{fake{[]string{"first", "second", "third"}[b.turn-1], true, answers("I am more")}},
	}
}

func TestMoreTools(t *testing.T) {
	call := reply{calls: []*message.ToolCall{{ID: "a", Name: "first", Arguments: []byte(`{}`)}, {ID: "b", Name: "look", Arguments: []byte(`{}`)}}}
	r := newRig(t, call, call, reply{text: "done"})
	var asked []coder.Ask
	r.opt.More = &box{}
	r.opt.Approve = func(_ context.Context, a coder.Ask) (coder.Answer, error) {
		asked = append(asked, a)
		return coder.Yes, nil
	}
	r.start("")
	if _, err := r.prompt("use them"); err != nil {
		t.Fatal(err)
	}
	for i, q := range r.model.asked() {
		var names []string
		for _, s := range q.Tools {
			names = append(names, s.Name)
		}
		if got, want := strings.Join(names, " "), "look change "+[]string{"first", "second", "third"}[i]; got != want {
			t.Errorf("turn %d: offered %q, want %q", i, got, want)
		}
	}
	got := strings.Join(r.transcript(), "\n")
	if strings.Count(got, "I am more") != 1 || strings.Count(got, "seen") != 2 || !strings.Contains(got, `there is no tool "first". There are: look, change, second.`) {
		t.Errorf("transcript\n%s", got)
	}
	if len(asked) != 1 || !asked[0].ReadsOnly || asked[0].Tool != "first" {
		t.Errorf("asked %+v", asked)
	}
}
