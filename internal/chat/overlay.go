package chat

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// An overlay is a screen in the place of the conversation.
type overlay struct {
	*desk
	face  *face
	way   *journey
	looks *looker

	state   overlayState
	opened  int     // counts what was opened: another one is not wanted any more
	browser Browser // with overPicker
	unfeed  func()  // ends what brings it sessions
	tree    Screen  // with overTree and overBranch
}

// An overlayState says which screen is shown.
type overlayState uint8

const (
	overNothing overlayState = iota // the conversation itself
	overPicker                      // the sessions
	overTree                        // the tree of the session, to go to an entry
	overBranch                      // the same, to branch from one
)

// A screenReady is a screen that is ready to be shown, or told, why there is none.
type screenReady struct {
	seq  int
	told string

	browser Browser // the picker, and what brings it sessions
	feed    func()
	unfeed  func()

	tree  Screen
	first tea.Msg      // for the tree
	state overlayState // that it is shown in
}

// open makes a screen ready beside the conversation: what says so is shown until
// it is, and a key withdraws it.
func (o *overlay) open(what string, f func() screenReady) tea.Cmd {
	o.opened++
	seq := o.opened
	return tea.Batch(o.face.show(chatview.Opening{What: what}), func() tea.Msg {
		m := f()
		m.seq = seq
		return m
	})
}

// withdraw has what is being opened not be shown.
func (o *overlay) withdraw() { o.opened++ }

// show shows a screen that is ready, unless it is not wanted any more.
func (o *overlay) show(m screenReady) tea.Cmd {
	if m.seq != o.opened {
		return m.close()
	}
	cmds := []tea.Cmd{o.face.show(chatview.Opening{})}
	switch {
	case m.told != "":
		cmds = append(cmds, o.face.line(m.told))
	case m.browser != nil:
		cmds = append(cmds, o.close())
		o.browser, o.state, o.unfeed = m.browser, overPicker, m.unfeed
		o.browser.SetTheme(o.face.theme)
		o.pump.Go(m.feed)
		cmds = append(cmds, o.update(o.face.size))
	case m.tree != nil:
		cmds = append(cmds, o.close())
		o.tree, o.state = m.tree, m.state
		cmds = append(cmds, o.update(o.face.size), o.update(m.first))
	}
	return tea.Batch(cmds...)
}

// close lets go of a screen that was not shown.
func (m screenReady) close() tea.Cmd {
	return func() tea.Msg {
		if m.browser != nil {
			m.unfeed()
		}
		if m.tree != nil {
			if closing := m.tree.Close(); closing != nil {
				closing()
			}
		}
		return nil
	}
}

// pick shows the sessions (published P3, in-session picker).
func (o *overlay) pick() tea.Cmd {
	how := picker.Options{Title: "Resume", Accept: "resume", Project: cmp.Or(o.looks.now.cwd, o.lib.Dir)}
	return o.open("looking for sessions", func() screenReady {
		ctx, stop := context.WithCancel(o.ctx)
		b := o.opt.Host.Browser(ctx, how, func(msg tea.Msg) { o.pump.put(ofPicker{msg}) })
		return screenReady{browser: b, unfeed: stop, feed: func() { b.Feed(ctx) }}
	})
}

// ofPicker is a message that is the picker's alone.
type ofPicker struct{ msg tea.Msg }

// walk shows the tree of the session, in a state that says what for.
func (o *overlay) walk(what overlayState) tea.Cmd {
	s, th := o.agent().Session(), o.face.theme
	return o.open("reading the tree", func() screenReady {
		switch {
		case s != nil && !s.Persisted():
			return screenReady{told: "there is no tree: this session is kept nowhere"}
		case s == nil || !s.OnDisk():
			return screenReady{told: "there is no tree yet: the session is written with the first answer"}
		}
		at := ""
		if id, ok := s.Leaf(); ok {
			at = string(id)
		}
		tree, first := o.opt.Host.Tree(o.ctx, s.Path(), at, th)
		return screenReady{tree: tree, first: first, state: what}
	})
}

// close goes back to the conversation: the editor is as it was. The command lets go
// of what was read.
func (o *overlay) close() (cmd tea.Cmd) {
	switch o.state {
	case overPicker:
		o.unfeed()
		cmd = o.browser.Close()
		o.browser = nil
	case overTree, overBranch:
		cmd = o.tree.Close()
		o.tree = nil
	}
	o.state = overNothing
	return cmd
}

// take takes what ends the screen, or has it do something that is its own alone. It
// reports false for any other message.
func (o *overlay) take(msg tea.Msg) (tea.Cmd, bool) {
	state := o.state
	switch msg := msg.(type) {
	case ofPicker:
		if state == overPicker {
			return o.update(msg.msg), true
		}
		return nil, true
	case picker.Exit, treeview.Exit:
		return tea.Sequence(o.close(), tea.Quit), true
	case picker.Cancelled:
		return o.close(), true
	case picker.Chosen:
		return tea.Batch(o.close(), o.way.switchTo(msg.Path)), true
	case treeview.Back:
		if state == overPicker {
			return nil, false // the picker's own tree
		}
		return o.close(), true
	case treeview.Resume:
		return o.resume(state, msg), true
	}
	return nil, false
}

// resume goes to the entry that was chosen in a tree.
func (o *overlay) resume(state overlayState, msg treeview.Resume) tea.Cmd {
	switch state {
	case overPicker:
		path := o.browser.At()
		return tea.Batch(o.close(), o.way.switchAt(path, msg.ID))
	case overBranch:
		return tea.Batch(o.close(), o.way.branch(msg.ID))
	}
	return tea.Batch(o.close(), o.way.navigate(msg.ID))
}

// update gives a message to the screen.
func (o *overlay) update(msg tea.Msg) (cmd tea.Cmd) {
	switch o.state {
	case overPicker:
		cmd = o.browser.Update(msg)
	case overTree, overBranch:
		cmd = o.tree.Update(msg)
	}
	return cmd
}

// View draws the screen, or the conversation where there is none.
func (o *overlay) View() tea.View {
	switch o.state {
	case overPicker:
		return o.term.shown(o.browser.View())
	case overTree, overBranch:
		return o.term.shown(o.tree.View())
	}
	return o.term.shown(o.face.view.View())
}
