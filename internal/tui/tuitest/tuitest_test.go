//go:build unix

package tuitest_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	os.Exit(tuitest.Main(m, func() int {
		switch os.Args[1] {
		case "rude":
			fmt.Print("\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?2004h\x1b[>1u\x1b]0;title\a\x1b]52;c;AAAA\a\x1b[5nrude")
			return 3
		case "raw":
			fmt.Printf("%s %s %s", os.Getenv("HOME"), os.Getenv("LANG"), os.Getenv("EXTRA"))
			return 0
		}
		if _, err := tea.NewProgram(screen{}).Run(); err != nil {
			return 1
		}
		return 0
	}))
}

// screen shows its size and the last key.
type screen struct {
	size, key string
}

func (s screen) Init() tea.Cmd { return nil }

func (s screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = fmt.Sprintf("%dx%d", msg.Width, msg.Height)
	case tea.KeyPressMsg:
		s.key = msg.String()
		if s.key == "q" {
			return s, tea.Quit
		}
	case tea.MouseClickMsg:
		s.key = fmt.Sprintf("click %d,%d", msg.X, msg.Y)
	case tea.MouseWheelMsg:
		s.key = "wheel " + msg.Button.String()
	case tea.PasteMsg:
		s.key = "paste " + msg.Content
	}
	return s, nil
}

func (s screen) View() tea.View {
	red := lipgloss.NewStyle().Foreground(lipgloss.Color("1")).Bold(true)
	v := tea.NewView("size " + s.size + "\n" + red.Render("赤") + lipgloss.NewStyle().Foreground(lipgloss.Color("208")).Render("o") + " key [" + s.key + "]")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

func TestScreen(t *testing.T) {
	m := tuitest.Start(t, tuitest.Options{Args: []string{"screen"}, Cols: 60, Rows: 15})
	m.WaitFor("size 60x15")
	for key, want := range map[string]string{
		"a": "a", "enter": "enter", "tab": "tab", "shift+tab": "shift+tab", "space": "space", "up": "up", "pgdown": "pgdown",
		"home": "home", "delete": "delete", "backspace": "backspace", "ctrl+t": "ctrl+t", "ctrl+c": "ctrl+c", "alt+x": "alt+x", "esc": "esc",
	} {
		m.Send(key)
		m.WaitFor("key [" + want + "]")
	}
	m.Click(3, 4)
	m.WaitFor("key [click 3,4]")
	m.Wheel(0, 0, 1)
	m.WaitFor("key [wheel wheeldown]")
	m.Paste("some text")
	m.WaitFor("key [paste some text]")
	m.Resize(100, 30)
	m.WaitFor("size 100x30")
	got := []tuitest.Cell{m.Cell(0, 1), m.Cell(1, 1), m.Cell(2, 1), m.Cell(3, 1)}
	want := []tuitest.Cell{{Text: "赤", Fg: "1", Bold: true}, {Fg: "1", Bold: true}, {Text: "o", Fg: "208"}, {Text: " "}}
	want[1].Fg, want[1].Bold = got[1].Fg, got[1].Bold // nothing is drawn there
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if row := m.Row(1); !strings.HasPrefix(row, "赤o key") {
		t.Errorf("row 1 is %q", row)
	}
	if styled := m.Styled(); !strings.Contains(styled, "‹1;bold›赤") || !strings.Contains(styled, "‹208›o‹›") {
		t.Errorf("styled:\n%s", styled)
	}
	m.Send("q")
	if code := m.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	m.AssertRestored()
	if foreign := m.Foreign(); len(foreign) > 0 {
		t.Errorf("foreign sequences: %q", foreign)
	}
}

func TestTerminated(t *testing.T) {
	m := tuitest.Start(t, tuitest.Options{Args: []string{"screen"}})
	m.WaitFor("size 80x24")
	m.Signal(syscall.SIGTERM)
	m.Wait()
	m.AssertRestored()
}

// failures takes down what fails.
type failures struct {
	testing.TB
	all []string
}

func (f *failures) Helper()           {}
func (f *failures) Error(args ...any) { f.all = append(f.all, fmt.Sprint(args...)) }
func (f *failures) Errorf(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

func TestRude(t *testing.T) {
	f := &failures{TB: t}
	m := tuitest.Start(f, tuitest.Options{Args: []string{"rude"}})
	m.WaitFor("rude")
	if code := m.Wait(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	m.AssertRestored()
	all := strings.Join(f.all, "\n")
	for _, want := range []string{"alternate screen", "cursor is hidden", "mode ?1003", "mode ?2004", "1 keyboard modes"} {
		if !strings.Contains(all, want) {
			t.Errorf("no complaint about %s:\n%s", want, all)
		}
	}
	if diff := cmp.Diff([]string{"\x1b]0;title\a", "\x1b[5n"}, m.Foreign("\x1b]52;")); diff != "" {
		t.Errorf("foreign (-want +got):\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LANG", "xx")
	home := t.TempDir()
	m := tuitest.Start(t, tuitest.Options{Args: []string{"raw"}, Home: home, Env: []string{"EXTRA=more"}, Cols: len(home) + 1, Rows: 3})
	m.Wait()
	if got, want := strings.TrimSpace(m.Flow()), home+"  more"; got != want {
		t.Errorf("environment %q, want %q", got, want)
	}
}
