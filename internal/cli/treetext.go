package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tui/treeview"
	"github.com/cambium-dev/cambium/session"
)

// How long a line may be to be read for a row, and for the pane; and how much of
// a text the pane is given. In bytes.
const (
	treeLine = 4 << 20
	treeFull = 64 << 20
	treeText = 1 << 20
)

// treeGist says on one line what an entry says and who says it.
func treeGist(list *entry.List, i int) treeview.Gist {
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

// treeBody returns all that an entry says, for a person: what was cut for its
// length is put back, calls have all their arguments.
func (a *app) treeBody(ctx context.Context, s *session.Session, i int) treeview.Body {
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
	if dir := a.lib.Home(s.Dialect()).Blobs; dir != "" {
		o.Blobs = blob.OpenDir(dir, blob.DirOptions{})
	}
	page := transcript.NewReader(s, o).Page(ctx, line, i)
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

// treeMatch reports whether every word, in lower case, is found in what an entry
// says, calls included, or in names, which are its id and its label.
func treeMatch(list *entry.List, i int, line []byte, names string, words []string) bool {
	var lower []byte
	for _, w := range words {
		if strings.Contains(names, w) || !plainWord(w) {
			continue
		}
		if lower == nil {
			lower = lowered(line)
		}
		if !bytes.Contains(lower, []byte(w)) {
			return false
		}
	}
	text := names + "\n" + strings.ToLower(transcript.Words(list.Kind(i), line))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// plainWord reports whether a word is spelt in JSON as it is.
func plainWord(w string) bool {
	for _, c := range []byte(w) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// lowered returns b with the capitals of ASCII as small letters.
func lowered(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if c-'A' < 26 {
			c |= 0x20
		}
		out[i] = c
	}
	return out
}
