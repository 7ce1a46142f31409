package anthropic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
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
	var res *http.Response
	client := sdk.NewClient(p.options(r)...)
	if err := client.Post(ctx, "v1/messages", []byte(body), &res); err != nil {
		return answer.Broke(p.fault(ctx, place, err))
	}
	defer res.Body.Close()
	if err := p.unfit(place, res); err != nil {
		return answer.Broke(err)
	}
	s := &stream{answer: answer, request: r, blocks: map[int64]*block{}}
	return p.read(ctx, place, s, res)
}

func (p *anthropic) options(r provider.Request) []option.RequestOption {
	address := r.Model.BaseURL
	if address == "" {
		address = base
	}
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/v1")
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(address), option.WithHTTPClient(p.client),
		option.WithMaxRetries(0), option.WithHeader("Accept", "text/event-stream"),
	}
	if r.Key != "" {
		opts = append(opts, option.WithAPIKey(r.Key))
	}
	for key, value := range r.Model.Headers {
		opts = append(opts, option.WithHeader(key, value))
	}
	return opts
}

// fault sorts an error of the library. What it wraps holds the request and with
// it the key, and is left behind.
func (p *anthropic) fault(ctx context.Context, place provider.Place, err error) *provider.Error {
	var said *sdk.Error
	if !errors.As(err, &said) {
		return place.Lost(ctx, err, false)
	}
	refusal := refusal([]byte(said.RawJSON()))
	refusal.Status = said.StatusCode
	if said.Response != nil {
		refusal.Header = said.Response.Header
	}
	return place.Refused(refusal, p.now())
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

// unfit returns what keeps a response that is no error from being a stream.
func (p *anthropic) unfit(place provider.Place, res *http.Response) *provider.Error {
	if res.StatusCode >= http.StatusMultipleChoices {
		return place.Refused(provider.Refusal{Status: res.StatusCode, Header: res.Header}, p.now())
	}
	kind := res.Header.Get("Content-Type")
	if kind != "" && !strings.HasPrefix(kind, "text/event-stream") {
		e := place.Fault(provider.Malformed, fmt.Sprintf("the answer is %q, not an event stream", kind), nil)
		e.Status = res.StatusCode
		return e
	}
	return nil
}
