package tool

import (
	"context"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/process"
	"github.com/cambium-dev/cambium/message"
)

// bashTool runs a command.
type bashTool struct{}

const (
	bashWords = `Run a command line with bash in the session's directory. Both outputs come back in the order in which they were
written, at most the last 2000 lines or 50 KiB of them; longer output is kept in a file that the result names. The
command has no terminal and nothing to read, and is stopped with all that it started when its time is over. Send the
output of what shall go on in the background to a file.`
	bashForm = `{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command line."},` +
		`"timeout":{"type":"integer","minimum":1,"maximum":86400,"description":"How many seconds it may run; 600 if not given."}` +
		`},"required":["command"],"additionalProperties":false}`
)

// maxTimeout is the longest time that a call may ask for, in seconds.
const maxTimeout = 24 * 60 * 60

// Spec implements Tool.
func (bashTool) Spec() provider.Tool { return spec("bash", bashWords, bashForm) }

// Changes implements Tool.
func (bashTool) Changes() bool { return true }

// Shell implements Shelled.
func (bashTool) Shell(env Env) (process.Shell, error) { return env.shell() }

// Run implements Tool.
func (bashTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	a := readArguments(arguments)
	command := a.text("command")
	seconds := a.whole("timeout", 0, 1, maxTimeout)
	if err := a.err(); err != nil {
		return failed(err)
	}
	if seconds > 0 {
		env.Limit = time.Duration(seconds) * time.Second
	}
	e := Execute(ctx, command, env)
	if e.Err != nil {
		return failed(e.Err)
	}
	text := e.Output
	if text == "" {
		text = "[no output]"
	}
	for _, note := range e.Notes {
		text = notef(text, "%s", note)
	}
	if e.ExitCode != nil && *e.ExitCode != 0 {
		text = notef(text, "exit code %d", *e.ExitCode)
	}
	r := said(text, struct {
		ExitCode       *int64 `json:"exitCode,omitzero"`
		Truncated      bool   `json:"truncated"`
		FullOutputPath string `json:"fullOutputPath,omitzero"`
		DurationMS     int64  `json:"durationMs"`
		Cancelled      bool   `json:"cancelled,omitzero"`
		TimedOut       bool   `json:"timedOut,omitzero"`
	}{e.ExitCode, e.Truncated, clean(e.FullOutputPath), e.Duration.Milliseconds(), e.Cancelled, e.TimedOut})
	r.IsError = e.ExitCode == nil || *e.ExitCode != 0
	return r
}
