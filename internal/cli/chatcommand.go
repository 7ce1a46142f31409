package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/replay"
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
			func() tea.Msg { return chatChanged{} },
		}
	}
}

func (c *chat) cmdResume(arguments string) tea.Cmd {
	if arguments == "" {
		return c.pickSession()
	}
	return c.move(func() chatMoved {
		m := chatMoved{what: "resume session", other: true, told: "Resumed session"}
		path, err := c.a.resolve(c.ctx, arguments)
		if err == nil {
			_, _, err = c.a.present(c.ctx, path)
		}
		if err != nil {
			m.err, m.choice = err, c.a.candidates(err)
			return m
		}
		m.ok, m.err = c.agent().Switch(c.ctx, path)
		return m
	})
}

func (c *chat) cmdNew(string) tea.Cmd {
	return c.move(func() chatMoved {
		ok, err := c.agent().New(c.ctx, false)
		return chatMoved{what: "new session", ok: ok, other: true, told: "New session", err: err}
	})
}

func (c *chat) cmdFork(string) tea.Cmd {
	if !c.now.persisted {
		return c.tell1("a session that is kept nowhere cannot be forked", true)
	}
	return c.move(func() chatMoved {
		ok, err := c.agent().Fork(c.ctx)
		m := chatMoved{what: "fork session", ok: ok, err: err}
		if s := c.agent().Session(); ok && s != nil {
			m.told = "Forked; this is " + s.ID()
		}
		return m
	})
}

func (c *chat) cmdBranch(arguments string) tea.Cmd {
	if arguments == "" {
		return c.openTree(true)
	}
	return c.branch(entry.ID(arguments))
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

func (c *chat) cmdModel(arguments string) tea.Cmd {
	if arguments == "" {
		return c.tell1("type a part of its name behind /model; "+c.nowModel(), false)
	}
	return c.aside("choose model", func(ctx context.Context, _ *session.Session) (string, error) {
		m, level, err := c.r.reg.Resolve(arguments)
		if err != nil {
			return "", err
		}
		if _, err := c.r.reg.Key(m); err != nil {
			return "", err
		}
		want := replay.Model{Provider: m.Provider, ModelID: m.ID}
		level = first(level, c.r.coder.Thinking())
		if level != "" {
			level = agent.Clamp(level, c.r.reg.Levels(want))
		}
		if err := c.r.coder.Choose(ctx, &want, level); err != nil {
			return "", err
		}
		return "model " + m.Provider + "/" + m.ID, nil
	})
}

// nowModel says which model is asked.
func (c *chat) nowModel() string {
	if m, ok := c.r.coder.Model(); ok {
		return "it is " + m.Provider + "/" + m.ID
	}
	return "there is none yet"
}

func (c *chat) cmdThinking(arguments string) tea.Cmd {
	if m, ok := c.r.coder.Model(); ok && len(m.Levels) == 0 {
		return c.tell1(m.Provider+"/"+m.ID+" has no thinking levels", arguments != "")
	}
	if arguments == "" {
		return c.tell1("thinking is "+first(c.r.coder.Thinking(), "off")+"; levels: "+strings.Join(c.levels(), ", "), false)
	}
	return c.aside("choose thinking level", func(ctx context.Context, _ *session.Session) (string, error) {
		m, ok := c.r.coder.Model()
		if !ok {
			return "", coder.ErrNoModel
		}
		level, err := coder.Level(arguments, c.r.reg, replay.Model{Provider: m.Provider, ModelID: m.ID})
		if err == nil {
			err = c.r.coder.Choose(ctx, nil, level)
		}
		return "thinking " + level, err
	})
}

// levels are the thinking levels of the model.
func (c *chat) levels() []string {
	if m, ok := c.r.coder.Model(); ok {
		return m.Levels
	}
	return coder.Levels()
}

func (c *chat) cmdMode(arguments string) tea.Cmd {
	c.mu.Lock()
	now := first(c.mode, "none")
	c.mu.Unlock()
	switch arguments {
	case "":
		return c.tell1("mode is "+now+"; there are none and plan", false)
	case "none", "plan":
	default:
		return c.tell1(fmt.Sprintf("there is no mode %q; there are none and plan", arguments), true)
	}
	return c.aside("enter mode", func(ctx context.Context, s *session.Session) (string, error) {
		if arguments == now {
			return "mode " + now, nil
		}
		if knowsModes(s.Dialect()) {
			if _, err := s.Append(ctx, &entry.ModeChangeBody{Mode: arguments}); err != nil {
				return "", err
			}
		}
		c.setMode(arguments)
		if !knowsModes(s.Dialect()) {
			return "mode " + arguments + ", until you leave: its program keeps no modes", nil
		}
		return "mode " + arguments, nil
	})
}

func (c *chat) cmdMove(arguments string) tea.Cmd {
	if arguments == "" {
		return c.tell1("move where? name a directory", true)
	}
	return c.aside("move session", func(ctx context.Context, _ *session.Session) (string, error) {
		dir := arguments
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(c.a.env.Home, rest)
		}
		if dir = c.a.absolute(dir); !isDir(dir) {
			return "", fmt.Errorf("there is no directory %q", dir)
		}
		if err := c.agent().Move(ctx, filepath.Clean(dir)); err != nil {
			return "", err
		}
		return "moved to " + c.a.tilde(dir), nil
	})
}

