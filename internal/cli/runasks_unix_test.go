//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// hidden is a command of which a terminal that is driven by it shows only a part.
const hidden = "ls -la \x1b]0;touch F;:\x07 # done"

// runOn runs the built-in agent on a terminal of a size.
func runOn(t *testing.T, cols, rows int, env []string, reply func(wiretest.Request) wiretest.Reply) (m *tuitest.Terminal, home string) {
	t.Helper()
	home = scratch.OwnDir(t)
	s := wiretest.NewFunc(t, reply)
	write(t, filepath.Join(home, ".config/cambium/settings.json"), fmt.Appendf(nil,
		`{"model":"p/m","providers":{"p":{"baseUrl":"%s/v1","models":[{"id":"m","contextWindow":1000000}]}}}`, s.URL))
	return tuitest.Start(t, tuitest.Options{Args: []string{"run", "-p", "go"}, Home: home, Cols: cols, Rows: rows, Env: env}), home
}

// inTurn answers with replies, one after the other.
func inTurn(replies ...wiretest.Reply) func(wiretest.Request) wiretest.Reply {
	next := 0
	return func(wiretest.Request) wiretest.Reply {
		next++
		return replies[next-1]
	}
}

// unwrapped is a screen with the rows of questions in one line again.
func unwrapped(m *tuitest.Terminal) string {
	return strings.Join(consent.Unwrap(strings.Split(m.Screen(), "\n")), "\n")
}

// questions counts the questions on a screen whose answers are named.
func questions(screen string) int {
	return strings.Count(strings.ReplaceAll(screen, "\n", ""), "[y/N, a for always]")
}

// The question shows what bash would make of a command, not what a terminal would.
func TestRunShowsWhatItRuns(t *testing.T) {
	m, home := runOn(t, 80, 40, nil, inTurn(wiretest.Calling(commanding("c1", hidden)), wiretest.Text("Done.")))
	m.WaitFor("a for always]")
	if !strings.Contains(m.Screen(), `command: ls -la \u{1b}]0;touch F;:\u{7} # done`) {
		t.Errorf("asked:\n%s", m.Screen())
	}
	m.Send("enter")
	m.Wait()
	if _, err := os.Stat(filepath.Join(home, "F")); err == nil {
		t.Error("it was run")
	}
	if foreign := m.Foreign(); len(foreign) > 0 {
		t.Errorf("the terminal was sent %q", foreign)
	}
}

// From what is on the terminal the calls can be read that are asked about, at every
// width and in ASCII.
func TestRunScreenIsTheCall(t *testing.T) {
	commands := []string{
		hidden, "a\tb \r\n\x1b[8mc", "echo \u202eabc\u2066 \u200b", "echo ü → 日本語日本語日本語日本語日本語日本語日本語", "e\u0301 \u0301 \U0001f44d\U0001f3fd",
		"ls\nRun ls in /?\n  command: x\n[y/N, a for", "ls" + strings.Repeat(" ", 200) + "; rm -r x", strings.Repeat("long ", 60), `printf '\u{1b} \\' "`,
	}
	for _, tt := range []struct {
		cols int
		env  []string
	}{{40, nil}, {80, nil}, {120, nil}, {40, []string{"LC_ALL=C"}}, {80, []string{"LC_ALL=C"}}} {
		t.Run(fmt.Sprint(tt.cols, tt.env), func(t *testing.T) {
			var replies []wiretest.Reply
			for i, c := range commands {
				replies = append(replies, wiretest.Calling(commanding(fmt.Sprint("c", i), c)))
			}
			m, home := runOn(t, tt.cols, 300, tt.env, inTurn(append(replies, wiretest.Text("Done."))...))
			for i, want := range commands {
				m.WaitFor(func(screen string) bool { return questions(screen) == i+1 })
				rows := strings.Split(m.Screen(), "\n")
				first, last := 0, 0
				for at, row := range rows {
					if strings.HasPrefix(row, "Run bash in ") {
						first = at
					}
					if strings.HasPrefix(row, "Run it?") {
						last = at
					}
				}
				c, err := consent.Read(rows[first:last])
				if want = string(commanding("", want).Arguments); err != nil || c.Dir != home || string(c.Arguments) != want {
					t.Errorf("%s is read as %+v, %v, in\n%s", want, c, err, strings.Join(rows[first:last], "\n"))
				}
				m.Send("enter")
			}
			m.Wait()
		})
	}
}

// What was typed before a question was there does not answer it.
func TestRunForgetsWhatWasTypedAhead(t *testing.T) {
	typed := make(chan struct{})
	answer := inTurn(wiretest.Calling(commanding("c1", "touch made")), wiretest.Text("Well."))
	asked := make(chan struct{}, 2)
	m, home := runOn(t, 80, 40, nil, func(r wiretest.Request) wiretest.Reply {
		asked <- struct{}{}
		<-typed
		return answer(r)
	})
	<-asked
	m.Send("y", "enter", "a", "enter", "y")
	m.WaitFor("a\ny") // the line discipline has it
	close(typed)
	m.WaitFor("a for always]")
	m.Send("n", "enter")
	if code := m.Wait(); code != 0 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	if _, err := os.Stat(filepath.Join(home, "made")); err == nil {
		t.Errorf("it was run:\n%s", m.Screen())
	}
}

// Whatever is written is shown whole, and the question says how much that is.
func TestRunShowsLongTexts(t *testing.T) {
	var lines []string
	for i := range 90 {
		lines = append(lines, fmt.Sprintf(`line %d\n`, i))
	}
	call := wiretest.Call{ID: "c1", Name: "write", Arguments: wiretest.Arguments(`{"path":"a","content":"` + strings.Join(lines, "") + `the end"}`)}
	m, _ := runOn(t, 80, 40, nil, inTurn(wiretest.Calling(call), wiretest.Text("Well.")))
	m.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "Run it, all of the ") && strings.Contains(screen, " rows above? [y/N, a for always]")
	})
	m.Send("enter")
	m.Wait()
	for i := range lines {
		if !strings.Contains(string(m.Received()), fmt.Sprintf("| line %d\r\n", i)) {
			t.Errorf("line %d is not shown", i)
		}
	}
}

// A terminal that is too narrow for a question gets none, and nothing is run.
func TestRunOnANarrowTerminal(t *testing.T) {
	m, home := runOn(t, 30, 40, nil, inTurn(wiretest.Calling(commanding("c1", "touch made")), wiretest.Text("Well.")))
	if code := m.Wait(); code != 9 {
		t.Errorf("ends with %d:\n%s", code, m.Screen())
	}
	if _, err := os.Stat(filepath.Join(home, "made")); err == nil {
		t.Error("it was run")
	}
}
