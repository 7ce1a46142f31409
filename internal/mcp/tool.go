package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of what a model is told of a tool, in bytes.
const (
	maxSchema      = 64 << 10
	maxDescription = 8 << 10
	maxOwnName     = 256     // as the server knows it
	maxSpecs       = 1 << 20 // of all tools of a server
)

// A remote is a tool of a server.
type remote struct {
	s     *server
	name  string // as the server knows it
	spec  provider.Tool
	reads bool
}

var _ tool.Hinted = (*remote)(nil)

// tool makes a tool of what a server told; nil for what no model takes.
func (s *server) tool(t *sdk.Tool) *remote {
	if t == nil || t.Name == "" || len(t.Name) > maxOwnName {
		return nil
	}
	form, err := json.Marshal(t.InputSchema, json.Deterministic(true))
	schema := message.JSON(form)
	if err != nil || jsonedit.Kind(schema) != '{' || len(form) > maxSchema || !provider.Whole(schema) {
		return nil
	}
	if kind, _ := jsonedit.Text(schema, "type"); kind != "object" {
		return nil
	}
	words := t.Description
	if words == "" {
		words = t.Title
	}
	return &remote{
		s: s, name: t.Name, reads: t.Annotations != nil && t.Annotations.ReadOnlyHint,
		spec: provider.Tool{
			Name: toolName(s.prefix, t.Name), Description: jsonedit.CutText(plain(words), maxDescription), Parameters: schema,
		},
	}
}

// Spec is what the model is told.
func (r *remote) Spec() provider.Tool { return r.spec }

// Changes is true: nobody knows what the server does.
func (r *remote) Changes() bool { return true }

// ReadsOnly reports whether the server says that the tool changes nothing.
func (r *remote) ReadsOnly() bool { return r.reads }

// errLate is why a call ended that took too long.
var errLate = errors.New("its time is over")

// Run asks the server. The time limit is that of commands.
func (r *remote) Run(ctx context.Context, arguments message.JSON, env tool.Env) tool.Result {
	session := r.s.live()
	if session == nil {
		return r.failed("is gone")
	}
	limit := env.Limit
	if limit <= 0 {
		limit = tool.DefaultLimit
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLate)
	defer stop()
	if len(arguments) == 0 {
		arguments = message.JSON("{}")
	}
	type answer struct {
		r   *sdk.CallToolResult
		err error
	}
	r.s.meter.asked()
	got := make(chan answer, 1)
	go func() { // a server that does not read holds up who writes
		res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: r.name, Arguments: rawArguments(arguments)})
		got <- answer{res, err}
	}()
	var a answer
	select {
	case a = <-got:
	case <-r.s.over:
		select {
		case a = <-got:
		default:
			a.err = errors.New("it is gone")
		}
	case <-ctx.Done():
		a.err = context.Cause(ctx)
	}
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errLate):
		return r.failed(fmt.Sprintf("did not answer within %v, the time limit of a call", limit))
	case ctx.Err() != nil:
		return r.failed("was not waited for: stopped by the user")
	case a.err != nil && r.s.live() == nil:
		return r.failed("is gone: it ended while it was asked")
	case a.err != nil:
		return r.failed("answered with an error: " + jsonedit.CutText(oneLine(a.err.Error()), 2000))
	}
	return result(ctx, r, a.r, env)
}

// rawArguments passes arguments on as they are.
type rawArguments message.JSON

// MarshalJSON returns them.
func (r rawArguments) MarshalJSON() ([]byte, error) { return r, nil }

// failed is the result of a call of which nothing came.
func (r *remote) failed(why string) tool.Result {
	text := fmt.Sprintf("The MCP server %q %s.", r.s.Name, strings.TrimSuffix(why, "."))
	return tool.Result{Content: []message.Block{&message.TextBlock{Text: clean(text)}}, IsError: true, Details: r.details(nil)}
}

// details say who was asked, and what it answered for programs.
func (r *remote) details(structured message.JSON) message.JSON {
	o := new(jsonedit.Object).String("server", clean(r.s.Name)).String("tool", clean(r.name))
	if structured != nil {
		o.Add("structuredContent", structured)
	}
	return o.Value()
}

// clean makes text fit for a model and for JSON: what is not UTF-8 becomes
// U+FFFD, and so does NUL, which providers refuse.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// plain is clean text without characters that are commands or invisible.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, clean(text))
}
