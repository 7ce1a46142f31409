package cli_test

import (
	"strings"
	"testing"
)

// TestCandidates sees that who named no session, or several, is told which there
// are, in lines of a terminal's width.
func TestCandidates(t *testing.T) {
	m := furnished(t)
	for _, tt := range []struct {
		arg   string
		code  int
		hints []string
	}{
		{"0195", 4, []string{
			"hint: 0195643d-0b7e  omp   3d  /work/map     Colours of the map",
			"hint: 0195643c-a1c0  pi    4d  /work/garden  [+1] Valve test that fails now and…",
		}},
		{"MAP", 0, nil},
		{"th", 3, []string{
			"hint: 19c0b2f4a1400  cambium  30m  /work/garden  [+14] Names for the rooms",
			"hint: 0195643d-0b7e  omp       3d  /work/map     Colours of the map",
			"hint: 0195643c-a1c0  pi        4d  /work/garden  [+1] Valve test that fails now…",
		}},
		{"no such name", 3, nil},
	} {
		_, stderr, code := m.run("show", tt.arg)
		var hints []string
		for line := range strings.Lines(stderr) {
			if strings.HasPrefix(line, "hint: ") {
				hints = append(hints, strings.TrimSuffix(line, "\n"))
			}
		}
		if code != tt.code || strings.Join(hints, "\n") != strings.Join(tt.hints, "\n") {
			t.Errorf("show %s: exit code %d, %q, want %d, %q", tt.arg, code, stderr, tt.code, tt.hints)
		}
	}
}
