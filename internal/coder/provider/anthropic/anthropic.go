package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// base is the vendor's own address.
const base = "https://api.anthropic.com"

// Options are what a provider needs of the world.
type Options struct {
	// Transport carries requests; nil is one of the provider's own.
	Transport http.RoundTripper
	// Limits bound what is taken of an answer.
	Limits provider.Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

type anthropic struct {
	client *http.Client
	now    func() time.Time
}

// New returns a provider that speaks Anthropic Messages. Nothing is read from the
// environment, and nothing is tried twice.
func New(opt Options) provider.Provider {
	p := &anthropic{client: provider.Client(opt.Transport, opt.Limits), now: opt.Now}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// Stream asks once; see provider.Provider.
func (p *anthropic) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	place := provider.At(r, base)
	answer := provider.Begin(r, p.now(), tell)
	body, err := body(r)
	if err != nil {
		return answer.Broke(place.Fault(provider.Refused, "", err))
	}
	answer.Message.ProviderThinkingLevel = effort(r)
	res, err := p.post(ctx, r, body)
	if err != nil {
		return answer.Broke(place.Lost(ctx, err, false))
	}
	defer func() { _ = res.Body.Close() }() // only read
	if err := p.unfit(ctx, place, res); err != nil {
		return answer.Broke(err)
	}
	s := &stream{answer: answer, request: r, blocks: map[int64]*block{}}
	return p.read(ctx, place, s, res)
}

// post sends the request. An address may end with "/v1", as other programs have it.
func (p *anthropic) post(ctx context.Context, r provider.Request, body []byte) (*http.Response, error) {
	address := cmp.Or(r.Model.BaseURL, base)
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/v1")
	header := http.Header{"Accept": {"text/event-stream"}, "Anthropic-Version": {"2023-06-01"}}
	if r.Key != "" {
		header.Set("X-Api-Key", r.Key)
	}
	return provider.Post(ctx, p.client, r.Model, address, "v1/messages", header, body)
}

// refusal reads the body of an error, {"type":"error","error":{…}}; a body that
// is none is the message.
func refusal(body []byte) provider.Refusal {
	inner, ok := jsonedit.Get(body, "error")
	if !ok {
		return provider.Refusal{Message: string(bytes.TrimSpace(body))}
	}
	kind, _ := jsonedit.Text(inner, "type")
	text, _ := jsonedit.Text(inner, "message")
	return provider.Refusal{Type: kind, Message: text}
}

// unfit returns what keeps a response from being a stream. The body of a redirect
// says nothing of the provider's.
func (p *anthropic) unfit(ctx context.Context, place provider.Place, res *http.Response) *provider.Error {
	if res.StatusCode >= http.StatusMultipleChoices {
		var said provider.Refusal
		if res.StatusCode >= http.StatusBadRequest {
			body, err := io.ReadAll(res.Body)
			if ctx.Err() != nil {
				return place.Lost(ctx, err, false)
			}
			said = refusal(body) // what came is enough
		}
		said.Status, said.Header = res.StatusCode, res.Header
		return place.Refused(said, p.now())
	}
	kind := res.Header.Get("Content-Type")
	if kind != "" && !strings.HasPrefix(kind, "text/event-stream") {
		e := place.Fault(provider.Malformed, fmt.Sprintf("the answer is %q, not an event stream", kind), nil)
		e.Status = res.StatusCode
		return e
	}
	return nil
}
