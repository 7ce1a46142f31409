package theme

import (
	"fmt"
	"strconv"
	"time"
)

// Age returns how long before now t was in at most three cells: "now", "5m",
// "3h", "2d", "9w", "2y"; "" for the zero time.
func Age(t, now time.Time) string {
	d := now.Sub(t)
	days := int(d.Hours() / 24)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case days < 1:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case days < 100:
		return fmt.Sprintf("%dd", days)
	case days < 700:
		return fmt.Sprintf("%dw", days/7)
	}
	return fmt.Sprintf("%dy", min(days/365, 99))
}

// Number returns a number, not below zero, in at most four cells.
func Number(n float64) string {
	for _, unit := range []string{"", "K", "M", "G"} {
		switch {
		case unit == "" && n < 9999.5:
			return strconv.Itoa(int(n))
		case unit != "" && n < 9.95:
			return strconv.FormatFloat(n, 'f', 1, 64) + unit
		case unit != "" && n < 999.5:
			return strconv.Itoa(int(n+0.5)) + unit
		}
		n /= 1000
	}
	return "lots"
}

// Size returns a number of bytes in at most four cells.
func Size(n int64) string {
	if n < 1000 {
		return strconv.Itoa(int(n))
	}
	v := float64(n) / 1024
	for _, unit := range []string{"K", "M", "G", "T"} {
		if v < 9.95 {
			return strconv.FormatFloat(v, 'f', 1, 64) + unit
		}
		if v < 999.5 {
			return strconv.Itoa(int(v+0.5)) + unit
		}
		v /= 1024
	}
	return "lots"
}

// Cost returns an amount of dollars in at most six cells; "" for nothing.
func Cost(v float64) string {
	switch {
	case v <= 0:
		return ""
	case v < 0.005:
		return "<$0.01"
	case v < 99.995:
		return "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "$" + Number(v)
}

// StatusSign returns how a conversation stands, one of catalog's words for it, in
// one cell; "" for what needs nobody.
func StatusSign(status string) string {
	switch status {
	case "error":
		return "x"
	case "aborted":
		return "-"
	case "interrupted":
		return "~"
	case "pending":
		return "?"
	}
	return ""
}

// Plural returns a number of things in words: "1 session", "2 sessions". A thing
// in "-ry" or the like becomes "-ries".
func Plural(n int, thing string) string {
	switch last := len(thing) - 1; {
	case n == 1:
	case last > 0 && thing[last] == 'y':
		thing = thing[:last] + "ies"
	case last > 1 && thing[last-1:] == "ch":
		thing += "es"
	default:
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Badges are the signs of a session that need no words, one cell each.
const (
	PinBadge    = "★" // somebody wants it on top
	BusyBadge   = "●" // a program has it open for writing
	MaybeBusy   = "○" // a program seems to
	DamageBadge = "!" // something is wrong with the file
	ForkBadge   = "↳" // it began as a copy of another
	MarkBadge   = "✓" // chosen together with others
)

// Ellipsis stands for what was cut off.
const Ellipsis = "…"
