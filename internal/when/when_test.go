package when_test

import (
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/when"
)

// TestParse: dates, times, spans before now and days by name, in the zone of now.
func TestParse(t *testing.T) {
	zone := time.FixedZone("east", 2*60*60)
	now := time.Date(2026, 3, 10, 12, 30, 0, 0, zone)
	day := func(y int, m time.Month, d, h, min int) time.Time { return time.Date(y, m, d, h, min, 0, 0, zone) }
	for text, want := range map[string]time.Time{
		"now": now, "today": day(2026, 3, 10, 0, 0), "Yesterday": day(2026, 3, 9, 0, 0),
		"2026-03-01": day(2026, 3, 1, 0, 0), "2026-03": day(2026, 3, 1, 0, 0), "2026": day(2026, 1, 1, 0, 0),
		"2026-03-01T15:04": day(2026, 3, 1, 15, 4), "2026-03-01 15:04": day(2026, 3, 1, 15, 4),
		"2026-03-01T15:04:00Z": day(2026, 3, 1, 17, 4),
		"90min":                day(2026, 3, 10, 11, 0), "3h": day(2026, 3, 10, 9, 30), "3 days": day(2026, 3, 7, 12, 30), "2w": day(2026, 2, 24, 12, 30),
		"6m": day(2025, 9, 10, 12, 30), "1y": day(2025, 3, 10, 12, 30), "0d": now,
	} {
		if got, ok := when.Parse(text, now); !ok || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "someday", "3", "3x", "-3d", "999999d", "2026-13-01", "99999999999999999999d", "d"} {
		if got, ok := when.Parse(text, now); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
