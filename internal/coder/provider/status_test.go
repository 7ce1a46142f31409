package provider_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRefused(t *testing.T) {
	tests := []struct {
		refusal provider.Refusal
		want    provider.Cause
	}{
		{provider.Refusal{Status: 400, Message: "prompt is too long: 208310 tokens > 200000 maximum"}, provider.Overflow},
		{provider.Refusal{Status: 400, Message: "input length and `max_tokens` exceed context limit: 1 + 2 > 2"}, provider.Overflow},
		{provider.Refusal{Status: 400, Code: "context_length_exceeded"}, provider.Overflow},
		{provider.Refusal{Status: 400, Message: "This model's maximum context length is 4097 tokens."}, provider.Overflow},
		{provider.Refusal{Status: 500, Message: "the request exceeds the available context size"}, provider.Overflow},
		{provider.Refusal{Status: 413, Message: "Request exceeds the maximum size"}, provider.Refused},
		{provider.Refusal{Status: 400, Message: "max_tokens: 99999 > 8192, the maximum allowed"}, provider.Refused},
		{provider.Refusal{Status: 401}, provider.Unauthorized},
		{provider.Refusal{Status: 403}, provider.Unauthorized},
		{provider.Refusal{Status: 404}, provider.Refused},
		{provider.Refusal{Status: 408}, provider.Busy},
		{provider.Refusal{Status: 409}, provider.Busy},
		{provider.Refusal{Status: 429, Message: "reduce the length of the messages"}, provider.Busy},
		{provider.Refusal{Status: 429, Code: "insufficient_quota"}, provider.Refused},
		{provider.Refusal{Status: 500}, provider.Busy},
		{provider.Refusal{Status: 529, Type: "overloaded_error"}, provider.Busy},
		{provider.Refusal{Status: 429, Header: http.Header{"X-Should-Retry": {"false"}}}, provider.Refused},
		{provider.Refusal{Type: "overloaded_error"}, provider.Busy},
		{provider.Refusal{Type: "authentication_error"}, provider.Unauthorized},
		{provider.Refusal{Type: "invalid_request_error", Message: "Prompt is too long"}, provider.Overflow},
		{provider.Refusal{Type: "invalid_request_error"}, provider.Refused},
	}
	for _, tt := range tests {
		if got := provider.At(request(), "https://api.example").Refused(tt.refusal, time.Time{}); got.Cause != tt.want {
			t.Errorf("%+v is %s, want %s", tt.refusal, got.Cause, tt.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		key, value string
		want       time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", time.Second / 2},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT", time.Minute},
		{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "soon", 0},
		{"X-Other", "7", 0},
	}
	for _, tt := range tests {
		if got := provider.RetryAfter(http.Header{tt.key: {tt.value}}, now); got != tt.want {
			t.Errorf("%s: %s is %v, want %v", tt.key, tt.value, got, tt.want)
		}
	}
	if got := provider.RetryAfter(nil, now); got != 0 {
		t.Errorf("no header is %v", got)
	}
}

func TestErrorsNeverTellAKey(t *testing.T) {
	r := provider.Request{Key: "sk-secret-1", Model: model.Model{
		Provider: "p", ID: "m", BaseURL: "https://user:hunter2222@host.example/v1", Headers: map[string]string{"Authorization": "Bearer tok-secret-2"},
	}}
	p := provider.At(r, "")
	said := "bad keys sk-secret-1 and\ntok-secret-2 and hunter2222\x1b[31m"
	for _, err := range []error{
		p.Refused(provider.Refusal{Status: 401, Message: said}, time.Time{}),
		p.Lost(t.Context(), &url.Error{Op: "Post", URL: r.Model.BaseURL, Err: errors.New(said)}, false),
		p.Fault(provider.Malformed, "", errors.New(said)),
	} {
		for _, secret := range []string{"sk-secret-1", "tok-secret-2", "hunter2222", "\n", "\x1b", "[31m"} {
			if strings.Contains(err.Error(), secret) || strings.Contains(errString(errors.Unwrap(err)), secret) {
				t.Errorf("%q tells %q", err, secret)
			}
		}
		if !strings.HasPrefix(err.Error(), "ask p/m at host.example: ") {
			t.Errorf("the error is %q", err)
		}
	}
}

func errString(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLost(t *testing.T) {
	p := provider.At(request(), "https://api.example")
	dial := &url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	tests := []struct {
		ctx   context.Context
		err   error
		begun bool
		want  provider.Cause
	}{
		{t.Context(), dial, false, provider.Unreachable},
		{t.Context(), &net.DNSError{Name: "x"}, false, provider.Unreachable},
		{t.Context(), io.ErrUnexpectedEOF, false, provider.Broken},
		{t.Context(), io.ErrUnexpectedEOF, true, provider.Broken},
		{t.Context(), fmt.Errorf("read: %w", bufio.ErrTooLong), true, provider.Malformed},
		{stopped, dial, false, provider.Stopped},
	}
	for _, tt := range tests {
		if got := p.Lost(tt.ctx, tt.err, tt.begun); got.Cause != tt.want {
			t.Errorf("%v, begun %v: %s, want %s", tt.err, tt.begun, got.Cause, tt.want)
		}
	}
}

func TestSpend(t *testing.T) {
	u := message.Usage{Input: 1e6, Output: 2e6, CacheRead: 1e6, CacheWrite: 3e6, CacheWrite1h: 1e6}
	m := model.Model{API: model.Anthropic, Price: model.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}}
	provider.Spend(&u, m)
	want := &message.Cost{Input: 3, Output: 30, CacheRead: 0.3, CacheWrite: 13.5, Total: 46.8}
	if diff := cmp.Diff(want, u.Cost, cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreUnexported(message.Cost{})); diff != "" || u.TotalTokens != 7e6 {
		t.Errorf("tokens %v, cost (-want +got)\n%s", u.TotalTokens, diff)
	}
}
