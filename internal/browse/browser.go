package browse

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/tui/costview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/readview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// A Browser goes between the list of sessions and the tree of one, and carries out
// what a person wants on them. What leaves it (picker.Chosen, Cancelled and Exit,
// treeview.Resume and Exit) is for whoever shows it, and not to be passed to it.
type Browser struct {
	ctx    context.Context
	o      Options
	picker picker.Model
	feed   *feed
	find   *finder
	wishes *wishes
	ids    map[string]string // of sessions, by path
	theme  theme.Theme
	size   tea.WindowSizeMsg

	tree   *Tree   // nil while none is shown
	reader *Reader // likewise
	costs  *Costs  // likewise; a reader may stand before it
}

// New returns the browser, which sends what comes by itself to send. ctx ends what it
// reads.
func New(ctx context.Context, o Options, send func(tea.Msg)) *Browser {
	l, how := o.Library, o.How
	opt := l.Catalog()
	opt.Unread = nil // the screen is no place for notes
	l.Presence()     // before several ask for it at once
	if l.SessionDir != "" {
		how.Project = "" // all that lie there
	}
	b := &Browser{ctx: ctx, o: o, theme: o.Theme, ids: map[string]string{}}
	b.wishes = &wishes{ctx: ctx, lib: l, explain: o.Explain}
	b.find = newFinder(ctx, opt, l.Now)
	peek := &previewer{lib: l, ctx: ctx, stop: func() {}}
	how.Theme, how.Home, how.Now = b.theme, l.Env.Home, l.Now
	how.Preview, how.Texts, how.Asks, how.Tree = peek.preview, b.find.search, b.find.asks, true
	b.picker = picker.New(how)
	b.feed = newFeed(l, opt, how.Project, send)
	b.find.opt.Index = b.feed.opt.Index
	return b
}

// Feed brings it sessions until ctx ends.
func (b *Browser) Feed(ctx context.Context) {
	if len(b.o.Known) > 0 {
		b.feed.begin(b.o.Known)
	}
	b.feed.run(ctx)
}

// SetTheme has it look like that.
func (b *Browser) SetTheme(th theme.Theme) {
	b.theme = th
	b.picker = b.picker.SetTheme(th)
}

// At is the path of the session whose tree it shows, or that it has be read, "" for none.
func (b *Browser) At() string {
	switch {
	case b.tree != nil:
		return b.tree.store.path
	case b.reader != nil:
		return b.reader.store.path
	}
	return ""
}

// Close ends what it reads. The command lets go of what was read, nil where there is
// nothing.
func (b *Browser) Close() tea.Cmd {
	b.find.stop()
	b.closeCosts()
	return tea.Batch(b.closeTree(), b.closeReader())
}

// Update takes a message: what a person wants is carried out, the rest is for the
// screen that it concerns.
func (b *Browser) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		b.SetTheme(theme.New(b.theme.Depth(), msg.IsDark()))
		return nil
	case tea.WindowSizeMsg:
		b.size = msg
		return tea.Batch(b.show(msg), b.showTree(msg), b.showReader(msg), b.showCosts(msg))
	case treeview.Back:
		b.feed.look()
		return b.closeTree()
	case picker.Tree:
		return b.openTree(msg.Path)
	case picker.Read:
		return b.openReader(msg)
	case picker.Costs:
		return b.openCosts()
	case costAnswer:
		return b.showCosts(msg)
	case Result:
		b.feed.look()
		return b.show(b.wishes.told(msg))
	case picker.Found:
		for i := range msg.Items {
			b.ids[msg.Items[i].Info.Path] = msg.Items[i].Info.ID
		}
		return b.show(msg)
	case picker.Gone, picker.Away, picker.Pinned, picker.Progress, picker.Done, picker.Told, picker.Matches, picker.Preview:
		return b.show(msg)
	}
	if cmd := b.wish(msg); cmd != nil {
		return cmd
	}
	switch {
	case b.tree != nil:
		return b.showTree(msg)
	case b.reader != nil:
		return b.read(msg)
	case b.costs != nil:
		return b.count(msg)
	}
	return b.show(msg)
}

// show gives a message to the list.
func (b *Browser) show(msg tea.Msg) (cmd tea.Cmd) {
	b.picker, cmd = b.picker.Update(msg)
	return cmd
}

