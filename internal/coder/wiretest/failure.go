package wiretest

import (
	"net/http"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// A Failure names what a provider cannot do.
type Failure string

// The failures. The words are like those of the vendors' pages on errors
// (docs.claude.com/en/api/errors, platform.openai.com/docs/guides/error-codes)
// and, for Overflow, those that their servers are reported to answer. Unauthorized
// repeats the key that was sent, as OpenAI does in part, so that clients can be
// seen to hide it.
const (
	Overloaded   Failure = "overloaded"   // Anthropic 529, OpenAI 503
	RateLimited  Failure = "ratelimited"  // 429 with retry-after: 7
	Quota        Failure = "quota"        // 429, not worth another try
	Unauthorized Failure = "unauthorized" // 401
	Forbidden    Failure = "forbidden"    // 403
	NotFound     Failure = "notfound"     // 404: no such model
	Timeout      Failure = "timeout"      // 408
	TooLarge     Failure = "toolarge"     // 413
	Invalid      Failure = "invalid"      // 400
	Internal     Failure = "internal"     // 500
	Overflow     Failure = "overflow"     // 400: more than the context window
	OverflowMax  Failure = "overflowmax"  // 400: with the answer's limit more than it
)

// Failures returns all failures.
func Failures() []Failure {
	return []Failure{
		Overloaded, RateLimited, Quota, Unauthorized, Forbidden, NotFound, Timeout, TooLarge, Invalid, Internal,
		Overflow, OverflowMax,
	}
}

// problem is a failure in one vendor's words.
type problem struct {
	status              int
	kind, code, message string
	header              Header
}

// in returns f in the words of the protocol's vendor.
func (f Failure) in(r Request) problem {
	var p problem
	if r.Protocol == Anthropic {
		p = f.anthropic()
	} else {
		p = f.openai(r.Protocol)
	}
	p.message = strings.ReplaceAll(p.message, "{key}", key(r.Header))
	return p
}

func key(h http.Header) string {
	if k := h.Get("X-Api-Key"); k != "" {
		return k
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

func (f Failure) anthropic() problem {
	switch f {
	case Overloaded:
		return problem{status: 529, kind: "overloaded_error", message: "Overloaded"}
	case RateLimited:
		return problem{
			status: 429, kind: "rate_limit_error", header: Header{"Retry-After": "7"},
			message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
		}
	case Quota:
		return problem{
			status: 400, kind: "invalid_request_error",
			message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
		}
	case Unauthorized:
		return problem{status: 401, kind: "authentication_error", message: "invalid x-api-key: {key}"}
	case Forbidden:
		return problem{status: 403, kind: "permission_error", message: "Your API key does not have permission to use the specified resource."}
	case NotFound:
		return problem{status: 404, kind: "not_found_error", message: "model: no-such-model"}
	case Timeout:
		return problem{status: 408, kind: "timeout_error", message: "Request timed out."}
	case TooLarge:
		return problem{status: 413, kind: "request_too_large", message: "Request exceeds the maximum allowed number of bytes."}
	case Invalid:
		return problem{status: 400, kind: "invalid_request_error", message: "messages: at least one message is required"}
	case Overflow:
		return problem{status: 400, kind: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum"}
	case OverflowMax:
		return problem{
			status: 400, kind: "invalid_request_error",
			message: "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
		}
	}
	return problem{status: 500, kind: "api_error", message: "Internal server error"}
}

func (f Failure) openai(p Protocol) problem {
	const invalid = "invalid_request_error"
	switch f {
	case Overloaded:
		return problem{status: 503, kind: "server_error", message: "The engine is currently overloaded, please try again later"}
	case RateLimited:
		return problem{
			status: 429, kind: "requests", code: "rate_limit_exceeded", header: Header{"Retry-After": "7"},
			message: "Rate limit reached for gpt-4o in organization org-abc on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 7s.",
		}
	case Quota:
		return problem{
			status: 429, kind: "insufficient_quota", code: "insufficient_quota",
			message: "You exceeded your current quota, please check your plan and billing details.",
		}
	case Unauthorized:
		return problem{status: 401, kind: invalid, code: "invalid_api_key", message: "Incorrect API key provided: {key}."}
	case Forbidden:
		return problem{status: 403, kind: "request_forbidden", code: "unsupported_country_region_territory", message: "Country, region, or territory not supported"}
	case NotFound:
		return problem{
			status: 404, kind: invalid, code: "model_not_found",
			message: "The model `no-such-model` does not exist or you do not have access to it.",
		}
	case Timeout:
		return problem{status: 408, kind: "server_error", message: "Request timed out."}
	case TooLarge:
		return problem{status: 413, kind: invalid, message: "Request body is too large."}
	case Invalid:
		return problem{status: 400, kind: invalid, message: "Invalid value for 'messages'."}
	case Overflow, OverflowMax:
		if p == Responses {
			return problem{
				status: 400, kind: invalid, code: "context_length_exceeded",
				message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
			}
		}
		if f == OverflowMax {
			return problem{
				status: 400, kind: invalid, code: "context_length_exceeded",
				message: "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
			}
		}
		return problem{
			status: 400, kind: invalid, code: "context_length_exceeded",
			message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130172 tokens. Please reduce the length of the messages.",
		}
	}
	return problem{status: 500, kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"}
}

// body returns the problem as the body of an HTTP answer.
func (p problem) body(protocol Protocol) jsontext.Value {
	if protocol == Anthropic {
		inner := new(jsonedit.Object).String("type", p.kind).String("message", p.message)
		return new(jsonedit.Object).String("type", "error").Add("error", inner.Value()).
			String("request_id", "req_011CUB2XUHWkFnQzxcKBbjpF").Value()
	}
	return new(jsonedit.Object).Add("error", p.inner()).Value()
}

// inner is the object in which OpenAI tells an error.
func (p problem) inner() jsontext.Value {
	o := new(jsonedit.Object).String("message", p.message).String("type", p.kind).Null("param")
	if p.code == "" {
		return o.Null("code").Value()
	}
	return o.String("code", p.code).Value()
}

// event returns the problem as an event in the middle of a stream.
func (p problem) event(protocol Protocol) event {
	switch protocol {
	case Anthropic:
		return event{name: "error", data: p.body(protocol)}
	case Chat:
		return event{name: "", data: p.body(protocol)}
	}
	o := new(jsonedit.Object).String("type", "error").String("code", p.code).String("message", p.message)
	return event{name: "error", data: o.Null("param").Int("sequence_number", 99).Value()}
}
