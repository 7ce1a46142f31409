package provider

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/internal/term"
)

// A Place is who is asked, for errors. The zero Place names nobody.
type Place struct {
	Provider, Model, Host string
	// secrets must not stand in an error.
	secrets []string
}

// At returns the place where r is asked; base is used when the model has no
// address of its own.
func At(r Request, base string) Place {
	if r.Model.BaseURL != "" {
		base = r.Model.BaseURL
	}
	p := Place{Provider: r.Model.Provider, Model: r.Model.ID, Host: base}
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		p.Host = u.Host
		if secret, ok := u.User.Password(); ok {
			p.secrets = append(p.secrets, secret)
		}
	}
	const short = 6 // what is shorter is no secret and would spoil the text
	for _, value := range r.Model.Headers {
		value = strings.TrimPrefix(value, "Bearer ")
		if len(value) >= short {
			p.secrets = append(p.secrets, value)
		}
	}
	if r.Key != "" {
		p.secrets = append(p.secrets, r.Key)
	}
	return p
}

// A Refusal is what a provider says instead of an answer.
type Refusal struct {
	// Status is that of HTTP, 0 for a refusal in the middle of a stream.
	Status int
	Header http.Header
	// Type and Code are the provider's words for the kind of error.
	Type, Code, Message string
}

// elsewhere is where a redirect leads, without what may be secret of it; "" for
// other answers. Redirects are not followed: whom they lead to would get the key
// and the conversation.
func (r Refusal) elsewhere() string {
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil || r.Status/100 != 3 {
		return ""
	}
	to.User, to.RawQuery, to.Fragment = nil, "", ""
	return to.String()
}

// Refused returns the error for a refusal.
func (p Place) Refused(r Refusal, now time.Time) *Error {
	detail := r.Message
	if detail == "" {
		detail = strings.TrimSpace(r.Type + " " + r.Code)
	}
	if to := r.elsewhere(); detail == "" && to != "" {
		detail = "it is to be asked at " + strconv.Quote(to)
	}
	if detail == "" {
		detail = http.StatusText(r.Status)
	}
	e := p.Fault(r.cause(), detail, nil)
	e.Status = r.Status
	e.RetryAfter = RetryAfter(r.Header, now)
	return e
}

// ErrCut: an answer ended before it was whole, without an error of the connection.
var ErrCut = errors.New("the stream ended before the message did")

// Lost returns the error for a connection that could not be made or did not hold:
// Stopped when ctx has ended, Broken when something had been received or sent,
// Malformed for an answer or an event that is longer than can be read, and
// otherwise Unreachable.
func (p Place) Lost(ctx context.Context, err error, begun bool) *Error {
	if ctx.Err() != nil {
		return p.Fault(Stopped, "", context.Cause(ctx))
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return p.Fault(Malformed, "an event of the answer is longer than can be read", err)
	case errors.Is(err, errFlood):
		return p.Fault(Malformed, "", err)
	}
	cause := Broken
	if !begun && undialled(err) {
		cause = Unreachable
	}
	// The address of a url.Error may hold a key, and it is named already.
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return p.Fault(cause, "", err)
}

// Fault returns an error of a cause. Keys are cut out of its text.
func (p Place) Fault(cause Cause, detail string, err error) *Error {
	e := &Error{Cause: cause, Provider: p.Provider, Model: p.Model, Host: p.Host, Detail: p.clean(detail), Err: err}
	if err != nil && p.clean(err.Error()) != oneLine(err.Error()) {
		e.Err = errors.New(p.clean(err.Error()))
	}
	return e
}

// clean returns text in one line of bounded length and without keys.
func (p Place) clean(text string) string {
	for _, secret := range p.secrets {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return oneLine(text)
}

// oneLine returns text in one line of bounded length, without what would drive a
// terminal.
func oneLine(text string) string {
	const most = 1000
	text = term.Safe(clip(text, 64<<10))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// undialled says that no connection was made.
func undialled(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns) || errors.As(err, &record) ||
		errors.As(err, &certificate) || errors.As(err, &unknown)
}

// cause sorts a refusal: by the provider's words where it has some, else by its
// status.
func (r Refusal) cause() Cause {
	s := r.Status
	switch {
	case s == 401 || s == 403 || s == 0 && (r.is("authentication_error", "permission_error", "invalid_api_key", "request_forbidden")):
		return Unauthorized
	case r.is("insufficient_quota", "billing_error"):
		return Refused
	case s != 429 && !r.is("rate_limit_error", "rate_limit_exceeded") && r.overflow():
		return Overflow
	case r.Header.Get("X-Should-Retry") == "false":
		return Refused
	case s == 408 || s == 409 || s == 425 || s == 429 || s >= 500:
		return Busy
	case s == 0 && !r.is("invalid_request_error", "not_found_error", "request_too_large", "invalid_prompt", "model_not_found"):
		return Busy
	}
	return Refused
}

func (r Refusal) is(words ...string) bool {
	for _, w := range words {
		if r.Type == w || r.Code == w {
			return true
		}
	}
	return false
}

// overflow says whether the conversation did not fit the model, in the words of
// those who serve the two protocols.
func (r Refusal) overflow() bool {
	if r.is("context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded") {
		return true
	}
	text := strings.ToLower(r.Message)
	for _, words := range []string{
		"prompt is too long",                     // Anthropic
		"exceed context limit",                   // Anthropic, with max_tokens
		"exceeds the context window",             // OpenAI Responses
		"maximum context length",                 // OpenAI Chat, vLLM, OpenRouter, DeepSeek
		"exceeds the available context size",     // llama.cpp
		"context size has been exceeded",         // llama.cpp, in the stream
		"greater than the context length",        // LM Studio
		"input length exceeds the context",       // Ollama
		"exceeds maximum context length",         // SGLang
		"exceeds the model's context",            // SGLang
		"context length exceeded",                // others
		"context window exceeded",                //
		"maximum prompt length is",               // xAI
		"reduce the length of the messages",      // Groq
		"input is too long for requested model",  // Bedrock
		"exceeded model token limit",             // Moonshot
		"exceeds the maximum number of tokens",   // Gemini
		"prompt contains too many tokens",        // Mistral
		"too large for model with",               // Mistral
		"please reduce the length of the prompt", //
	} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return strings.Contains(text, "prompt token count") && strings.Contains(text, "exceeds the limit")
}

// RetryAfter returns how long a provider asks to wait, by retry-after-ms, or by
// retry-after in seconds or as a date; 0 when it does not say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms, time.Millisecond)
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return wait(s, time.Second)
	}
	if at, err := http.ParseTime(after); err == nil {
		return wait(at.Sub(now).Seconds(), time.Second)
	}
	return 0
}

// wait returns n units, at most a day and never less than nothing.
func wait(n float64, unit time.Duration) time.Duration {
	const day = 24 * time.Hour
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(day)))
}
