package opencode

import (
	"cmp"
	"slices"

	"github.com/cambium-dev/cambium/internal/foreign/database"
)

// A stored session is what OpenCode keeps of one, as it keeps it.
type stored struct {
	id       string
	fields   map[string]database.Field // of the session, by column
	messages []row
	parts    []row
	todos    [][]database.Field
	wrong    []string // what could not be read
}

// A row is a message or a part.
type row struct {
	id, message string // message is "" for a message
	data        []byte
	blob        bool // it is stored as bytes, not as text
	created     int64
}

// sort puts messages and parts in order, as OpenCode does.
func (s *stored) sort() {
	slices.SortStableFunc(s.messages, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	slices.SortStableFunc(s.parts, func(a, b row) int { return cmp.Compare(a.id, b.id) })
}
