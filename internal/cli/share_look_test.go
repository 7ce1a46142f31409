//go:build share

package cli_test

import (
	"strings"
	"testing"
)

// TestShareLooking: what looks, or only says what it would do, makes no store, and
// says how one is made; what begins a session makes it, and says so.
func TestShareLooking(t *testing.T) { eachStore(t, testShareLooking) }

func testShareLooking(t *testing.T, url string) {
	h := home{dir: t.TempDir(), env: []string{"HOME=" + t.TempDir(), "CAMBIUM_STORE=" + url}}
	for _, args := range [][]string{{"ls"}, {"search", "x"}, {"sync", "--dry-run"}, {"store", "status"}, {"store", "gc"}, {"rm", "x"}, {"doctor"}} {
		if got := h.run(t, "", 3, args...); !strings.Contains(got, "there is no store yet in") || !strings.Contains(got, "`cambium store init` makes it") {
			t.Errorf("%q says %s", args, got)
		}
	}
	if got := h.run(t, "", 0, "new", "--name", "first"); strings.Count(got, "a store was made in") != 1 {
		t.Errorf("new says %s", got)
	}
	if got := h.run(t, "", 0, "ls", "--empty"); !strings.Contains(got, "first") || strings.Contains(got, "cambium: ") {
		t.Errorf("ls says %s", got)
	}
	got := h.run(t, "", 0, "store", "status")
	if !strings.Contains(got, "1 session, ") || !strings.Contains(got, ", 0 blobs") || strings.Contains(got, "about") {
		t.Errorf("status says %s", got)
	}
	if got := h.run(t, "", 0, "--json", "store", "status"); !strings.Contains(got, `"logs":1`) || !strings.Contains(got, `"blobs":0`) {
		t.Errorf("status says %s", got)
	}
	if got := h.run(t, "", 0, "--json", "store", "gc"); !strings.Contains(got, `{"swept":{"contents":0}}`) {
		t.Errorf("gc says %s", got)
	}
}
