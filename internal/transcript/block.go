package transcript

import (
	"iter"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
)

// A Kind says what a block of a message is.
type Kind uint8

// The kinds of blocks.
const (
	// Text is what is said: a prompt, an answer, a summary.
	Text Kind = iota
	// Instruction is what a program tells the model.
	Instruction
	// Thinking is reasoning.
	Thinking
	// Withheld is reasoning that is not shown, Encrypted what the provider encrypted.
	Withheld
	Encrypted
	// Fallback says that another model took over.
	Fallback
	// Call is the call of a tool, with its Name and Arguments.
	Call
	// Result is what a tool answered.
	Result
	// Command is what a person ran; its Name is the prompt before it.
	Command
	// Output is what a command put out.
	Output
	// Picture is an Image.
	Picture
	// Mention is a File that a person named.
	Mention
	// Failure is what went wrong with an answer.
	Failure
	// Stop is the reason why an answer ended early.
	Stop
	// Stored is a message, and Piece a block, that has no form but the stored one.
	Stored
	Piece
)

// A Block is a part of what a message says.
type Block struct {
	Kind Kind
	// Name is the tool of a Call, or the prompt of a Command.
	Name string
	// ID is that of a Call.
	ID string
	// Text is what the block says, if that is text.
	Text string
	// Arguments are those of a Call.
	Arguments entry.JSON
	Image     *message.Image
	File      *message.File
}

// Said returns what a block says, without what Rest adds.
func (b Block) Said() string {
	switch b.Kind {
	case Withheld:
		return "(reasoning that is not shown)"
	case Encrypted:
		return "(reasoning that the provider encrypted)"
	case Fallback:
		return "(another model took over)"
	case Call:
		return "→ " + term.Line(b.Name)
	case Command:
		return b.Name + strings.ReplaceAll(b.Text, "\n", "\n"+strings.Repeat(" ", len(b.Name)))
	case Picture:
		text, _ := PictureOf(b.Image)
		return text
	case Mention:
		return "@" + b.File.Path + "  " + sizeOf(b.File)
	case Failure:
		return "error: " + b.Text
	case Stop:
		return "(" + b.Text + ")"
	}
	return b.Text
}

// Rest yields what a block says besides: the arguments of a call, the content of a
// file.
func (b Block) Rest() iter.Seq[string] {
	return func(yield func(string) bool) {
		if b.Kind == Mention {
			yield(b.File.Content)
		}
		for key, text := range b.Args() {
			if !yield("    " + key + ": " + strings.ReplaceAll(text, "\n", "\n    ")) {
				return
			}
		}
	}
}

// Args yields the arguments of a call as texts, by name.
func (b Block) Args() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for key, value := range jsonedit.Members(b.Arguments) {
			text, ok := jsonedit.String(value)
			if !ok {
				text = string(value)
			}
			if !yield(key, text) {
				return
			}
		}
	}
}

// Plain returns all that blocks say, one after the other.
func Plain(blocks []Block) string {
	var out strings.Builder
	add := func(text string) {
		out.WriteString(strings.TrimRight(term.Safe(text), "\n \t"))
		out.WriteByte('\n')
	}
	for _, b := range blocks {
		if b.Kind == Output && strings.TrimSpace(b.Text) == "" {
			continue
		}
		add(b.Said())
		for text := range b.Rest() {
			add(text)
		}
	}
	return out.String()
}
