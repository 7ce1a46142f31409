//go:build unix

package tuitest

import "fmt"

// Send types keys: a name ("enter", "esc", "up", "pgdown", "ctrl+t", "alt+x",
// "alt+enter", "shift+tab", "space"), else the text itself. An "esc" that something follows
// must have had its effect before more is sent, or the two are one key.
func (m *Terminal) Send(keys ...string) {
	m.t.Helper()
	for _, key := range keys {
		m.write(keyBytes(key))
	}
}

// Paste sends text as a terminal does that a person pastes into.
func (m *Terminal) Paste(text string) {
	m.t.Helper()
	m.write("\x1b[200~" + text + "\x1b[201~")
}

// Click presses and releases the left button on a cell, both from 0.
func (m *Terminal) Click(x, y int) {
	m.t.Helper()
	m.write(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Wheel turns the wheel over a cell, down by positive steps.
func (m *Terminal) Wheel(x, y, steps int) {
	m.t.Helper()
	button := 65
	if steps < 0 {
		button, steps = 64, -steps
	}
	for range steps {
		m.write(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1))
	}
}

func (m *Terminal) write(bytes string) {
	m.t.Helper()
	if _, err := m.master.WriteString(bytes); err != nil {
		m.t.Fatalf("type %q: %v", bytes, err)
	}
}

// keyBytes returns what a terminal sends for a key.
func keyBytes(key string) string {
	switch key {
	case "enter":
		return "\r"
	case "esc":
		return "\x1b"
	case "alt+enter":
		return "\x1b\r"
	case "tab":
		return "\t"
	case "shift+tab":
		return "\x1b[Z"
	case "space":
		return " "
	case "backspace":
		return "\x7f"
	case "up":
		return "\x1b[A"
	case "down":
		return "\x1b[B"
	case "right":
		return "\x1b[C"
	case "left":
		return "\x1b[D"
	case "home":
		return "\x1b[H"
	case "end":
		return "\x1b[F"
	case "insert":
		return "\x1b[2~"
	case "delete":
		return "\x1b[3~"
	case "pgup":
		return "\x1b[5~"
	case "pgdown":
		return "\x1b[6~"
	}
	var c byte
	if n, _ := fmt.Sscanf(key, "ctrl+%c", &c); n == 1 && len(key) == len("ctrl+x") {
		return string(rune(c & 0x1f))
	}
	if n, _ := fmt.Sscanf(key, "alt+%c", &c); n == 1 && len(key) == len("alt+x") {
		return "\x1b" + string(rune(c))
	}
	return key
}
