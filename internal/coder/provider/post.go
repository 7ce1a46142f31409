package provider

import (
	"bytes"
	"context"
	"iter"
	"math"
	"net/http"
	"net/url"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/tmaxmax/go-sse"
)

// Post sends a JSON body to path below address, once, with the headers of the
// protocol and then those that the settings name for the model. The query of
// address is kept, such as Azure's api-version. An error never holds a header,
// and so no key. The caller closes the body of the answer.
func Post(ctx context.Context, c *http.Client, m model.Model, address, path string, header http.Header, body []byte) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "cambium")
	for name, value := range m.Headers {
		header.Set(name, value)
	}
	r.Header = header
	return c.Do(r)
}

// Events returns the data of each server-sent event of an answer, then the error
// that ended it, if one did. Events without data are left out, and one that was
// not whole at the end. The answer is that of a client of [Client], whose limits
// hold.
func Events(res *http.Response) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		// The size of an event is bounded where the bytes come from.
		for e, err := range sse.Read(res.Body, &sse.ReadConfig{MaxEventSize: math.MaxInt}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if data := bytes.TrimSpace([]byte(e.Data)); len(data) > 0 && !yield(data, nil) {
				return
			}
		}
	}
}
