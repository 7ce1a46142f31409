package openai

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

const (
	// drainWait is how long the end of a connection's answer is waited for, so
	// that the connection can be used again.
	drainWait = 100 * time.Millisecond
	// drainMost is how much of it is read.
	drainMost = 64 << 10
)

// A client sends requests and reads what comes back.
type client struct {
	http *http.Client
	now  func() time.Time
}

func newClient(o Options) client {
	c := client{http: provider.Client(o.Transport, o.Limits), now: o.Now}
	if c.now == nil {
		c.now = time.Now
	}
	return c
}

// stream sends body and lets s read the answer.
func (c client) stream(ctx context.Context, a *answer, path string, body message.JSON, s reader) (*message.Assistant, error) {
	if err := a.reachable(); err != nil {
		return a.finish(err)
	}
	res, err := c.post(ctx, a.r, path, body)
	if err != nil {
		return a.finish(a.unanswered(ctx, err))
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "text/html" { // of a proxy, or of another server
		_ = res.Body.Close() // only read
		e := a.malformed("the answer is a page (text/html)")
		e.Status = res.StatusCode
		return a.finish(e)
	}
	a.Start()
	if kind == "application/json" {
		return a.finish(a.plain(ctx, res, s))
	}
	return a.finish(a.events(ctx, res, s))
}

// post sends a request, once. An answer with a status of an error, or a redirect,
// is a *[refusal].
func (c client) post(ctx context.Context, r provider.Request, path string, body message.JSON) (*http.Response, error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if r.Key != "" {
		header.Set("Authorization", "Bearer "+r.Key)
	}
	res, err := provider.Post(ctx, c.http, r.Model, address(r.Model), path, header, body)
	if err != nil || res.StatusCode < http.StatusMultipleChoices {
		return res, err
	}
	defer func() { _ = res.Body.Close() }() // only read
	said, _ := io.ReadAll(res.Body)         // what came is enough
	return nil, &refusal{res.StatusCode, res.Header, said}
}

// events reads a stream to its end.
func (a *answer) events(ctx context.Context, res *http.Response, s reader) error {
	defer func() { _ = res.Body.Close() }() // only read
	for data, err := range provider.Events(res) {
		if err != nil {
			return a.broken(ctx, err)
		}
		if ctx.Err() != nil {
			return a.stopped(ctx, nil) // what was read before is not told any more
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			drain(res.Body)
			if !s.over(true) {
				return a.broken(ctx, nil)
			}
			return nil
		}
		done, err := a.take(data, s)
		if err != nil {
			return a.stopped(ctx, err)
		}
		if err := a.Endless(a.place); err != nil {
			return err
		}
		if done {
			drain(res.Body)
			return nil
		}
	}
	if ctx.Err() == nil && s.over(false) {
		return nil
	}
	return a.broken(ctx, nil)
}

// take gives one event to s. An error in place of an answer is told by both
// protocols in the same way.
func (a *answer) take(data []byte, s reader) (done bool, err error) {
	v := message.JSON(data)
	if !valid(v) {
		return false, a.malformed("event that is not a JSON object")
	}
	if e, ok := jsonedit.Get(v, "error"); ok && !jsonedit.IsNull(e) {
		return false, a.told(e)
	}
	return s.event(v)
}

// plain reads an answer of a server that did not stream.
func (a *answer) plain(ctx context.Context, res *http.Response, s reader) error {
	defer func() { _ = res.Body.Close() }() // only read
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return a.broken(ctx, err)
	}
	v := message.JSON(bytes.TrimSpace(data))
	if kind, _ := jsonedit.Text(v, "object"); kind == "response" && valid(v) {
		v = new(jsonedit.Object).String("type", "response.completed").Add("response", v).Value()
	}
	if _, err := a.take(v, s); err != nil {
		return err
	}
	if err := a.Endless(a.place); err != nil {
		return err
	}
	if !s.over(true) {
		return a.broken(ctx, nil)
	}
	return nil
}

// drain reads what follows the last event, so that the connection can be used
// again, but waits for it only shortly.
func drain(body io.ReadCloser) {
	t := time.AfterFunc(drainWait, func() { _ = body.Close() })
	defer t.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(body, drainMost)) // a new connection is no harm
}
