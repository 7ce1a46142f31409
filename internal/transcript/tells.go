package transcript

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// Tells reports whether an entry says something to a person, as against records of
// programs. It does not read the entry.
func Tells(list *entry.List, i int) bool {
	switch list.Kind(i) {
	case entry.Unknown, entry.Session, entry.Title, entry.Usage, entry.ModelUsage, entry.CredentialPin:
		return false
	case entry.Custom:
		kind := list.Ref(i)
		return kind == spelling.EditType || kind == spelling.LeafType
	}
	return true
}

// Errs reports whether a message tells of an error: of an answer, of a tool or of a
// command, or that it cannot be read.
func (m Message) Errs() bool {
	if m.Who == Damaged || m.Failed || m.Code != 0 || m.Outcome.Exit != 0 {
		return true
	}
	for _, b := range m.Blocks {
		if b.Kind == Failure || b.Kind == Stop && b.Text == "error" {
			return true
		}
	}
	return false
}
