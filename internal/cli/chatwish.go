package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/prompts"
)

// lapseTime is how long a key that has to be pressed twice waits for the second
// time, where nothing else is said.
const lapseTime = 3 * time.Second

// want carries out what a person wants. It reports false for any other message.
func (c *chat) want(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case chatview.Send:
		return c.send(msg), true
	case chatview.Abort:
		return c.abort(), true
	case chatview.Quit:
		return c.quit(), true
	case chatview.Tree:
		return c.openTree(false), true
	case chatview.Command:
		return c.command(msg.Name, msg.Arguments), true
	case chatview.Lapsing:
		return tea.Tick(c.a.lapse, func(time.Time) tea.Msg { return chatview.Lapsed(msg) }), true
	case chatview.Asking:
		return asked(msg.ID), true
	case chatview.Answer:
		if reply, ok := c.answers[msg.ID]; ok {
			reply <- map[chatview.Reply]coder.Answer{chatview.Yes: coder.Yes, chatview.Always: coder.Always}[msg.Answer]
			delete(c.answers, msg.ID)
		}
		return nil, true
	case chatview.TakeBack:
		return c.show(chatview.TakenBack{Text: c.takeQueued()}), true
	case chatview.Withdraw:
		c.withdraw()
		return nil, true
	case chatview.Recall:
		return c.recall(msg), true
	case chatview.Edit:
		return c.editOutside(msg.Text), true
	case chatview.Complete:
		return c.complete(msg), true
	}
	return nil, false
}

// happen takes what happened elsewhere. It reports false for any other message.
func (c *chat) happen(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case chatAsk:
		c.asked++
		id := strconv.Itoa(c.asked)
		c.answers[id] = msg.reply
		msg.id <- id
		return c.show(chatview.Ask{ID: id, Call: msg.ask.Call}), true
	case chatAsked:
		if c.over != overNothing {
			return asked(msg.id), true // it is not in sight
		}
		return c.show(chatview.Seen{ID: msg.id}), true
	case chatTakenBack:
		id := <-msg.q.id
		delete(c.answers, id)
		return c.show(chatview.Withdrawn{ID: id}), true
	case chatEdit:
		return c.edit(msg), true
	case chatEnded:
		return c.ended(msg), true
	case chatQueued:
		return c.isQueued(msg), true
	case chatMoved:
		return c.moved(msg), true
	case chatSlow:
		return c.slow(msg), true
	case chatChanged:
		return c.look(), true
	case chatReset:
		c.reset = true
		return c.look(), true
	case chatRows:
		return c.looked(msg), true
	case chatMinded:
		return c.minded(msg), true
	case chatview.Drawn:
		return tea.Batch(c.show(msg), c.drawn()), true
	case chatWeight:
		return c.weigh1(msg), true
	case chatUnseen:
		return c.unseen(msg), true
	case chatOpened:
		return c.opened(msg), true
	case chatRecalled:
		return c.recalled(msg), true
	case chatHistory:
		return c.hasHistory(msg), true
	}
	return nil, false
}

// send says something now, or queues it while something runs.
func (c *chat) send(s chatview.Send) tea.Cmd {
	if c.history != nil {
		c.history.Add(s.Text.String(), c.a.lib.Dir, c.now.id)
	}
	if c.running {
		return c.queue(s)
	}
	return tea.Batch(c.show(chatview.Said{Text: s.Text.String()}), c.prompt(s.Text))
}

// chatHistory brings the prompts that were typed before.
type chatHistory struct {
	history *prompts.History
	all     []string
}

// remember reads the prompts that were typed before.
func (c *chat) remember() tea.Msg {
	const most = 200
	o := c.a.recallOptions()
	o.Trouble = func(err error) { c.pump.put(chatview.Told{Text: err.Error()}) }
	h, err := prompts.Open(c.ctx, o)
	if err != nil {
		return chatHistory{}
	}
	all, err := h.Recent(c.ctx, most)
	if err != nil {
		return chatHistory{history: h}
	}
	m := chatHistory{history: h}
	for _, p := range all {
		if n := len(m.all); n == 0 || m.all[n-1] != p.Text {
			m.all = append(m.all, p.Text)
		}
	}
	return m
}

// chatEdit is a file to be edited, of a directory of its own.
type chatEdit struct{ dir, path string }

// editOutside puts a text where the person's own editor can edit it.
func (c *chat) editOutside(text string) tea.Cmd {
	if c.editor() == "" {
		return c.tell1("set $VISUAL or $EDITOR to the editor that you want", true)
	}
	return func() tea.Msg {
		dir, err := os.MkdirTemp("", "cambium-")
		if err != nil {
			return wrong("edit prompt", err)
		}
		path := filepath.Join(dir, "prompt.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return wrong("edit prompt", err)
		}
		return chatEdit{dir, path}
	}
}

// editor is the command of the person's own editor, "" for none.
func (c *chat) editor() string {
	return first(c.a.lib.Env.Getenv("VISUAL"), c.a.lib.Env.Getenv("EDITOR"))
}

// edit gives the terminal to the editor and takes the text that it leaves.
func (c *chat) edit(e chatEdit) tea.Cmd {
	cmd := exec.Command("/bin/sh", "-c", c.editor()+` "$1"`, "sh", e.path)
	cmd.Env, cmd.Dir = c.a.childEnv(), c.a.lib.Dir
	return tea.Exec(outside{cmd}, func(err error) tea.Msg {
		defer func() { _ = os.RemoveAll(e.dir) }() // it is a temporary one
		if err != nil {
			return wrong(fmt.Sprintf("edit prompt with %q", c.editor()), err)
		}
		data, err := os.ReadFile(e.path)
		if err != nil {
			return wrong("edit prompt", err)
		}
		return chatview.Typed{Text: strings.TrimRight(string(data), "\n")}
	})
}
