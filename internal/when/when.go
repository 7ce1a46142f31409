// Package when reads points in time as people write them.
package when

import (
	"strconv"
	"strings"
	"time"
)

// Parse reads a point in time: a date or a date and time in the time zone of now, a span
// before now, or a day by name. It reports false for what is none.
func Parse(text string, now time.Time) (time.Time, bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(text) {
	case "now":
		return now, true
	case "today":
		return day, true
	case "yesterday":
		return day.AddDate(0, 0, -1), true
	}
	for _, form := range []string{
		"2006-01-02", "2006-01", "2006", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05",
	} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, true
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, true
	}
	return ago(strings.ToLower(text), now)
}

// maxAgo is the largest count of a span before now.
const maxAgo = 100_000

// ago reads a span before now, such as 90min, 3h, 3d, 2w, 6m (months), 1y.
func ago(text string, now time.Time) (time.Time, bool) {
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(text[:digits])
	if err != nil || n > maxAgo {
		return time.Time{}, false
	}
	switch strings.TrimSpace(text[digits:]) {
	case "min", "mins", "minute", "minutes":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "h", "hour", "hours":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "d", "day", "days":
		return now.AddDate(0, 0, -n), true
	case "w", "week", "weeks":
		return now.AddDate(0, 0, -7*n), true
	case "m", "month", "months":
		return now.AddDate(0, -n, 0), true
	case "y", "year", "years":
		return now.AddDate(-n, 0, 0), true
	}
	return time.Time{}, false
}
