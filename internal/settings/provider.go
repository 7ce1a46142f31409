package settings

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/go-json-experiment/json/jsontext"
)

// provider takes what the user says of a provider.
func (r *reader) provider(n *node) model.Provider {
	p := model.Provider{Name: n.key}
	odd := func(c rune) bool { return c == '/' || unicode.IsSpace(c) || unicode.IsControl(c) }
	if p.Name == "" || strings.ContainsFunc(p.Name, odd) {
		r.refuse(n, "expected a provider's name without blanks and slashes")
	}
	r.object(n, map[string]func(*node){
		"api":     func(n *node) { p.API = r.api(n) },
		"baseUrl": func(n *node) { p.BaseURL = r.address(n) },
		"keyEnv":  func(n *node) { p.KeyEnv = r.keyEnv(n) },
		"headers": func(n *node) { p.Headers = r.headers(n) },
		"models": func(n *node) {
			r.list(n, "a list of models", func(n *node) { p.Models = append(p.Models, r.definition(n)) })
		},
	})
	if p.BaseURL == "" && p.Name != model.AnthropicName && p.Name != model.OpenAIName {
		r.refuse(n, "expected a baseUrl: where this provider is asked is not known")
	}
	return p
}

func (r *reader) api(n *node) model.API {
	return model.API(r.word(n, []string{string(model.Anthropic), string(model.OpenAIChat), string(model.OpenAIResponses)}))
}

// address takes a URL to ask at. It is not said in errors: there may be a
// password in it.
func (r *reader) address(n *node) string {
	const expected = "a URL that begins with http:// or https://"
	text := r.text(n, expected)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		r.refuse(n, "expected "+expected+", found something else")
		return text
	case u.User != nil:
		r.refuse(n, "there is a password in this URL; keys and passwords are not kept in this file")
	}
	for name := range u.Query() {
		if isSecret(name) {
			r.refuse(n, "there is a key in this URL; keys are not kept in this file: put it in an environment variable and name that in keyEnv")
		}
	}
	return text
}

// keyEnv takes the name of a variable, "" for none.
func (r *reader) keyEnv(n *node) *string {
	if n.kind == jsontext.KindString && n.text == "" {
		return &n.text
	}
	name := r.text(n, "the name of an environment variable")
	if name != "" && !variable(name) {
		r.refuse(n, "expected the name of an environment variable, found something that cannot be one; the key itself is not kept in this file")
	}
	return &name
}

func (r *reader) headers(n *node) map[string]string {
	all := map[string]string{}
	r.each(n, "an object of headers", func(n *node) {
		const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		switch value := r.line(n, "a string"); {
		case isSecret(n.key):
			r.refuse(n, "this header holds a key, and keys are not kept in this file: put it in an environment variable, name that in keyEnv, and take it out of here")
		case n.key == "" || strings.Trim(n.key, token) != "":
			r.refuse(n, "expected the name of a header")
		default:
			all[n.key] = value
		}
	})
	return all
}

func (r *reader) definition(n *node) model.Definition {
	var d model.Definition
	r.object(n, map[string]func(*node){
		"id":            func(n *node) { d.ID = r.line(n, "a model's id") },
		"name":          func(n *node) { d.Name = r.line(n, "a name") },
		"api":           func(n *node) { d.API = r.api(n) },
		"contextWindow": func(n *node) { d.Window = r.whole(n, 1) },
		"maxTokens":     func(n *node) { d.MaxOutput = r.whole(n, 1) },
		"effort":        func(n *node) { on := r.flag(n); d.Effort = &on },
		"images":        func(n *node) { on := r.flag(n); d.Images = &on },
		"price":         func(n *node) { d.Price = r.price(n) },
		"thinkingLevels": func(n *node) {
			d.Levels = []string{}
			r.list(n, "a list of thinking levels", func(n *node) { d.Levels = append(d.Levels, r.word(n, model.Levels())) })
			all := model.Levels()
			slices.SortFunc(d.Levels, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) })
			d.Levels = slices.Compact(d.Levels)
		},
	})
	if d.ID == "" && r.err == nil {
		r.refuse(n, "expected an id in the model")
	}
	return d
}

func (r *reader) price(n *node) *model.Price {
	var p model.Price
	const most = 1_000_000
	r.object(n, map[string]func(*node){
		"input":      func(n *node) { p.Input = r.number(n, 0, most) },
		"output":     func(n *node) { p.Output = r.number(n, 0, most) },
		"cacheRead":  func(n *node) { p.CacheRead = r.number(n, 0, most) },
		"cacheWrite": func(n *node) { p.CacheWrite = r.number(n, 0, most) },
	})
	return &p
}
