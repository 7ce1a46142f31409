package places

import (
	"strings"

	"github.com/cambium-dev/cambium/layout"
)

// TerminalID returns the id under which a dialect keeps its note about one
// terminal's last session, and whether there is one. tty is the device behind
// standard input ("/dev/pts/3"), "" when it is no terminal; without a device the
// first variable that is set decides: xcsh's order for cambium and xcsh, omp's
// for omp. pi keeps no such notes.
//
// The programs use the variables' values as file names as they are; here a
// separator in them becomes a dash, so that the id is always one path element.
func TerminalID(name, tty string, on layout.Env) (string, bool) {
	env := machine(on)
	if name == "pi" {
		return "", false
	}
	if device, ok := strings.CutPrefix(tty, "/dev/"); ok && device != "" {
		return element(device)
	}
	for _, source := range terminalSources(name) {
		value := env.getenv(source.variable)
		if value == "" {
			continue
		}
		prefix := source.prefix
		if source.variable == "ZELLIJ_PANE_ID" {
			if session := env.getenv("ZELLIJ_SESSION_NAME"); session != "" {
				prefix += session + "-"
			}
		}
		return element(prefix + value)
	}
	return "", false
}

// terminalSource is a variable that terminals set, and how its ids begin.
type terminalSource struct{ variable, prefix string }

func terminalSources(name string) []terminalSource {
	if name == "omp" {
		return []terminalSource{
			{"ZELLIJ_PANE_ID", "zellij-"},
			{"TMUX_PANE", "tmux-"},
			{"CMUX_SURFACE_ID", "cmux-"},
			{"KITTY_WINDOW_ID", "kitty-"},
			{"WEZTERM_PANE", "wezterm-"},
			{"TERM_SESSION_ID", "apple-"},
			{"WT_SESSION", "wt-"},
		}
	}
	return []terminalSource{
		{"KITTY_WINDOW_ID", "kitty-"},
		{"TMUX_PANE", "tmux-"},
		{"TERM_SESSION_ID", "apple-"},
		{"WT_SESSION", "wt-"},
	}
}

// element makes one path element of id; false when nothing usable is left.
func element(id string) (string, bool) {
	id = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' {
			return '-'
		}
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, id)
	if id == "" || id == "." || id == ".." || len(id) > 200 {
		return "", false
	}
	return id, true
}
