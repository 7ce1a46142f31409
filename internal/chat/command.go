package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/session"
)

// A command is what stands behind a slash.
type command struct {
	chatview.CommandHelp
	run func(c *Conversation, arguments string) tea.Cmd
}

// commands lists the commands in the order of the help.
func commands() []command {
	cmd := func(name, arguments, help string, run func(*Conversation, string) tea.Cmd) command {
		return command{chatview.CommandHelp{Name: name, Arguments: arguments, Help: help}, run}
	}
	completed := func(c command) command { c.Completes = true; return c }
	return []command{
		completed(cmd("resume", "[SESSION]", "go to another session", func(c *Conversation, name string) tea.Cmd {
			if name == "" {
				return c.over.pick()
			}
			return c.way.resume(name)
		})),
		cmd("new", "", "begin a new session", func(c *Conversation, _ string) tea.Cmd { return c.way.begin() }),
		cmd("fork", "", "go on in a copy of this session", func(c *Conversation, _ string) tea.Cmd { return c.way.fork() }),
		cmd("branch", "[ENTRY]", "say a prompt anew in a session of its own", func(c *Conversation, id string) tea.Cmd {
			if id == "" {
				return c.over.walk(overBranch)
			}
			return c.way.branch(entry.ID(id))
		}),
		cmd("tree", "", "go to another entry of this session", func(c *Conversation, _ string) tea.Cmd { return c.over.walk(overTree) }),
		cmd("join", "", "go on where another program has appended (┊)", func(c *Conversation, _ string) tea.Cmd { return c.way.join() }),
		cmd("name", "TEXT", "name this session", func(c *Conversation, name string) tea.Cmd { return c.names.rename(name) }),
		cmd("label", "[TEXT]", "name the last entry", func(c *Conversation, label string) tea.Cmd { return c.names.label(label) }),
		cmd("compact", "[WHAT TO LOOK AFTER]", "sum up what is old", func(c *Conversation, what string) tea.Cmd { return c.way.compact(what) }),
		completed(cmd("model", "[MODEL]", "choose the model", func(c *Conversation, name string) tea.Cmd { return c.choices.model(name) })),
		completed(cmd("thinking", "[LEVEL]", "choose how much is thought", func(c *Conversation, level string) tea.Cmd { return c.choices.thinking(level) })),
		completed(cmd("mode", "[none|plan]", "plan: nothing is changed", func(c *Conversation, mode string) tea.Cmd { return c.choices.enter(mode) })),
		cmd("todo", "[TEXT | done N]", "what is to be done", func(c *Conversation, what string) tea.Cmd { return c.todos.change(what) }),
		completed(cmd("move", "DIRECTORY", "make this session one of another directory", func(c *Conversation, dir string) tea.Cmd { return c.way.rehome(dir) })),
		cmd("context", "", "what goes to the model and is not shown here", func(c *Conversation, _ string) tea.Cmd { return c.pages.context() }),
		cmd("session", "", "what there is to know of this session", func(c *Conversation, _ string) tea.Cmd { return c.pages.session() }),
		cmd("help", "", "keys and commands", func(c *Conversation, _ string) tea.Cmd { return c.pages.help() }),
		cmd("quit", "", "leave", func(*Conversation, string) tea.Cmd { return tea.Quit }),
	}
}

// Commands are what the screen knows of the commands behind a slash.
func Commands() []chatview.CommandHelp {
	var all []chatview.CommandHelp
	for _, c := range commands() {
		all = append(all, c.CommandHelp)
	}
	return all
}

// command carries out a command.
func (c *Conversation) command(name, arguments string) tea.Cmd {
	for _, cmd := range commands() {
		if cmd.Name == name {
			return cmd.run(c, arguments)
		}
	}
	return c.face.complain("there is no command /" + name)
}

// naming gives names to the session and its entries.
type naming struct {
	*desk
	face *face
}

// rename names the session.
func (n *naming) rename(arguments string) tea.Cmd {
	if arguments == "" {
		return n.face.complain("Session name cannot be empty.")
	}
	return n.aside("rename session", func(ctx context.Context, _ *session.Session) (string, error) {
		if ok, err := n.agent().Rename(ctx, arguments, session.Title{}); err != nil || !ok {
			return "the name stays as it is", err
		}
		return fmt.Sprintf("Session renamed to %q.", arguments), nil
	})
}

// label names the last message, or takes its name away.
func (n *naming) label(arguments string) tea.Cmd {
	return n.aside("label entry", func(ctx context.Context, s *session.Session) (string, error) {
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
	list, path := s.Snapshot()
	for _, i := range slices.Backward(path) {
		if id, ok := list.ID(i); ok && list.Kind(i) == entry.Message {
			return id, true
		}
	}
	return "", false
}
