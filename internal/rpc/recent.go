package rpc

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/layout"
)

// nameUnits is the longest name of a recent session, in UTF-16 code units
// (published P3).
const nameUnits = 40

// recentName returns the name of a recent session: its title, else its first
// prompt, else its id, else its file's name, each on one line without control
// characters; a longer one ends in an ellipsis (published P3, xcsh 17.4.4).
func recentName(i catalog.Info) string {
	first := i.FirstMessage
	if first == catalog.NoMessages {
		first = ""
	}
	base := strings.TrimSuffix(path.Base(i.Path), layout.Ext)
	for _, name := range []string{i.Title, first, i.ID, base} {
		if name = oneLine(name); name == "" {
			continue
		}
		if splice.Units(name) > nameUnits {
			name = splice.CutText(name, nameUnits-1) + "…"
		}
		return name
	}
	return ""
}

// oneLine returns the first line of s without control characters and blanks
// around it.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// timeAgo says how long ago something was, in the words of the programs; after
// a week it is the date (ours in ISO form: a server has no locale).
func timeAgo(ago time.Duration, at time.Time) string {
	switch {
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf("%dm ago", int(ago/time.Minute))
	case ago < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(ago/time.Hour))
	case ago < 7*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(ago/(24*time.Hour)))
	}
	return at.UTC().Format(time.DateOnly)
}
