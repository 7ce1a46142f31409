// Package problem says how errors end a command: in which words, with what to do about it,
// and with which exit code.
package problem

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cambium-dev/cambium/session"
)

// How the command ends.
const (
	ExitDone        = 0
	ExitFailed      = 1   // I/O, unsaved entries
	ExitUsage       = 2   // the command line
	ExitNotFound    = 3   // no such session or entry
	ExitAmbiguous   = 4   // several sessions match
	ExitDamaged     = 5   // damaged, or not a session
	ExitRefused     = 6   // busy, read-only, newer version, other project
	ExitPartly      = 7   // partly done
	ExitAborted     = 8   // run: stopped by a signal, what was said is saved
	ExitApproval    = 9   // run: a call needs approval
	ExitRepaired    = 10  // doctor: damage was repaired
	ExitInterrupted = 130 // by a signal
)

// ExitHelp says what the exit codes mean.
const ExitHelp = `Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 ambiguous, ` +
	`5 damaged or not a session, 6 refused, 7 partly done, 8 a run was interrupted, 9 a run needs approval, 10 repaired, 130 interrupted.`

// A Problem is an error with all that is printed of it. Commands return one
// where they know more than the error says; [Of] makes one of any other.
type Problem struct {
	// Exit is how the command ends, Text what is said.
	Exit int
	Text string
	// Path, Line and Byte say where it is, if known; Byte is -1 or 0 for no.
	Path string
	Line int
	Byte int64
	// Todo is what to do about it; it ends the message, and is the hint of
	// the JSON form.
	Todo string
	// Hints are printed as lines of their own.
	Hints []string
	// Candidates are paths to choose from.
	Candidates []string
	// Printed says that everything was said already.
	Printed bool
	Err     error
}

// Error returns the message without what to do.
func (p Problem) Error() string { return p.Text }

// Unwrap returns the cause, nil when there is none.
func (p Problem) Unwrap() error { return p.Err }

// Usage returns the error of a wrong command line.
func Usage(format string, args ...any) Problem {
	return Problem{Exit: ExitUsage, Text: fmt.Sprintf(format, args...)}
}

// code names the exit code in the JSON form of an error.
func (p Problem) code() string {
	switch p.Exit {
	case ExitUsage:
		return "usage"
	case ExitNotFound:
		return "notFound"
	case ExitAmbiguous:
		return "ambiguous"
	case ExitDamaged:
		return "damaged"
	case ExitRefused:
		return "refused"
	case ExitPartly:
		return "partly"
	case ExitAborted:
		return "aborted"
	case ExitApproval:
		return "needsApproval"
	case ExitInterrupted:
		return "interrupted"
	}
	return "failed"
}

// namedIn is a name in an error, with the blank before it.
var namedIn = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)

// onceNamed leaves each name in an error where it is first.
func onceNamed(text string) string {
	seen := map[string]bool{}
	return namedIn.ReplaceAllStringFunc(text, func(name string) string {
		if seen[name] {
			return ""
		}
		seen[name] = true
		return name
	})
}

// Message is the text with what to do.
func (p Problem) Message() string {
	text := p.Text
	if errors.Is(p.Err, session.ErrUnsaved) {
		text = onceNamed(text)
	}
	switch {
	case p.Todo == "":
		return text
	case strings.HasSuffix(text, "."): // published texts are sentences
		return text + " " + p.Todo
	}
	return text + "; " + p.Todo
}

// jsonError is an error as --json prints it.
type jsonError struct {
	Error struct {
		Code       string   `json:"code"`
		Message    string   `json:"message"`
		Path       string   `json:"path,omitzero"`
		Line       int      `json:"line,omitzero"`
		Byte       int64    `json:"byte,omitzero"`
		Hint       string   `json:"hint,omitzero"`
		Candidates []string `json:"candidates,omitzero"`
	} `json:"error"`
}

// Form is the problem as --json prints it.
func (p Problem) Form() any {
	var e jsonError
	e.Error.Code, e.Error.Message, e.Error.Path = p.code(), p.Text, p.Path
	e.Error.Line, e.Error.Byte, e.Error.Hint = p.Line, max(p.Byte, 0), p.Todo
	e.Error.Candidates = p.Candidates
	return e
}
