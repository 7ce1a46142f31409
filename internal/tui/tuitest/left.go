//go:build unix

package tuitest

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// AssertRestored fails the test unless the program, which has ended, left the
// terminal as it found it: the ordinary screen, the cursor shown, mouse,
// bracketed paste and every other mode off, the keyboard as it was. Wait has
// seen that the line discipline is as before.
func (m *Terminal) AssertRestored() {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.t.Fatal("tuitest: the program has not been waited for")
	}
	if m.screen.IsAltScreen() {
		m.t.Errorf("after the program: the alternate screen is still shown; the last that came is %q", m.received[max(0, len(m.received)-200):])
	}
	if !m.cursorShown() {
		m.t.Error("after the program: the cursor is hidden")
	}
	for mode := range m.modes {
		if mode != "?25" {
			m.t.Errorf("after the program: mode %s is still set", mode)
		}
	}
	if depth := m.kittyDepth(); depth != 0 {
		m.t.Errorf("after the program: %d keyboard modes more were pushed than popped", depth)
	}
	keys := bytes.LastIndex(m.received, []byte("\x1b[>4"))
	if keys >= 0 && bytes.HasPrefix(m.received[keys:], []byte("\x1b[>4;")) {
		m.t.Error("after the program: the keyboard still reports other keys")
	}
}

// restoredLine says what differs in the line discipline from before the program.
func (m *Terminal) restoredLine() error {
	now, err := term.GetState(int(m.master.Fd()))
	if err != nil {
		return fmt.Errorf("read the state of the terminal: %w", err)
	}
	if !reflect.DeepEqual(now, m.before) {
		return fmt.Errorf("the line discipline is %+v, was %+v", now, m.before)
	}
	return nil
}

// cursorShown reports whether the cursor is shown. The caller holds mu.
func (m *Terminal) cursorShown() bool {
	i := bytes.LastIndex(m.received, []byte("\x1b[?25"))
	return i < 0 || !bytes.HasPrefix(m.received[i:], []byte("\x1b[?25l"))
}

// kittyDepth returns how many keyboard modes are on the stack. The caller holds
// mu.
func (m *Terminal) kittyDepth() int {
	depth := 0
	for _, seq := range sequences(m.received) {
		switch {
		case strings.HasPrefix(seq, "\x1b[>") && strings.HasSuffix(seq, "u"):
			depth++
		case strings.HasPrefix(seq, "\x1b[<") && strings.HasSuffix(seq, "u"):
			depth = max(depth-1, 0) // both screens have a stack; an empty one stays so
		}
	}
	return depth
}

// Received returns every byte that the program has written.
func (m *Terminal) Received() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.received)
}

// Foreign returns the control characters and escape sequences among all that the
// program wrote which a screen does not need, and so came from stored text:
// titles, clipboards, links, bells, colours of the terminal, answers to nobody.
// Those that begin with one of allowed are left out.
func (m *Terminal) Foreign(allowed ...string) []string {
	var foreign []string
	for _, seq := range sequences(m.Received()) {
		begins := func(prefix string) bool { return strings.HasPrefix(seq, prefix) }
		if !drawing.MatchString(seq) && !slices.ContainsFunc(allowed, begins) {
			foreign = append(foreign, seq)
		}
	}
	return foreign
}

// drawing matches what a renderer writes: SGR, movements, erasing, scrolling,
// repeating; tab stops; modes of cursor, screens, mouse, paste, focus, synchronous drawing
// and graphemes, and queries for them; the two ways to name more keys; the
// shape of the cursor.
var drawing = regexp.MustCompile("^(" + strings.Join([]string{
	"[\r\n\t\b]",
	`\x1b\[[0-9;:]*[mHABCDEFGdfJKXLMPST@bIZr` + "`a]",
	`\x1b\[[0-9]* q`,
	`\x1b\[\?5W`,
	`\x1b\[\?(7|25|1000|1002|1003|1004|1006|1049|2004|2026|2027|2048)(;(1000|1002|1003|1006))*[hl]`,
	`\x1b\[\?[0-9]+\$p`,
	`\x1b\[[<>=?][0-9;]*u`,
	`\x1b\[>4(;[0-9])?m`,
	`\x1b[78M]`,
}, "|") + ")$")

// sequences returns the control characters and escape sequences of a text.
func sequences(text []byte) []string {
	var all []string
	var state byte
	for len(text) > 0 {
		seq, width, n, next := ansi.DecodeSequence(text, state, nil)
		if n == 0 {
			break
		}
		if width == 0 && (len(seq) > 0 && (seq[0] < 0x20 || seq[0] == 0x7f || seq[0] >= 0x80 && seq[0] < 0xa0)) {
			all = append(all, string(seq))
		}
		state, text = next, text[n:]
	}
	return all
}

// modeName returns how a mode is written, "?25".
func modeName(mode ansi.Mode) string {
	if _, ok := mode.(ansi.DECMode); ok {
		return fmt.Sprintf("?%d", mode.Mode())
	}
	return fmt.Sprint(mode.Mode())
}
