package coder

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// What calls are answered that are not run.
const (
	wasStopped   = "Not run: stopped by the user."
	wasCut       = "Not run: the answer was cut off at its limit of tokens, so these arguments may not be whole. Ask again, in smaller pieces."
	wasUnwanted  = "Not run: the user did not allow it. Ask what to do instead."
	wasNotAsked  = "Not run: it changes something and nobody can be asked. It is run without asking with the flag --yes."
	wasUnheard   = "Not run: it changes something, and the question whether it may be run got no answer"
	wasRefused   = "Not run: "
	wasMalformed = "Not run: the arguments are not a JSON object: "
	wasAmbiguous = "Not run: the arguments have a name twice, or are nested too deep: "
)

// Sizes and times of calls.
const (
	sideBySide   = 8               // tools that only read run at once
	grace        = 5 * time.Second // that a tool has to end when it is stopped
	malformedMax = 2000            // units of bad arguments are told the model
	mostCalls    = 128             // calls of one answer are run, or asked about
)

// wellFormed makes the arguments of a call an object, as files need them.
func wellFormed(c *message.ToolCall) { c.Arguments = provider.Arguments(string(c.Arguments)) }

// runCalls runs the calls of an answer and appends their results in the order of
// the calls. Tools that only read run side by side with their neighbours; one
// that changes something runs alone. Whatever happens, each call gets a result,
// unless the session can no longer be written. No more than mostCalls are run, or
// asked about. It returns the first tool that
// nobody could be asked about.
func (c *Coder) runCalls(ctx context.Context, cut bool, calls []*message.ToolCall) (unapproved string, err error) {
	calls, rest := calls[:min(len(calls), mostCalls)], calls[min(len(calls), mostCalls):]
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && n < sideBySide && c.onlyReads(calls[0]) && c.onlyReads(calls[n]) {
			n++
		}
		results := make([]*message.ToolResult, n)
		var all sync.WaitGroup
		for i, call := range calls[:n] {
			one := func() {
				r, asked := c.runCall(ctx, cut, call)
				results[i] = r
				if !asked && unapproved == "" {
					unapproved = call.Name // it changes something, so it runs alone
				}
			}
			if n == 1 {
				one()
				break
			}
			all.Go(one)
		}
		all.Wait()
		for _, r := range results {
			if err := c.say(ctx, []entry.JSON{message.Encode(r)}); err != nil {
				return unapproved, err
			}
		}
		calls = calls[n:]
	}
	return unapproved, c.decline(ctx, rest)
}

// decline answers the calls that an answer has beyond what is run, and tells so
// once.
func (c *Coder) decline(ctx context.Context, calls []*message.ToolCall) error {
	if len(calls) == 0 {
		return nil
	}
	c.tell(Notice{Text: fmt.Sprintf("an answer made %d calls: the first %d were taken, the rest were not run", mostCalls+len(calls), mostCalls)})
	why := fmt.Sprintf("Not run: an answer may make %d calls. Make the rest of them in the next one.", mostCalls)
	for _, call := range calls {
		r := c.result(call, tool.Result{Content: texts(why), IsError: true})
		if err := c.say(ctx, []entry.JSON{message.Encode(r)}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Coder) onlyReads(call *message.ToolCall) bool {
	t := c.equipment().tools[call.Name]
	return t != nil && !t.Changes()
}

// runCall runs one call, or says why it was not run; asked is false when that is
// because nobody could be asked. What a person is asked about and what the tool
// gets is one value, and so is the directory.
func (c *Coder) runCall(ctx context.Context, cut bool, call *message.ToolCall) (r *message.ToolResult, asked bool) {
	t := c.equipment().tools[call.Name]
	bad, broken := provider.MalformedArguments(call)
	env := c.env(call.ID, call.Name)
	made, unshown := consent.Of(call.Name, env.Dir, jsontext.Value(call.Arguments))
	var why string
	switch {
	case ctx.Err() != nil:
		why = wasStopped
	case cut:
		why = wasCut
	case t == nil:
		why = fmt.Sprintf("Not run: there is no tool %q. There are: %s.", call.Name, c.toolNames())
	case broken:
		why = wasMalformed
		if v := entry.JSON(bad); jsonedit.Kind(v) == jsontext.KindBeginObject && jsontext.Value(v).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			why = wasAmbiguous
		}
		why += jsonedit.CutText(bad, malformedMax)
	case unshown != nil:
		why = wasRefused + unshown.Error() + "."
	case t.Changes():
		if why, asked = c.consented(ctx, t, call.ID, made, &env); !asked {
			return c.result(call, tool.Result{Content: texts(why), IsError: true}), false
		}
	}
	if why != "" {
		return c.result(call, tool.Result{Content: texts(why), IsError: true}), true
	}
	c.tell(ToolStart{call.ID, made.Tool, entry.JSON(made.Arguments)})
	result := c.runTool(ctx, t, made, env)
	c.tell(ToolEnd{call.ID, call.Name, result.Content, result.Details, result.IsError})
	return c.result(call, result), true
}

func texts(text string) []message.Block { return []message.Block{&message.TextBlock{Text: text}} }

// result returns the message of a tool's result, which is never empty: providers
// refuse that.
func (c *Coder) result(call *message.ToolCall, r tool.Result) *message.ToolResult {
	if len(r.Content) == 0 {
		r.Content = texts("(no output)")
	}
	return &message.ToolResult{
		ToolCallID: call.ID, ToolName: call.Name, Content: message.BlockContent(r.Content...),
		Details: r.Details, IsError: r.IsError, Timestamp: c.opt.Now().UnixMilli(),
	}
}

// runTool runs a tool. One that does not end when it is stopped is left behind
// after a while, and one that panics fails.
func (c *Coder) runTool(ctx context.Context, t tool.Tool, call consent.Call, env tool.Env) tool.Result {
	var over atomic.Bool // one that was left behind is not heard any more
	defer over.Store(true)
	tell := env.Update
	env.Update = func(text string) {
		if !over.Load() {
			tell(text)
		}
	}
	ended := make(chan tool.Result, 1)
	go func() {
		r := tool.Result{Content: texts(fmt.Sprintf("The tool %s broke.", call.Tool)), IsError: true}
		defer func() {
			if p := recover(); p != nil {
				r.Content = texts(fmt.Sprintf("The tool %s broke: %v", call.Tool, p))
			}
			ended <- r
		}()
		r = t.Run(ctx, message.JSON(call.Arguments), env)
	}()
	select {
	case r := <-ended:
		return c.stoppedResult(ctx, r)
	case <-ctx.Done():
	}
	late, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	left := make(chan error, 1)
	go func() { left <- c.opt.Wait(late, grace) }()
	select {
	case r := <-ended:
		return c.stoppedResult(ctx, r)
	case <-left:
		return tool.Result{Content: texts("Stopped by the user. The tool did not end, and was left behind."), IsError: true}
	}
}

// stoppedResult marks a result that came when the prompt was stopped.
func (c *Coder) stoppedResult(ctx context.Context, r tool.Result) tool.Result {
	if ctx.Err() != nil && !r.IsError {
		r.IsError = true
		r.Content = append(r.Content, &message.TextBlock{Text: "(stopped by the user)"})
	}
	return r
}
