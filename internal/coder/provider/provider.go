package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// A Provider asks models over one protocol. It is safe for concurrent use.
type Provider interface {
	// Stream asks once and tells what comes, in order, from the goroutine of the
	// caller. It returns the whole answer.
	//
	// Where the answer broke, was refused or could not be understood, the error
	// is an *[Error] and the message is what had come until then, with the stop
	// reason error, or aborted when ctx has ended; it is not nil even when
	// nothing came. Usage and cost are whole in any case: zeros where the
	// provider said nothing.
	Stream(ctx context.Context, r Request, tell func(Event)) (*message.Assistant, error)
}

// A Request is one question to a model.
type Request struct {
	Model model.Model
	// Key authorises it; "" sends none.
	Key string
	// System is the system prompt.
	System string
	// Messages are of the roles user, assistant and toolResult, cleaned, as
	// session.Session.LLM gives them.
	Messages []message.JSON
	// Tools may be called.
	Tools []Tool
	// Thinking is a level that the model has, "off" or "" for none.
	Thinking string
	// Budgets are the tokens to think with, for models that are asked by number.
	Budgets model.Budget
	// MaxTokens is the most that may be answered; 0 is what the model can.
	MaxTokens int
	// SessionID names the conversation for the provider's cache; "" names none.
	SessionID string
}

// A Tool is what a model is told of a tool.
type Tool struct {
	Name, Description string
	// Parameters is a JSON Schema of the arguments, an object.
	Parameters message.JSON
}

// A Kind says what an [Event] tells.
type Kind string

// The kinds of events, named as pi 0.87.1 and omp 18.2.3 name them.
const (
	Start         Kind = "start"
	TextStart     Kind = "text_start"
	TextDelta     Kind = "text_delta"
	TextEnd       Kind = "text_end"
	ThinkingStart Kind = "thinking_start"
	ThinkingDelta Kind = "thinking_delta"
	ThinkingEnd   Kind = "thinking_end"
	CallStart     Kind = "toolcall_start"
	CallDelta     Kind = "toolcall_delta"
	CallEnd       Kind = "toolcall_end"
)

// An Event is a piece of an answer.
type Event struct {
	Kind Kind
	// Index is the block's number in the answer.
	Index int
	// Delta is the piece of text, reasoning or arguments that was added.
	Delta string
	// Block is the block that begins or ends; at its beginning it may be empty.
	Block message.Block
}

// A Cause says what went wrong with a request.
type Cause string

// The causes. Overflow is a conversation that does not fit the model; Busy,
// Broken and Unreachable are worth another try after a while.
const (
	Refused      Cause = "refused"      // 400, 404, 413 and the like
	Unauthorized Cause = "unauthorized" // 401, 403
	Overflow     Cause = "overflow"
	Busy         Cause = "busy"        // 408, 409, 429, 5xx, overloaded
	Broken       Cause = "broken"      // the connection ended early
	Unreachable  Cause = "unreachable" // no connection
	Malformed    Cause = "malformed"   // an answer that cannot be understood
	Stopped      Cause = "aborted"     // by the caller
)

// An Error says why a model did not answer.
type Error struct {
	Cause Cause
	// Provider and Model were asked, at Host.
	Provider, Model, Host string
	// Status is that of HTTP, 0 for none.
	Status int
	// Detail is the provider's own word, in one line.
	Detail string
	// RetryAfter is how long to wait at least, by the provider's word.
	RetryAfter time.Duration
	Err        error
}

// Error says who did not answer, and why.
func (e *Error) Error() string {
	what := string(e.Cause)
	if e.Status != 0 {
		what = fmt.Sprintf("%s (%d)", what, e.Status)
	}
	detail := e.Detail
	if detail == "" && e.Err != nil {
		detail = e.Err.Error()
	}
	return fmt.Sprintf("ask %s/%s at %s: %s: %s", e.Provider, e.Model, e.Host, what, detail)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retry reports whether the same request may succeed after a while.
func (e *Error) Retry() bool {
	return e.Cause == Busy || e.Cause == Broken || e.Cause == Unreachable
}
