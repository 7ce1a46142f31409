package chatview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// Bounds of a text that is laid out in the editor with each key. A longer one
// stands there by a name.
const (
	mostEdited = 16 << 10 // bytes
	mostRows   = 200
	leastLong  = 1 << 10 // what is shorter than that has no name
)

// A long text stands in the editor by its name.
type long struct{ name, text string }

// shortened returns a text that is to be inserted and that nobody typed, or a name
// for it where the editor would hold too much with it.
func (e *editor) shortened(text string) string {
	there := e.area.Value()
	rows := strings.Count(text, "\n") + 1
	if len(text) < leastLong && rows <= mostRows ||
		len(there)+len(text) <= mostEdited && strings.Count(there, "\n")+rows <= mostRows {
		return untyped(text)
	}
	size := theme.Plural(strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1, "line")
	if rows == 1 {
		size = theme.Size(int64(len(text)))
	}
	l := long{fmt.Sprintf("%slong text %d: %s]", longSign, len(e.long)+1, size), text}
	e.long = append(slices.Clip(e.long), l)
	return l.name
}
