package coder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// An UnseenKind says what an [Unseen] is.
type UnseenKind string

// The kinds, as a person reads of them one by one.
const (
	// UnseenFile is a file in which the project says something to agents.
	UnseenFile UnseenKind = "context file"
	// UnseenEntry is an entry of the session that a conversation does not show.
	UnseenEntry UnseenKind = "hidden entry"
	// UnseenSystem is text that was given for the system prompt.
	UnseenSystem UnseenKind = "system text"
	// UnseenTool is what a server says of a tool.
	UnseenTool UnseenKind = "tool description"
)

// An Unseen is something that goes to the model and that no conversation shows.
type Unseen struct {
	Kind UnseenKind
	// Name is the path of a file, the id of an entry with what it calls itself, the
	// name of a tool, or which text it is.
	Name string
	// Text is all that the model is told of it, as it is: it may hold anything.
	Text string
	// Why says why a file does not go to the model after all, "" where it does.
	Why string
}

// Unseen returns what goes to the model with the next prompt and is not seen in the
// conversation, and the files that are left out. What servers say of their tools is
// that of the last turn. Without a session there is nothing. The error is that of
// reading the session; what was read comes with it.
func (c *Coder) Unseen(ctx context.Context) ([]Unseen, error) {
	s := c.agent.Session()
	if s == nil {
		return nil, nil
	}
	var all []Unseen
	for _, i := range c.Instructions() {
		all = append(all, Unseen{UnseenFile, i.Path, i.Text, i.Why})
	}
	hidden, err := hiddenIn(ctx, s)
	all = append(all, hidden...)
	for _, given := range []Unseen{
		{Kind: UnseenSystem, Name: "in the place of the usual one", Text: c.opt.System},
		{Kind: UnseenSystem, Name: "behind the usual one", Text: c.opt.MoreSystem},
	} {
		if given.Text != "" {
			all = append(all, given)
		}
	}
	own := equip(c.opt.Tools)
	for _, t := range c.equipment().specs {
		if own.tools[t.Name] == nil {
			all = append(all, Unseen{Kind: UnseenTool, Name: t.Name, Text: t.Description + "\n" + string(t.Parameters)})
		}
	}
	return all, err
}

// hiddenIn returns the entries of a session that the model sees and a person does
// not.
func hiddenIn(ctx context.Context, s *session.Session) ([]Unseen, error) {
	x, err := s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return nil, err
	}
	list, _ := x.View()
	var all []Unseen
	for m, err := range x.Unshown() {
		if err != nil {
			return all, err
		}
		text, sent := sentAs(m.JSON, spelling.For(s.Dialect()).LLM)
		if !sent {
			continue
		}
		id, _ := list.ID(m.Entry)
		kind, _ := jsonedit.Text(m.JSON, "customType")
		if kind == "" {
			kind, _ = jsonedit.Text(m.JSON, "role")
		}
		all = append(all, Unseen{Kind: UnseenEntry, Name: strings.TrimSpace(string(id) + " " + kind), Text: text})
	}
	return all, nil
}

// sentAs returns the text of a message as a model is sent it, and whether it is.
func sentAs(raw entry.JSON, how spelling.LLM) (string, bool) {
	one := func(yield func(entry.JSON, error) bool) { yield(raw, nil) }
	var texts []string
	for sent, err := range replay.Convert(one, how, nil) {
		m, bad := message.Decode(sent)
		if err != nil || bad != nil {
			return string(raw), true // it is not known what becomes of it
		}
		texts = append(texts, message.Text(m))
	}
	return strings.Join(texts, "\n"), len(texts) > 0
}

// Lines are a heading and all of the text, with each character that is not seen
// written by its number.
func (u Unseen) Lines() []string {
	what, lines := fmt.Sprintf("%s %s, %s:", u.Kind, consent.Visible(u.Name, false), term.Bytes(int64(len(u.Text)))), strings.Split(u.Text, "\n")
	if u.Why != "" {
		what, lines = fmt.Sprintf("%s %s is left out: %s", u.Kind, consent.Visible(u.Name, false), consent.Visible(u.Why, false)), nil
	}
	all := []string{what}
	for _, line := range lines {
		all = append(all, "  "+consent.Visible(line, false))
	}
	return all
}

// CountUnseen counts what goes to the model, kind by kind: "2 context files, 3
// hidden entries"; "" for nothing.
func CountUnseen(all []Unseen) string {
	var counts []string
	for _, kind := range []UnseenKind{UnseenFile, UnseenEntry, UnseenSystem, UnseenTool} {
		n := 0
		for _, u := range all {
			if u.Kind == kind && u.Why == "" {
				n++
			}
		}
		switch {
		case n == 1:
			counts = append(counts, "1 "+string(kind))
		case n > 1:
			counts = append(counts, fmt.Sprintf("%d %ss", n, strings.TrimSuffix(strings.Replace(string(kind), "entry", "entrie", 1), "s")))
		}
	}
	return strings.Join(counts, ", ")
}

// An UnseenTold tells what goes to the model and is not seen in the conversation. It
// is told with a prompt when it is not what was told last.
type UnseenTold struct{ All []Unseen }

// JSON returns the event "unseen".
func (e UnseenTold) JSON() entry.JSON {
	var items jsonedit.Array
	for _, u := range e.All {
		o := new(jsonedit.Object).String("kind", string(u.Kind)).String("name", u.Name)
		if u.Why != "" {
			items.Add(o.String("leftOut", u.Why).Value())
			continue
		}
		items.Add(o.Int("bytes", int64(len(u.Text))).Value())
	}
	return kind("unseen").Add("items", items.Value()).Value()
}

// String counts what goes to the model, with the names of files; "" for nothing.
func (e UnseenTold) String() string {
	counts := CountUnseen(e.All)
	if counts == "" {
		return ""
	}
	var names []string
	for _, u := range e.All {
		if u.Kind == UnseenFile && u.Why == "" {
			names = append(names, consent.Visible(u.Name, false))
		}
	}
	if len(names) > 0 {
		counts += " (" + strings.Join(names, ", ") + ")"
	}
	return counts + " go to the model and are not shown in the conversation"
}

// LeftOut says in a line each which files do not go to the model, and why.
func (e UnseenTold) LeftOut() (all []string) {
	for _, u := range e.All {
		if u.Why != "" {
			all = append(all, u.Lines()[0])
		}
	}
	return all
}

// tellUnseen tells it, unless it is what was told last. What cannot be read is told
// by who asks the model.
func (c *Coder) tellUnseen(ctx context.Context) {
	all, _ := c.Unseen(ctx)
	c.mu.Lock()
	was := c.now.unseen
	c.now.unseen = all
	c.mu.Unlock()
	if len(all) > 0 && !slices.Equal(was, all) {
		c.tell(UnseenTold{all})
	}
}
