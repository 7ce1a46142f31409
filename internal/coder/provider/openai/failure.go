package openai

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// told returns the error that v tells in the middle of an answer.
func (a *answer) told(v message.JSON) *provider.Error {
	return a.place.Refused(readRefusal(v), a.now)
}

func (a *answer) malformed(detail string) *provider.Error {
	return a.place.Fault(provider.Malformed, detail, nil)
}

func (a *answer) refused(detail string) *provider.Error {
	return a.place.Fault(provider.Refused, detail, nil)
}

// unsendable is a conversation that cannot be read.
func (a *answer) unsendable(err error) *provider.Error {
	return a.place.Fault(provider.Refused, "", err)
}

// stopped returns err, or that the caller stopped where that is why.
func (a *answer) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return a.place.Lost(ctx, err, true)
	}
	return err
}

// broken is an answer that ended early; nil is an end without a word.
func (a *answer) broken(ctx context.Context, err error) *provider.Error {
	if err == nil {
		err = provider.ErrCut
	}
	return a.place.Lost(ctx, err, true)
}

// unanswered returns why there was no answer.
func (a *answer) unanswered(ctx context.Context, err error) error {
	var no *refusal
	if ctx.Err() == nil && errors.As(err, &no) {
		return a.place.Refused(no.read(), a.now)
	}
	return a.place.Lost(ctx, err, false)
}

// reachable reports an address that no request can be sent to.
func (a *answer) reachable() error {
	u, err := url.Parse(address(a.r.Model))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return a.refused("the address of the provider is not one of http or https")
	}
	return nil
}

// A refusal is an answer with a status of an error.
type refusal struct {
	status int
	header http.Header
	body   []byte
}

// Error is the name of the status.
func (r *refusal) Error() string { return http.StatusText(r.status) }

// read returns what the server said. OpenAI and llama.cpp put it into a member
// error, vLLM says it at the top, FastAPI as detail, Ollama as a text; a proxy
// answers with a page.
func (r *refusal) read() provider.Refusal {
	var told provider.Refusal
	body := message.JSON(r.body)
	if valid(body) {
		v, ok := jsonedit.Get(body, "error")
		if !ok || jsonedit.IsNull(v) {
			v = body
		}
		told = readRefusal(v)
		if detail, ok := jsonedit.Text(body, "detail"); ok && told.Message == "" {
			told.Message = detail
		}
	} else {
		told.Message = string(r.body)
	}
	told.Status, told.Header = r.status, r.header
	return told
}

// readRefusal reads an error: an object, or the message alone. Codes are words,
// or the status again.
func readRefusal(v message.JSON) provider.Refusal {
	var told provider.Refusal
	if text, ok := jsonedit.String(v); ok {
		told.Message = text
		return told
	}
	told.Message, _ = jsonedit.Text(v, "message")
	told.Type, _ = jsonedit.Text(v, "type")
	told.Code, _ = jsonedit.Text(v, "code")
	return told
}
