package cli

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// An overlay is a screen in the place of the conversation.
type overlay uint8

const (
	overNothing overlay = iota
	overPicker
	overTree
)

// A chatOpened is a screen that is ready to be shown, or told, why there is none.
type chatOpened struct {
	seq  int
	told string

	browser *browser // the picker, and what brings it sessions
	feed    func()
	unfeed  func()

	tree      *treeScreen
	first     tea.Msg // for the tree
	branching bool
}

// open makes a screen ready beside the conversation: what says so is shown until
// it is, and a key withdraws it.
func (c *chat) open(what string, f func() chatOpened) tea.Cmd {
	c.opening++
	seq := c.opening
	return tea.Batch(c.show(chatview.Opening{What: what}), func() tea.Msg {
		o := f()
		o.seq = seq
		return o
	})
}

// withdraw has what is being opened not be shown, and the session stay where it is
// on its way.
func (c *chat) withdraw() {
	c.opening++
	if c.stay != nil {
		c.stay()
	}
}

// opened shows a screen that is ready, unless it is not wanted any more.
func (c *chat) opened(o chatOpened) tea.Cmd {
	if o.seq != c.opening {
		return o.close()
	}
	cmds := []tea.Cmd{c.show(chatview.Opening{})}
	switch {
	case o.told != "":
		cmds = append(cmds, c.tell1(o.told, false))
	case o.browser != nil:
		cmds = append(cmds, c.closeOverlay())
		c.browser, c.over, c.unfeed = o.browser, overPicker, o.unfeed
		c.browser.theme = c.theme
		c.browser.picker = c.browser.picker.SetTheme(c.theme)
		go o.feed()
		cmds = append(cmds, c.beyond(c.size))
	case o.tree != nil:
		cmds = append(cmds, c.closeOverlay())
		c.tree, c.over, c.branching = *o.tree, overTree, o.branching
		cmds = append(cmds, c.beyond(c.size), c.beyond(o.first))
	}
	return tea.Batch(cmds...)
}

// close lets go of a screen that was not shown.
func (o chatOpened) close() tea.Cmd {
	return func() tea.Msg {
		if o.unfeed != nil {
			o.unfeed()
		}
		if o.tree != nil {
			_ = o.tree.close() // nothing was written through it
		}
		return nil
	}
}

// pickSession shows the sessions in the place of the conversation (published P3,
// in-session picker).
func (c *chat) pickSession() tea.Cmd {
	how := picker.Options{Title: "Resume", Accept: "resume", Project: first(c.now.cwd, c.a.lib.Dir)}
	return c.open("looking for sessions", func() chatOpened {
		ctx, stop := context.WithCancel(c.ctx)
		b := c.a.newBrowserIn(ctx, how, func(msg tea.Msg) { c.pump.put(ofPicker{msg}) })
		return chatOpened{browser: b, unfeed: stop, feed: func() {
			defer guardPanic(c.pump)
			b.feed.run(ctx)
		}}
	})
}

// ofPicker is a message that is the picker's alone.
type ofPicker struct{ msg tea.Msg }

// openTree shows the tree of the session in the place of the conversation.
func (c *chat) openTree(branching bool) tea.Cmd {
	s, th := c.agent().Session(), c.theme
	return c.open("reading the tree", func() chatOpened {
		switch {
		case s != nil && !s.Persisted():
			return chatOpened{told: "there is no tree: this session is kept nowhere"}
		case s == nil || !s.OnDisk():
			return chatOpened{told: "there is no tree yet: the session is written with the first answer"}
		}
		at := ""
		if id, ok := s.Leaf(); ok {
			at = string(id)
		}
		tree, read := c.a.newTreeScreen(c.ctx, s.Path(), at, th)
		return chatOpened{tree: &tree, first: read(), branching: branching}
	})
}

// closeOverlay goes back to the conversation: the editor is as it was. The command
// lets go of what was read.
func (c *chat) closeOverlay() (cmd tea.Cmd) {
	switch c.over {
	case overPicker:
		c.unfeed()
		c.browser.find.stop()
		cmd = c.browser.closeTree()
		c.browser = nil
	case overTree:
		tree := c.tree
		cmd = func() tea.Msg {
			_ = tree.close() // nothing was written through it
			return nil
		}
		c.tree = treeScreen{}
	}
	c.over = overNothing
	return cmd
}

// leaveOverlay takes what ends the screen over the conversation.
func (c *chat) leaveOverlay(msg tea.Msg) (tea.Cmd, bool) {
	picking := c.over == overPicker
	switch msg := msg.(type) {
	case ofPicker:
		if picking {
			return c.beyond(msg.msg), true
		}
		return nil, true
	case picker.Exit, treeview.Exit:
		return tea.Sequence(c.closeOverlay(), c.quit()), true
	case picker.Cancelled:
		return c.closeOverlay(), true
	case picker.Chosen:
		return tea.Batch(c.closeOverlay(), c.switchTo(msg.Path)), true
	case treeview.Back:
		if picking {
			return nil, false // the picker's own tree
		}
		return c.closeOverlay(), true
	case treeview.Resume:
		if picking {
			path := c.browser.path
			return tea.Batch(c.closeOverlay(), c.switchAt(path, msg.ID)), true
		}
		closed := c.closeOverlay()
		if c.branching {
			return tea.Batch(closed, c.branch(msg.ID)), true
		}
		return tea.Batch(closed, c.navigate(msg.ID)), true
	}
	return nil, false
}
