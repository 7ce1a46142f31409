//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// Esc stops the agent at a question as elsewhere, whether keys answer it or not:
// the model is not asked again.
func TestChatEscAtAQuestionStops(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"", "soon"} {
		t.Run(typed, func(t *testing.T) {
			k := newTalk(t, call("c1", "bash", `{"command":"echo wet > soil"}`), wiretest.Text("I was asked again."))
			m := k.chat()
			m.Send("Water it.", "enter")
			m.WaitFor("n do not")
			if typed != "" {
				m.Send("tab", typed) // back to the editor
				m.WaitFor("esc stops it")
			}
			m.Send("esc")
			m.WaitGone("Run bash in", "esc stops it")
			if n := len(k.server.Requests()); n != 1 {
				t.Errorf("the model was asked %d times:\n%s", n, m.Screen())
			}
			if _, err := os.Stat(filepath.Join(k.garden, "soil")); err == nil {
				t.Error("the call was run")
			}
			k.leave(m)
		})
	}
}
