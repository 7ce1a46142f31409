package coder

import (
	"fmt"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
)

// An Event is something that happened. The types of this package are all there
// are; doc/run.md says what programs may rely on.
type Event interface {
	// JSON returns the event as one line of JSON, without newline. Its member
	// type comes first.
	JSON() entry.JSON
}

// A Begun tells which session the prompt is for.
type Begun struct {
	ID, Path, CWD, Agent string
	// Provider and Model are asked, with the level Thinking.
	Provider, Model, Thinking string
	// Messages is how many the model sees already.
	Messages int
}

// JSON returns the event "session".
func (e Begun) JSON() entry.JSON {
	o := kind("session").String("id", e.ID)
	optional(o, "path", e.Path)
	o.String("cwd", e.CWD).String("agent", e.Agent).String("provider", e.Provider).String("modelId", e.Model)
	return o.String("thinkingLevel", e.Thinking).Int("messages", int64(e.Messages)).Value()
}

// An AgentStart tells that a prompt begins.
type AgentStart struct{}

// JSON returns the event "agent_start".
func (AgentStart) JSON() entry.JSON { return kind("agent_start").Value() }

// A TurnStart tells that the model is asked. Turns of a prompt count from 1.
type TurnStart struct{ Turn int }

// JSON returns the event "turn_start".
func (e TurnStart) JSON() entry.JSON {
	return kind("turn_start").Int("turn", int64(e.Turn)).Value()
}

// A MessageStart tells that a message begins. Message is all of it, except for
// an answer, of which it has the role alone; so has the line of JSON of all.
type MessageStart struct{ Message entry.JSON }

// JSON returns the event "message_start".
func (e MessageStart) JSON() entry.JSON {
	role, _ := jsonedit.Text(e.Message, "role")
	return kind("message_start").Add("message", new(jsonedit.Object).String("role", role).Value()).Value()
}

// A MessageUpdate tells what came of an answer.
type MessageUpdate struct{ provider.Event }

// JSON returns the event "message_update". The block is there when it ends.
func (e MessageUpdate) JSON() entry.JSON {
	o := kind(string(e.Kind)).Int("contentIndex", int64(e.Index))
	switch e.Kind {
	case provider.TextDelta, provider.ThinkingDelta, provider.CallDelta:
		o.String("delta", e.Delta)
	case provider.TextEnd, provider.ThinkingEnd, provider.CallEnd, provider.CallStart:
		if e.Block != nil {
			o.Add("block", message.EncodeBlock(e.Block))
		}
	}
	return kind("message_update").Add("assistantMessageEvent", o.Value()).Value()
}

// A MessageEnd tells that a message was appended.
type MessageEnd struct {
	Message entry.JSON
	EntryID entry.ID
}

// JSON returns the event "message_end".
func (e MessageEnd) JSON() entry.JSON {
	return kind("message_end").String("entryId", e.EntryID).Add("message", e.Message).Value()
}

// A ToolStart tells that a tool is run.
type ToolStart struct {
	CallID, Tool string
	Arguments    entry.JSON
}

// JSON returns the event "tool_execution_start".
func (e ToolStart) JSON() entry.JSON {
	return call("tool_execution_start", e.CallID, e.Tool).Add("args", e.Arguments).Value()
}

// A ToolUpdate tells what a tool has put out.
type ToolUpdate struct{ CallID, Tool, Text string }

// JSON returns the event "tool_execution_update".
func (e ToolUpdate) JSON() entry.JSON {
	return call("tool_execution_update", e.CallID, e.Tool).String("text", e.Text).Value()
}

// A ToolEnd tells how a tool ended.
type ToolEnd struct {
	CallID, Tool string
	Content      []message.Block
	Details      entry.JSON
	IsError      bool
}

// JSON returns the event "tool_execution_end".
func (e ToolEnd) JSON() entry.JSON {
	var content jsonedit.Array
	for _, b := range e.Content {
		content.Add(message.EncodeBlock(b))
	}
	var result jsonedit.Object
	result.Add("content", content.Value()).Add("details", e.Details)
	return call("tool_execution_end", e.CallID, e.Tool).Add("result", result.Value()).Bool("isError", e.IsError).Value()
}

// A TurnEnd tells how a turn ended.
type TurnEnd struct {
	Turn  int
	Stop  message.StopReason
	Calls int
}

// JSON returns the event "turn_end".
func (e TurnEnd) JSON() entry.JSON {
	return kind("turn_end").Int("turn", int64(e.Turn)).String("stopReason", string(e.Stop)).Int("toolCalls", int64(e.Calls)).Value()
}

// A Retrying tells that a try broke and that the model is asked again. What was
// told of the message since its start counts for nothing.
type Retrying struct {
	// Try is the one that broke, of Tries.
	Try, Tries int
	After      time.Duration
	Cause      provider.Cause
	Err        string
}

// JSON returns the event "retry".
func (e Retrying) JSON() entry.JSON {
	return kind("retry").Int("attempt", int64(e.Try)).Int("maxAttempts", int64(e.Tries)).
		Int("delayMs", e.After.Milliseconds()).String("cause", string(e.Cause)).String("errorMessage", e.Err).Value()
}

// A CompactionStart tells that the session is compacted, and why: "threshold" or
// "overflow".
type CompactionStart struct{ Reason string }

