// Package presence says who has a session open.
package presence

import (
	"fmt"
	"strings"
	"time"
)

// A Holder is one who has a session open for writing, or seems to.
type Holder struct {
	// Program is its name, "" when it is not known.
	Program string
	// PID is its process, 0 when it is not known; Host the machine of that.
	PID  int
	Host string
	// Terminal is the device that it runs in, "" for none.
	Terminal string
	// Leased says that it is known from a store that machines share: it may be on
	// any of them.
	Leased bool
	// Since is when it opened the session, or when it was first known to have
	// done so; the zero time when that is not known.
	Since time.Time
	// Sure says that it is known; otherwise it only seems so.
	Sure bool
	// Why says how it is known, in words that follow "it".
	Why string
}

// String says who it is, for people: `open in cambium (pid 7)`.
func (h Holder) String() string {
	text := "open in "
	if !h.Sure {
		text = "seems open in "
	}
	if h.Program == "" {
		text += "another program"
	} else {
		text += h.Program
	}
	if h.Leased && h.Host != "" {
		text += " on " + h.Host
	}
	var where []string
	if h.PID > 0 {
		where = append(where, fmt.Sprintf("pid %d", h.PID))
	}
	if h.Terminal != "" {
		where = append(where, strings.TrimPrefix(h.Terminal, "/dev/"))
	}
	if len(where) > 0 {
		text += " (" + strings.Join(where, ", ") + ")"
	}
	if h.Leased && !h.Since.IsZero() {
		text += h.Since.Local().Format(" since 2006-01-02 15:04")
	}
	if !h.Sure && h.Why != "" {
		text += ": it " + h.Why
	}
	return text
}
