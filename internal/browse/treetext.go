package browse

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
)

// How long a line may be to be read for a row, and for the pane; and how much of
// a text the pane is given. In bytes.
const (
	treeLine = 4 << 20
	treeFull = 64 << 20
	treeText = 1 << 20
)

// gistOf says on one line what an entry says and who says it.
func gistOf(list *entry.List, i int) treeview.Gist {
	g := treeview.Gist{Entry: i}
	if n := list.At(i).Len; n > treeLine {
		g.Text = "(" + term.Bytes(n) + ")"
		return g
	}
	line, err := list.Load(i)
	if err != nil {
		g.Text, g.Bad = "unreadable: "+err.Error(), true
		return g
	}
	g.Who, g.Text, g.Bad = transcript.GistOf(list.Kind(i), line).Row()
	return g
}

// read returns all that an entry says, for a person: what was cut for its length is
// put back, calls have all their arguments. t.mu is held.
func (t *treeStore) read(i int) treeview.Body {
	s := t.s
	b := treeview.Body{Entry: i}
	list := s.List()
	if n := list.At(i).Len; n > treeFull {
		b.Text = fmt.Sprintf("It is %s long: `cambium show --full` prints it.", term.Bytes(n))
		return b
	}
	line, err := list.Load(i)
	if err != nil {
		b.Notes = []string{err.Error()}
		return b
	}
	var o transcript.Options
	if dir := t.lib.Home(s.Dialect()).Blobs; dir != "" {
		o.Blobs = blob.OpenDir(dir, blob.DirOptions{})
	}
	page := transcript.NewReader(s, o).Page(t.ctx, line, i)
	text := page.Text
	b.Notes = page.Notes
	if len(text) > treeText {
		cut := strings.ToValidUTF8(text[:treeText], "")
		b.Clipped = int64(len(text) - len(cut))
		text = cut
	}
	b.Text = text
	return b
}
