package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// A command is what stands behind a slash at the beginning of a prompt. It returns
// what a person is told.
type command struct {
	name, hint, help string
	run              func(h *held, ctx context.Context, arguments string) (string, error)
}

// commands lists those of the chat that make sense where the client chooses the
// session: what the protocol has calls for is not among them.
func commands() []command {
	return []command{
		{"compact", "what to look after", "Sum up what is old", (*held).doCompact},
		{"name", "a name", "Name this session", (*held).doName},
		{"label", "a label; none takes it away", "Name the last message", (*held).doLabel},
		{"todo", "a text, or done and a number", "Show the todos, add one, or say that one is done", (*held).doTodo},
		{"context", "", "What goes to the model and is not shown", (*held).doContext},
		{"session", "", "What there is to know of this session", (*held).doSession},
	}
}

// announce tells the client which commands there are; h.mu may be held.
func (h *held) announce() {
	if h.coder == nil {
		return
	}
	var all []acp.AvailableCommand
	for _, c := range commands() {
		one := acp.AvailableCommand{Name: c.name, Description: c.help}
		if c.hint != "" {
			one.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: c.hint}}
		}
		all = append(all, one)
	}
	h.send(context.Background(), acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: all}})
}

// commandIn returns the command that a prompt is, and what stands behind it; false
// for anything else, such as a path.
func commandIn(text string) (c command, arguments string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "/")
	if !ok {
		return c, "", false
	}
	name := rest
	if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
		name, arguments = rest[:i], strings.TrimSpace(rest[i:])
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return c, "", false
	}
	return all[i], arguments, true
}

// do carries out a command and tells what came of it as the agent's words. The
// session gets what the command writes, and nothing else.
func (h *held) do(ctx context.Context, c command, arguments string) (acp.StopReason, error) {
	text, err := c.run(h, ctx, arguments)
	if ctx.Err() != nil {
		return acp.StopReasonCancelled, nil
	}
	if err != nil {
		return "", fmt.Errorf("/%s: %w", c.name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told.message = ""
	h.send(ctx, acp.UpdateAgentMessageText(text))
	return acp.StopReasonEndTurn, nil
}

func (h *held) doCompact(ctx context.Context, arguments string) (string, error) {
	done, err := h.coder.Agent().Compact(ctx, agent.CompactOptions{Instructions: arguments})
	switch {
	case errors.Is(err, compact.ErrNothing), errors.Is(err, compact.ErrCompacted):
		return "There is nothing to sum up.", nil
	case err != nil:
		return "", err
	case done.Cancelled:
		return "A hook cancelled it.", nil
	}
	return fmt.Sprintf("Summed up: %d tokens became %d.", done.TokensBefore, done.TokensAfter), nil
}

func (h *held) doName(ctx context.Context, arguments string) (string, error) {
	if arguments == "" {
		return "Session name cannot be empty.", nil
	}
	ok, err := h.coder.Agent().Rename(ctx, arguments, session.Title{})
	if err != nil {
		return "", err
	}
	if !ok {
		return "The name stays as it is.", nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.named()
	name := arguments
	if s := h.session(); s != nil {
		name, _ = s.Title() // as it is kept
	}
	return fmt.Sprintf("Session renamed to %q.", name), nil
}

func (h *held) doLabel(ctx context.Context, arguments string) (string, error) {
	s := h.session()
	if s == nil {
		return "", session.ErrClosed
	}
	list, path := s.Snapshot()
	for _, i := range slices.Backward(path) {
		id, ok := list.ID(i)
		if !ok || list.Kind(i) != entry.Message {
			continue
		}
		if _, err := s.Append(ctx, &entry.LabelBody{TargetID: id, Label: arguments}); err != nil {
			return "", err
		}
		if arguments == "" {
			return "Took the label away.", nil
		}
		return fmt.Sprintf("Labelled %q.", arguments), nil
	}
	return "Nothing was said yet.", nil
}

func (h *held) doTodo(ctx context.Context, arguments string) (string, error) {
	h.mu.Lock()
	all := slices.Clone(h.todos)
	h.mu.Unlock()
	word, rest, _ := strings.Cut(arguments, " ")
	switch {
	case arguments == "":
		return listOf(all), nil
	case word == "done":
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || n < 1 || n > len(all) {
			return fmt.Sprintf("There is no todo %q.\n\n%s", strings.TrimSpace(rest), listOf(all)), nil
		}
		all[n-1].state = stateCompleted
	default:
		all = append(all, todo{text: arguments, state: statePending})
	}
	s := h.session()
	if s == nil {
		return "", session.ErrClosed
	}
	if _, err := s.Append(ctx, &entry.CustomBody{CustomType: "cambium.todos", Data: todosJSON(all)}); err != nil {
		return "", err
	}
	h.mu.Lock()
	h.planned(all)
	h.mu.Unlock()
	return listOf(all), nil
}

// listOf is a list of todos in markdown.
func listOf(all []todo) string {
	if len(all) == 0 {
		return "There are no todos. /todo TEXT adds one, /todo done N says that one is done."
	}
	var b strings.Builder
	for i, t := range all {
		fmt.Fprintf(&b, "%d. %s (%s)\n", i+1, t.text, t.state)
	}
	return b.String()
}

func (h *held) doContext(ctx context.Context, _ string) (string, error) {
	all, err := h.coder.Unseen(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "Nothing goes to the model that is not shown.", nil
	}
	var lines []string
	for _, u := range all {
		lines = append(lines, u.Lines()...)
	}
	return fenced(strings.Join(lines, "\n")), nil
}

func (h *held) doSession(context.Context, string) (string, error) {
	s := h.session()
	if s == nil {
		return "", session.ErrClosed
	}
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", key, value)
		}
	}
	name, _ := s.Title()
	line("name", name)
	line("id", s.ID())
	line("file", s.Path())
	line("agent", string(s.Dialect()))
	line("directory", h.dir())
	line("entries", fmt.Sprint(s.Len()))
	if m, ok := h.coder.Model(); ok {
		line("model", m.Provider+"/"+m.ID)
		line("thinking", h.coder.Thinking())
	}
	h.mu.Lock()
	line("mode", string(h.mode))
	line("cost", fmt.Sprintf("$%.4f", h.told.cost))
	h.mu.Unlock()
	if n := s.Queued(); n > 0 && s.OnDisk() {
		line("unsaved", fmt.Sprintf("%d entries", n))
	}
	if !s.OnDisk() && s.Persisted() {
		line("saved", "as a draft, until the first answer")
	}
	if d := s.Damage(); d.Any() {
		line("damage", d.String())
	}
	return b.String(), nil
}
