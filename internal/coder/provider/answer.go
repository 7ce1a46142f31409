package provider

import (
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/message"
)

// An Answer gathers what a model streams, tells each piece as it comes, and is
// the message in the end. It is not safe for concurrent use.
type Answer struct {
	// Message is the answer but for its content, usage and stop reason.
	Message message.Assistant
	// Usage is what was told of it until now; the cost is added at the end.
	Usage message.Usage

	request Request
	tell    func(Event)
	parts   []*part
	size    int // of all that is kept
	ids     map[string]bool
}

// part is a block that comes in pieces.
type part struct {
	block  message.Block
	text   strings.Builder
	proof  strings.Builder // of reasoning, see [Answer.Sign]
	closed bool
	gone   bool // it is not kept
}

// Begin returns the empty answer to r, begun at a time. Nothing is told before
// [Answer.Start].
func Begin(r Request, at time.Time, tell func(Event)) *Answer {
	a := &Answer{request: r, tell: tell, ids: map[string]bool{}}
	a.Message.API = string(r.Model.API)
	a.Message.Provider = r.Model.Provider
	a.Message.Model = r.Model.ID
	a.Message.Timestamp = at.UnixMilli()
	return a
}

// Start tells that the answer begins.
func (a *Answer) Start() { a.emit(Event{Kind: Start}) }

func (a *Answer) emit(e Event) {
	if a.tell != nil {
		a.tell(e)
	}
}

// kinds returns the kinds of events about a block, "" for a block of which
// nothing is told.
func kinds(b message.Block) (start, delta, end Kind) {
	switch b.(type) {
	case *message.TextBlock:
		return TextStart, TextDelta, TextEnd
	case *message.Thinking:
		return ThinkingStart, ThinkingDelta, ThinkingEnd
	case *message.ToolCall:
		return CallStart, CallDelta, CallEnd
	}
	return "", "", ""
}

// Open begins a block and returns its number. The text of b, its reasoning or
// its arguments are those that are added; b keeps the rest.
func (a *Answer) Open(b message.Block) int {
	a.parts = append(a.parts, &part{block: b})
	a.size += weight(b)
	i := len(a.parts) - 1
	if start, _, _ := kinds(b); start != "" {
		a.emit(Event{Kind: start, Index: i, Block: b})
	}
	return i
}

// Add adds a piece of text, reasoning or arguments to the block i.
func (a *Answer) Add(i int, delta string) {
	p := a.parts[i]
	if delta == "" || p.closed {
		return
	}
	p.text.WriteString(delta)
	a.size += len(delta)
	if _, kind, _ := kinds(p.block); kind != "" {
		a.emit(Event{Kind: kind, Index: i, Delta: delta})
	}
}

// Sign adds a piece to the proof of the block i, if that is reasoning.
func (a *Answer) Sign(i int, more string) {
	p := a.parts[i]
	if _, ok := p.block.(*message.Thinking); ok && !p.closed {
		p.proof.WriteString(more)
		a.size += len(more)
	}
}

// Block returns the block i, to be completed before it is closed, and the text
// that was added to it until now.
func (a *Answer) Block(i int) (message.Block, string) {
	return a.parts[i].block, a.parts[i].text.String()
}

// Close ends the block i; closing it again does nothing.
func (a *Answer) Close(i int) {
	p := a.parts[i]
	if p.closed {
		return
	}
	p.closed = true
	a.size += weight(p.block)
	if call, ok := p.block.(*message.ToolCall); ok {
		a.name(call)
	}
	p.fill()
	if _, _, end := kinds(p.block); end != "" {
		a.emit(Event{Kind: end, Index: i, Block: p.block})
	}
}

// fill gives the block what was added to it.
func (p *part) fill() {
	switch b := p.block.(type) {
	case *message.TextBlock:
		b.Text = p.text.String()
	case *message.Thinking:
		b.Thinking = p.text.String()
		b.ThinkingSignature += p.proof.String()
		p.proof.Reset()
	case *message.ToolCall:
		b.Arguments = Arguments(p.text.String())
	}
}

// Calling reports whether a call has begun and not ended.
func (a *Answer) Calling() bool {
	return slices.ContainsFunc(a.parts, func(p *part) bool {
		_, call := p.block.(*message.ToolCall)
		return call && !p.closed
	})
}

// Done closes what is open and returns the whole answer.
func (a *Answer) Done(stop message.StopReason) *message.Assistant {
	for i := range a.parts {
		a.Close(i)
	}
	return a.finish(stop)
}

// Broke returns what had come of the answer, and err: calls whose arguments are
// not whole are left out. The stop reason is aborted if err is Stopped, else
// error with the error's text.
func (a *Answer) Broke(err *Error) (*message.Assistant, error) {
	kept := a.parts[:0]
	for _, p := range a.parts {
		if _, call := p.block.(*message.ToolCall); call && !p.closed || p.gone {
			continue
		}
		if !p.closed {
			p.fill()
		}
		kept = append(kept, p)
	}
	a.parts = kept
	stop := message.Error
	if err.Cause == Stopped {
		stop = message.Aborted
	}
	m := a.finish(stop)
	m.ErrorMessage = err.Error()
	return m, err
}

func (a *Answer) finish(stop message.StopReason) *message.Assistant {
	m := &a.Message
	for _, said := range []*string{&m.ResponseID, &m.ResponseModel, &m.RawStopReason} {
		*said = clip(*said, maxWord)
	}
	m.Content = []message.Block{}
	for _, p := range a.parts {
		if !hollow(p.block) {
			m.Content = append(m.Content, p.block)
		}
	}
	Spend(&a.Usage, a.request.Model)
	m.Usage = &a.Usage
	m.StopReason = stop
	return m
}

// hollow says that a block holds nothing.
func hollow(b message.Block) bool {
	switch b := b.(type) {
	case *message.TextBlock:
		return b.Text == ""
	case *message.Thinking:
		return b.Thinking == "" && b.ThinkingSignature == ""
	}
	return false
}