func (c *chat) cmdSession(string) tea.Cmd {
	return func() tea.Msg {
		s := c.agent().Session()
		if s == nil {
			return wrong("", agent.ErrNoSession)
		}
		name, _ := s.Title()
		page := chatview.Page{Title: "This session"}
		line := func(key, value string) {
			if value != "" {
				page.Lines = append(page.Lines, fmt.Sprintf("%-10s %s", key, value))
			}
		}
		line("name", name)
		line("id", s.ID())
		line("file", c.a.tilde(s.Path()))
		line("agent", string(s.Dialect().Name))
		line("directory", c.a.tilde(s.CWD()))
		line("entries", fmt.Sprint(s.Len()))
		st, w := c.stateOf(s), c.weightOf(s)
		line("model", st.Model)
		line("thinking", st.Thinking)
		line("mode", first(st.Mode, "none"))
		line("context", fmt.Sprintf("%d of %d tokens", w.tokens, st.Window))
		if u, err := s.Usage(c.ctx); err == nil {
			line("tokens", fmt.Sprintf("%.0f in, %.0f out; %.0f read from the cache, %.0f written", u.Input, u.Output, u.CacheRead, u.CacheWrite))
		}
		line("cost", fmt.Sprintf("$%.4f", st.Cost))
		line("others", w.others)
		if n := s.Queued(); n > 0 && s.OnDisk() {
			line("unsaved", plural(n, "entry"))
		}
		if !s.OnDisk() && s.Persisted() {
			line("saved", "as a draft, until the first answer")
		}
		if d := s.Damage(); d.Any() {
			line("damage", d.String())
		}
		return page
	}
}

func (c *chat) cmdHelp(string) tea.Cmd {
	page := chatview.Page{Title: "Commands and keys"}
	line := func(width int, what, help string) {
		page.Lines = append(page.Lines, fmt.Sprintf("  %-*s %s", width, what, help))
	}
	for _, h := range chatHelp() {
		line(30, "/"+strings.TrimSpace(h.Name+" "+h.Arguments), h.Help)
	}
	line(30, "!COMMAND", "run a command of your own; with !! the model is not told")
	page.Lines = append(page.Lines, "")
	for _, b := range chatview.NewKeyMap().Help() {
		line(12, b.Help().Key, b.Help().Desc)
	}
	return c.show(page)
}

// complete says what may stand in the place of a word.
func (c *chat) complete(w chatview.Complete) tea.Cmd {
	return func() tea.Msg {
		m := chatview.Choices{Seq: w.Seq}
		add := func(text, help string) {
			if strings.Contains(strings.ToLower(text), strings.ToLower(w.Word)) {
				m.All = append(m.All, chatview.Choice{Text: text, Help: help})
			}
		}
		switch w.Command {
		case "":
			dir := c.a.Dir
			if s := c.agent().Session(); s != nil {
				dir = s.CWD()
			}
			m.All = files(c.ctx, dir, w.Word)
		case "model":
			for _, known := range c.r.reg.All() {
				if c.r.reg.Available(replay.Model{Provider: known.Provider, ModelID: known.ID}) {
					add(known.Provider+"/"+known.ID, known.Name)
				}
			}
		case "thinking":
			for _, level := range c.levels() {
				add(level, "")
			}
		case "mode":
			add("none", "work")
			add("plan", "nothing is changed")
		case "move":
			m.All = directories(c.a.absolute(first(w.Word, ".")), w.Word)
		case "resume":
			opt := c.a.catalogOptions()
			opt.CWD = c.a.Dir
			all, err := catalog.List(c.ctx, opt)
			if err != nil {
				return m
			}
			for _, info := range all[:min(len(all), 100)] {
				name := first(info.Title, info.FirstMessage)
				if strings.Contains(strings.ToLower(info.ID+" "+name), strings.ToLower(w.Word)) {
					m.All = append(m.All, chatview.Choice{Text: info.ID, Help: name})
				}
			}
		}
		return m
	}
}
