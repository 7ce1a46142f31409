package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// A chatCommand is what stands behind a slash.
type chatCommand struct {
	chatview.CommandHelp
	run func(c *chat, arguments string) tea.Cmd
}

// chatCommands lists the commands in the order of the help.
func chatCommands() []chatCommand {
	cmd := func(name, arguments, help string, run func(*chat, string) tea.Cmd) chatCommand {
		return chatCommand{chatview.CommandHelp{Name: name, Arguments: arguments, Help: help}, run}
	}
	completed := func(c chatCommand) chatCommand { c.Completes = true; return c }
	return []chatCommand{
		completed(cmd("resume", "[SESSION]", "go to another session", (*chat).cmdResume)),
		cmd("new", "", "begin a new session", (*chat).cmdNew),
		cmd("fork", "", "go on in a copy of this session", (*chat).cmdFork),
		cmd("branch", "[ENTRY]", "say a prompt anew in a session of its own", (*chat).cmdBranch),
		cmd("tree", "", "go to another entry of this session", func(c *chat, _ string) tea.Cmd { return c.openTree(false) }),
		cmd("join", "", "go on where another program has appended (┊)", (*chat).cmdJoin),
		cmd("name", "TEXT", "name this session", (*chat).cmdName),
		cmd("label", "[TEXT]", "name the last entry", (*chat).cmdLabel),
		cmd("compact", "[WHAT TO LOOK AFTER]", "sum up what is old", (*chat).cmdCompact),
		completed(cmd("model", "[MODEL]", "choose the model", (*chat).cmdModel)),
		completed(cmd("thinking", "[LEVEL]", "choose how much is thought", (*chat).cmdThinking)),
		completed(cmd("mode", "[none|plan]", "plan: nothing is changed", (*chat).cmdMode)),
		cmd("todo", "[TEXT | done N]", "what is to be done", (*chat).cmdTodo),
		completed(cmd("move", "DIRECTORY", "make this session one of another directory", (*chat).cmdMove)),
		cmd("context", "", "what goes to the model and is not shown here", (*chat).cmdContext),
		cmd("session", "", "what there is to know of this session", (*chat).cmdSession),
		cmd("help", "", "keys and commands", (*chat).cmdHelp),
		cmd("quit", "", "leave", func(c *chat, _ string) tea.Cmd { return c.quit() }),
	}
}

// chatHelp is what the screen knows of the commands.
func chatHelp() []chatview.CommandHelp {
	var all []chatview.CommandHelp
	for _, c := range chatCommands() {
		all = append(all, c.CommandHelp)
	}
	return all
}

// command carries out a command.
func (c *chat) command(name, arguments string) tea.Cmd {
	for _, cmd := range chatCommands() {
		if cmd.Name == name {
			return cmd.run(c, arguments)
		}
	}
	return c.tell1("there is no command /"+name, true)
}

// aside does something to the session and tells how it went.
func (c *chat) aside(what string, f func(ctx context.Context, s *session.Session) (string, error)) tea.Cmd {
	return func() tea.Msg {
		s := c.agent().Session()
		if s == nil {
			return wrong(what, agent.ErrNoSession)
		}
		text, err := f(c.ctx, s)
		if err != nil {
			return wrong(what, err)
		}
		return tea.BatchMsg{
			func() tea.Msg { return chatview.Told{Text: text} },
			func() tea.Msg { return chatChanged{} }, c.countUnseen,
		}
	}
}

func (c *chat) cmdName(arguments string) tea.Cmd {
	if arguments == "" {
		return c.tell1("Session name cannot be empty.", true)
	}
	return c.aside("rename session", func(ctx context.Context, _ *session.Session) (string, error) {
		if ok, err := c.agent().Rename(ctx, arguments, session.Title{}); err != nil || !ok {
			return "the name stays as it is", err
		}
		return fmt.Sprintf("Session renamed to %q.", arguments), nil
	})
}

func (c *chat) cmdLabel(arguments string) tea.Cmd {
	return c.aside("label entry", func(ctx context.Context, s *session.Session) (string, error) {
		id, ok := lastMessage(s)
		if !ok {
			return "", errors.New("nothing was said yet")
		}
		if arguments == "" {
			if label, ok, err := s.Label(id); err != nil || !ok || label == "" {
				return "the last message has no label", err
			}
		}
		if _, err := s.Append(ctx, &entry.LabelBody{TargetID: id, Label: arguments}); err != nil {
			return "", err
		}
		if arguments == "" {
			return "took the label away", nil
		}
		return fmt.Sprintf("labelled %q", arguments), nil
	})
}

// lastMessage is the last entry of the branch that is a message.
func lastMessage(s *session.Session) (entry.ID, bool) {
	list, path := s.View()
	for _, i := range slices.Backward(path) {
		if id, ok := list.ID(i); ok && list.Kind(i) == entry.Message {
			return id, true
		}
	}
	return "", false
}

func (c *chat) cmdCompact(arguments string) tea.Cmd {
	if c.moving {
		return c.tell1("the session is on its way already", true)
	}
	c.moving = true
	ctx, stop := context.WithCancel(c.ctx)
	c.unsum = stop
	return tea.Batch(c.show(chatview.Began{Doing: "summing up the conversation"}), func() tea.Msg {
		defer stop()
		done, err := c.agent().Compact(ctx, agent.CompactOptions{Instructions: arguments})
		m := chatMoved{what: "compact", ok: !done.Cancelled, err: err}
		if err == nil {
			m.told = fmt.Sprintf("Summed up: %d tokens became %d.", done.TokensBefore, done.TokensAfter)
		}
		if errors.Is(err, compact.ErrNothing) || errors.Is(err, compact.ErrCompacted) {
			m.what, m.err, m.ok, m.told = "", nil, true, "There is nothing to sum up."
		}
		if err != nil && ctx.Err() != nil {
			m.err, m.ok, m.told = nil, true, "The conversation stays as it is."
		}
		c.pump.put(chatview.Ended{}, c.arrived(m))
		return nil
	})
}
