package tool

import (
	"context"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/process"
	"github.com/cambium-dev/cambium/message"
)

// A Tool is something that a model may ask for. It is safe for concurrent use.
type Tool interface {
	// Spec is what the model is told.
	Spec() provider.Tool
	// Changes reports whether a call may change something, so that a person is
	// asked first.
	Changes() bool
	// Run does what a call asks for. Bad arguments, a file that is not there, a
	// command that failed: all of it is a Result with IsError, for the model to
	// read. When ctx ends it stops what it started, by process group, and says
	// what there was.
	Run(ctx context.Context, arguments message.JSON, env Env) Result
}

// A Hinted tool says more of itself than anybody knows.
type Hinted interface {
	// ReadsOnly reports whether the tool is said to change nothing, although
	// Changes does not rule it out. It is no reason not to ask a person.
	ReadsOnly() bool
}

// A Shelled tool has a shell run a command line.
type Shelled interface {
	// Shell finds the shell. The error is one with which Run refuses every call.
	Shell(env Env) (process.Shell, error)
}

// An Env is where a tool works.
type Env struct {
	// Dir is the session's directory, absolute. Relative paths are of it.
	Dir string
	// Outside allows paths outside Dir, symbolic links followed.
	Outside bool
	// Artifact makes a file beside the session for output that is too long, as
	// session.Session.NewArtifact does; nil where there can be none.
	Artifact func(ctx context.Context, tool string) (path string, w io.WriteCloser, err error)
	// ArtifactDir is where those files are, "" for none: what is in it may be
	// looked at even where Outside is not set.
	ArtifactDir string
	// Agreed is the file that a person was asked about, as [TargetOf] found it:
	// a call that comes to another one is refused. nil where nobody was asked.
	Agreed *Target
	// Shell runs command lines: the one that a person was asked about. nil is the one
	// that [process.Bash] finds.
	Shell *process.Shell
	// Environ are the variables of commands, as os.Environ gives them.
	Environ []string
	// Limit is how long a command may run that does not say; 0 is
	// [DefaultLimit].
	Limit time.Duration
	// Update is told of output as it comes, piece by piece, from one goroutine
	// and not after the call has returned; nil means nobody looks.
	Update func(text string)
}

// shell is the shell that runs command lines.
func (e Env) shell() (process.Shell, error) {
	if e.Shell != nil {
		return *e.Shell, nil
	}
	return process.Bash(e.Environ)
}

// DefaultLimit is how long a command may run where nothing else is said.
const DefaultLimit = 10 * time.Minute

// A Result is what a tool did.
type Result struct {
	// Content is for the model: text and pictures.
	Content []message.Block
	// Details are for screens; nil for none. See the tools for their members.
	Details message.JSON
	IsError bool
}
