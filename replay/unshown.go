package replay

import (
	"iter"

	"github.com/cambium-dev/cambium/entry"
)

// Unshown yields, of what the model sees, the messages that a conversation does not
// show as a whole: those of extensions that say display:false, the notebook, the
// system message of a compaction, and the files of a mention, of which the names are
// shown. Only these are loaded, and answers that pruning takes out of
// [Context.Messages] play no part. Errors are as there.
func (c *Context) Unshown() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for n := range c.steps() {
			s := &c.plan[n]
			if !c.mayBeUnshown(s) {
				continue
			}
			m, ok, err := c.message(s)
			switch {
			case err != nil:
				m = Message{Entry: int(s.at)}
			case !ok, hideable(m.Role) && s.what == aMessage && !isFalse(m.JSON, "display"):
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// mayBeUnshown reports whether a step may give such a message, without loading it.
func (c *Context) mayBeUnshown(s *step) bool {
	switch s.what {
	case theSystem, theNotes:
		return true
	case theSummary:
		return false
	}
	i := int(s.at)
	role := c.list.Role(i)
	return c.list.Kind(i) == entry.CustomMessage || c.list.Kind(i) == entry.Message && (hideable(role) || role == entry.RoleFileMention)
}

// hideable reports whether a message of a role is shown unless it says that it is
// not.
func hideable(r entry.Role) bool { return r == entry.RoleCustom || r == entry.RoleHook }