// JSON returns the event "compaction_start".
func (e CompactionStart) JSON() entry.JSON {
	return kind("compaction_start").String("reason", e.Reason).Value()
}

// A CompactionProgress tells that the model is asked for part of a summary that
// takes several requests: Part of them, from 1, of Parts, about.
type CompactionProgress struct{ Part, Parts int }

// JSON returns the event "compaction_progress".
func (e CompactionProgress) JSON() entry.JSON {
	return kind("compaction_progress").Int("part", int64(e.Part)).Int("parts", int64(e.Parts)).Value()
}

// A CompactionEnd tells how that ended. EntryID is "" where nothing was summed
// up: a hook had cancelled it, it was enough to cut so many results of tools
// (Pruned), there was nothing to do, or it failed, which Err says.
type CompactionEnd struct {
	Reason                    string
	EntryID                   entry.ID
	TokensBefore, TokensAfter int
	Pruned                    int
	Cancelled                 bool
	Err                       string
}

// JSON returns the event "compaction_end".
func (e CompactionEnd) JSON() entry.JSON {
	o := kind("compaction_end").String("reason", e.Reason)
	if e.EntryID != "" {
		o.String("entryId", e.EntryID).Int("tokensBefore", int64(e.TokensBefore)).Int("tokensAfter", int64(e.TokensAfter))
	}
	if e.Pruned > 0 {
		o.Int("pruned", int64(e.Pruned))
	}
	if e.Cancelled {
		o.Bool("cancelled", true)
	}
	return optional(o, "errorMessage", e.Err).Value()
}

// A Notice is a line that a person should read.
type Notice struct{ Text string }

// JSON returns the event "notice".
func (e Notice) JSON() entry.JSON { return kind("notice").String("text", e.Text).Value() }

// A Cleaned tells how what a model is sent differs from what is stored, which
// keeps its bytes: what was cleaned so that no provider refuses it, and how many
// messages were left out that cannot be understood. It is told when it changes.
type Cleaned struct {
	replay.Cleaned
	Unread int
}

// JSON returns the event "cleaned".
func (e Cleaned) JSON() entry.JSON {
	o := kind("cleaned")
	for _, n := range e.counts() {
		if n.count > 0 {
			o.Int(n.name, int64(n.count))
		}
	}
	return o.Value()
}

// String says it in words.
func (e Cleaned) String() string {
	var all []string
	for _, n := range e.counts() {
		if n.count > 0 {
			all = append(all, fmt.Sprintf("%s: %d", n.what, n.count))
		}
	}
	return "the model is sent something else than is stored: " + strings.Join(all, "; ")
}

// cleaning is a number of a [Cleaned].
type cleaning struct {
	name, what string
	count      int
}

func (e Cleaned) counts() []cleaning {
	return []cleaning{
		{"surrogates", "characters that are none, replaced", e.Surrogates},
		{"names", "names of tools, without control characters", e.Names},
		{"blobs", "pictures that are not in the store, left out", e.Blobs},
		{"clipped", "results of tools, cut", e.Clipped},
		{"unread", "messages that cannot be understood, left out", e.Unread},
	}
}

// An Approval tells what was said to a call that changes something: "yes",
// "always", "no", or "nobody" when nobody could be asked.
type Approval struct{ CallID, Tool, Answer string }

// JSON returns the event "approval".
func (e Approval) JSON() entry.JSON {
	return call("approval", e.CallID, e.Tool).String("answer", e.Answer).Value()
}

// A Failure tells what ended the prompt before its time. Cause is that of a
// provider.Error, "" for others.
type Failure struct {
	Err    string
	Cause  provider.Cause
	Status int
}

// JSON returns the event "error".
func (e Failure) JSON() entry.JSON {
	o := optional(kind("error").String("errorMessage", e.Err), "cause", string(e.Cause))
	if e.Status != 0 {
		o.Int("status", int64(e.Status))
	}
	return o.Value()
}

// An AgentEnd tells how the prompt ended. It is the last event of a prompt.
type AgentEnd struct{ Outcome }

// JSON returns the event "agent_end".
func (e AgentEnd) JSON() entry.JSON {
	o := kind("agent_end").String("stopReason", string(e.Stop)).String("text", e.Text)
	if e.Unapproved != "" {
		o.String("needsApproval", e.Unapproved)
	}
	var u jsonedit.Object
	u.Number("input", e.Usage.Input).Number("output", e.Usage.Output).Number("cacheRead", e.Usage.CacheRead).
		Number("cacheWrite", e.Usage.CacheWrite).Number("cost", e.Usage.Cost)
	return o.Int("turns", int64(e.Turns)).Add("usage", u.Value()).Value()
}

func kind(name string) *jsonedit.Object { return new(jsonedit.Object).String("type", name) }

func call(name, id, tool string) *jsonedit.Object {
	return kind(name).String("toolCallId", id).String("toolName", tool)
}

// optional adds a member that is not empty.
func optional(o *jsonedit.Object, key, value string) *jsonedit.Object {
	if value != "" {
		o.String(key, value)
	}
	return o
}

// tell tells an event.
func (c *Coder) tell(e Event) {
	if c.opt.Tell == nil {
		return
	}
	c.telling.Lock()
	defer c.telling.Unlock()
	c.opt.Tell(e)
}
