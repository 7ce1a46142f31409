package console_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/console"
)

// TestProgress: a line of progress is for terminals that can take it back.
func TestProgress(t *testing.T) {
	for _, test := range []struct {
		name      string
		term      string
		tty, json bool
		shown     bool
	}{
		{"a terminal", "xterm", true, false, true},
		{"a dumb one", "dumb", true, false, false},
		{"a pipe", "xterm", false, false, false},
		{"JSON", "xterm", true, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var said bytes.Buffer
			now := time.Unix(0, 0)
			c := console.New(console.Streams{
				Stdout: &said, Stderr: &said, Now: func() time.Time { now = now.Add(time.Second); return now },
				Getenv: func(name string) string { return map[string]string{"TERM": test.term}[name] },
			})
			c.ErrTTY, c.JSON = test.tty, test.json
			bar := c.Progress("read sessions")
			bar.Step(1, 2)
			bar.Close()
			if (said.Len() > 0) != test.shown {
				t.Errorf("it wrote %q", &said)
			}
		})
	}
}
