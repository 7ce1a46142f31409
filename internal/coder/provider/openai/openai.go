package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

var (
	_ provider.Provider = (*Chat)(nil)
	_ provider.Provider = (*Responses)(nil)
)

// A Chat asks over Chat Completions. It is safe for concurrent use.
type Chat struct{ client }

// A Responses asks over Responses. It is safe for concurrent use.
type Responses struct{ client }

// Options are what a provider works with. The zero Options are the defaults.
type Options struct {
	// Transport carries requests; nil is one of its own, with the proxies of the
	// environment.
	Transport http.RoundTripper
	// Limits bound what is taken of an answer.
	Limits provider.Limits
	// Now is the time of answers; nil is time.Now.
	Now func() time.Time
}

// NewChat returns a provider for Chat Completions.
func NewChat(o Options) *Chat { return &Chat{newClient(o)} }

// NewResponses returns a provider for Responses.
func NewResponses(o Options) *Responses { return &Responses{newClient(o)} }

// Stream asks once, as [provider.Provider] tells.
func (c *Chat) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	a := newAnswer(r, tell, c.now())
	turns, err := provider.Turns(r, shape())
	if err != nil {
		return a.finish(a.unsendable(err))
	}
	return c.stream(ctx, a, "chat/completions", chatBody(r, turns), &chatStream{answer: a})
}

// Stream asks once, as [provider.Provider] tells.
func (c *Responses) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	a := newAnswer(r, tell, c.now())
	turns, err := provider.Turns(r, shape())
	if err != nil {
		return a.finish(a.unsendable(err))
	}
	s := &responsesStream{answer: a, items: map[int64]item{}, reasoning: map[string]*message.Thinking{}}
	return c.stream(ctx, a, "responses", responsesBody(r, turns), s)
}

// shape is what the protocols take. Ids of calls mean something to some servers
// (Kimi names the tool in them), and one of Responses is two: they are made fit
// where they are written.
func shape() provider.Shape { return provider.Shape{AnyID: true, Unsigned: true} }

// A reader reads the events of one protocol.
type reader interface {
	// event takes one; done says that it is the last.
	event(v message.JSON) (done bool, err error)
	// over reports whether the answer is whole where nothing more comes; done
	// says that the server said so.
	over(done bool) bool
}
