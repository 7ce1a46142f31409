package chat

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/tui/theme"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Options say what a chat is made of. Library and Host are needed.
type Options struct {
	// Library is the sessions that a person reaches.
	Library *work.Library
	// Host is the command that shows the chat.
	Host Host
	// Prompt is what is said first, "" for nothing.
	Prompt string
	// Prompts say where the prompts are that were typed before.
	Prompts prompts.Options
	// Editor is the command of the person's own editor, "" for none.
	Editor string
}

// A Terminal is what a chat is shown on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env are the variables that say what the terminal can do.
	Env []string
	// Depth is how many colours it has. ASCII says that it has no other characters.
	Depth theme.Depth
	ASCII bool
	// Lapse is how long a key that has to be pressed twice waits for the second time.
	Lapse time.Duration
	// Wrap, if not nil, is put around the screen.
	Wrap func(tea.Model) tea.Model
}

// Lapse is the usual one of [Terminal].
const Lapse = 3 * time.Second

// theme is how the screen looks.
func (t Terminal) theme(dark bool) theme.Theme { return theme.New(t.Depth, dark) }

// shown is a screen as the terminal can show it.
func (t Terminal) shown(v tea.View) tea.View {
	if t.ASCII {
		v.Content = term.ASCII(v.Content)
	}
	return v
}

// A Host is the command that shows a chat: it does what the chat cannot know. Its
// methods are called by several goroutines.
type Host interface {
	// Make makes the agent. It is not started, and nothing is opened yet.
	Make(Ears) (Agent, error)
	// Find returns the path of the session that a person names, which is there.
	Find(ctx context.Context, name string) (path string, err error)
	// Explain says what an error means to a person.
	Explain(err error) Explanation
	// Pictures reads pictures, all or none.
	Pictures(all []Picture) ([]*message.Image, error)
	// Browser returns the sessions as a screen, which sends what it finds to send.
	Browser(ctx context.Context, how picker.Options, send func(tea.Msg)) Browser
	// Tree returns the tree of the session at a path as a screen, with the cursor on
	// the entry at, "" for the leaf, and its first message. It reads the session.
	Tree(ctx context.Context, path, at string, th theme.Theme) (tree Screen, first tea.Msg)
	// Again is the command line that goes on with a session, with what it is for; ""
	// where none can be written.
	Again(s *session.Session) string
}

// Ears are what a chat hears with. All are safe for concurrent use.
type Ears struct {
	// Furnish makes the agent one that is seen on the screen.
	Furnish func(*coder.Options)
	// Heard is told what happens to the session.
	Heard func(session.Event)
	// Note is told what is worth knowing.
	Note func(work.Note)
}

// An Agent is one that a host made.
type Agent struct {
	Coder *coder.Coder
	// Models are those that may be chosen.
	Models Models
	// Environ are the variables of programs that are started.
	Environ []string
	// NoModel says what to do where no model can be asked.
	NoModel Explanation
	// Start opens the session and starts the agent in it.
	Start func(ctx context.Context) error
}

// Models are the models that may be chosen.
type Models interface {
	coder.Registry
	// All lists them.
	All() []model.Model
	// Available reports whether one can be asked.
	Available(m replay.Model) bool
	// Resolve returns the model that a person names, and the thinking level behind
	// its name, "" for none.
	Resolve(name string) (m model.Model, level string, err error)
}

// An Explanation is an error in a person's words.
type Explanation struct {
	// Text says what went wrong, Todo what to do about it, "" for nothing.
	Text, Todo string
	// Choices are sessions that may be meant, a line each.
	Choices []string
}

// told is the explanation as a line; what is what was tried, "" for nothing.
func (x Explanation) told(what string) chatview.Told {
	text := x.Text
	if what != "" {
		text = what + ": " + text
	}
	if x.Todo != "" {
		text += "; " + x.Todo
	}
	return chatview.Told{Text: text, Bad: true}
}

// A Picture is a file that a person names as a picture.
type Picture = work.Picture

// A Screen is shown in the place of the conversation.
type Screen interface {
	// Update takes a message.
	Update(tea.Msg) tea.Cmd
	// View draws the screen.
	View() tea.View
	// Close lets go of what was read, by the command; nil for nothing.
	Close() tea.Cmd
}

// A Browser is the screen with the sessions.
type Browser interface {
	Screen
	// SetTheme has it look like that.
	SetTheme(theme.Theme)
	// Feed brings it sessions until ctx ends.
	Feed(ctx context.Context)
	// At is the path of the session whose tree it shows.
	At() string
}