// showTree gives a message to the tree, if one is shown.
func (b *Browser) showTree(msg tea.Msg) tea.Cmd {
	if b.tree == nil {
		return nil
	}
	return b.tree.Update(msg)
}

// openTree shows the tree of a session.
func (b *Browser) openTree(path string) tea.Cmd {
	closed := b.closeTree()
	o := b.o
	o.Theme = b.theme
	b.tree = NewTree(b.ctx, o, path, "")
	return tea.Batch(closed, b.tree.Open, b.showTree(b.size))
}

// closeTree goes back to the list. The command lets go of what was read, nil where
// there is no tree.
func (b *Browser) closeTree() tea.Cmd {
	tree := b.tree
	if tree == nil {
		return nil
	}
	b.tree = nil
	return tree.Close()
}

// openReader has a session be read, from what was found in it on.
func (b *Browser) openReader(w picker.Read) tea.Cmd {
	what := marksOf(w.Terms)
	what.At = w.Entry
	return b.openReading(w.Path, what)
}

// openReading has a session be read.
func (b *Browser) openReading(path string, what Reading) tea.Cmd {
	closed := b.closeReader()
	o := b.o
	o.Theme = b.theme
	b.reader = NewReader(b.ctx, o, path, what)
	return tea.Batch(closed, b.reader.Open, b.showReader(b.size))
}

// read gives a message to the reader, or leaves it.
func (b *Browser) read(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case readview.Back:
		b.feed.look()
		return b.closeReader()
	case readview.Exit:
		return func() tea.Msg { return treeview.Exit{} }
	}
	return b.showReader(msg)
}

// showReader gives a message to the reader, if one is shown.
func (b *Browser) showReader(msg tea.Msg) tea.Cmd {
	if b.reader == nil {
		return nil
	}
	return b.reader.Update(msg)
}

// closeReader goes back to the list, as closeTree.
func (b *Browser) closeReader() tea.Cmd {
	reader := b.reader
	if reader == nil {
		return nil
	}
	b.reader = nil
	return reader.Close()
}

// openCosts shows what sessions cost.
func (b *Browser) openCosts() tea.Cmd {
	b.closeCosts()
	o := b.o
	o.Theme = b.theme
	b.costs = NewCosts(b.ctx, o)
	return tea.Batch(b.costs.Open(), b.showCosts(b.size))
}

// count gives a message to the costs, or leaves them, for a session to read or the list.
func (b *Browser) count(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case costview.Back:
		b.closeCosts()
		return nil
	case costview.Exit:
		return func() tea.Msg { return treeview.Exit{} }
	case costview.Read:
		return b.openReading(msg.Path, Reading{Line: msg.Line})
	}
	return b.showCosts(msg)
}

// showCosts gives a message to the costs, if they are shown.
func (b *Browser) showCosts(msg tea.Msg) tea.Cmd {
	if b.costs == nil {
		return nil
	}
	return b.costs.Update(msg)
}

// closeCosts goes back to the list.
func (b *Browser) closeCosts() {
	if b.costs != nil {
		b.costs.Close()
		b.costs = nil
	}
}

// wish returns the command that carries out a wish, nil if msg is none.
func (b *Browser) wish(msg tea.Msg) tea.Cmd {
	w := b.wishes
	switch msg := msg.(type) {
	case picker.Rename:
		return w.rename(msg.Path, msg.Name)
	case picker.Label:
		return w.label(msg.Path, msg.Text)
	case picker.Delete:
		return w.remove(msg.Paths)
	case picker.Undo:
		return w.undo()
	case picker.Fork:
		return w.fork(msg.Path)
	case picker.Move:
		return w.move(msg.Path, msg.Dir)
	case picker.Pin:
		ids := make([]string, len(msg.Paths))
		for i, path := range msg.Paths {
			ids[i] = b.ids[path]
		}
		return w.pin(ids, msg.On)
	case picker.Copy:
		// Bubble Tea's renderer writes it for the terminal (OSC 52).
		text := "copied " + theme.Plural(len(msg.Paths), "path")
		return tea.Batch(tea.SetClipboard(strings.Join(msg.Paths, "\n")), func() tea.Msg { return picker.Told{Text: text} })
	}
	return nil
}

// View draws the screen.
func (b *Browser) View() tea.View {
	switch {
	case b.tree != nil:
		return b.tree.View()
	case b.reader != nil:
		return b.reader.View()
	case b.costs != nil:
		return b.costs.View()
	}
	return b.picker.View()
}
