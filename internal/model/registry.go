package model

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/replay"
)

// ErrNoKey says that a model's provider wants a key and the environment has none.
// The error that wraps it names the variable to set.
var ErrNoKey = errors.New("no key")

// ErrPlain says that a model's key would leave this machine in clear text. Name an
// https:// address.
var ErrPlain = errors.New("its key would be sent in clear text")

// A Provider is what the user says of a provider: one of the built-in table, of
// which it changes what it names, or one of the user's own.
type Provider struct {
	Name string
	// API is the protocol; "" is that of the built-in table, and for a provider
	// of the user's own [OpenAIChat], which local servers speak.
	API API
	// BaseURL is where it is asked; "" leaves it.
	BaseURL string
	// KeyEnv names the variable with the key, "" says that none is needed. nil
	// leaves the built-in one, and is none for a provider of the user's own.
	KeyEnv *string
	// Headers are sent with each request.
	Headers map[string]string
	// Models are its models: those of the built-in table by their ids, to change
	// them, and others.
	Models []Definition
}

// A Definition is what the user says of a model. What is not given, by a zero or
// nil, is as in the built-in table, and not known of other models.
type Definition struct {
	ID, Name          string
	API               API
	Window, MaxOutput int
	// Levels are the thinking levels; an empty list that is not nil is a model
	// that does not think.
	Levels []string
	// Effort is nil where the protocol decides: OpenAI's ask by a word.
	Effort, Images *bool
	// Price is the price whatever the length of the prompt.
	Price *Price
}

// A Registry knows models. It does not change and is safe for concurrent use as
// far as the environment is.
type Registry struct {
	models []Model
	getenv func(string) string
}

// New returns a registry of the built-in table and of what the user's own
// providers add and change, in their order; what is said later counts. getenv
// looks up keys; nil finds none.
func New(own []Provider, getenv func(string) string) *Registry {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	r := &Registry{models: Builtin(), getenv: getenv}
	for _, p := range own {
		r.add(p)
	}
	return r
}

// add takes over what the user says of a provider.
func (r *Registry) add(p Provider) {
	base := Model{Provider: p.Name, API: OpenAIChat}
	for i := range r.models {
		if r.models[i].Provider != p.Name {
			continue
		}
		p.change(&r.models[i])
		m := r.models[i]
		base = Model{Provider: p.Name, API: m.API, BaseURL: m.BaseURL, KeyEnv: m.KeyEnv, Headers: m.Headers}
	}
	p.change(&base)
	for _, d := range p.Models {
		i := slices.IndexFunc(r.models, func(m Model) bool { return m.Provider == p.Name && m.ID == d.ID })
		if i < 0 {
			fresh := base
			fresh.ID = d.ID
			if d.API != "" {
				fresh.API = d.API
			}
			fresh.Effort = fresh.API != Anthropic
			i = len(r.models)
			r.models = append(r.models, fresh)
		}
		d.change(&r.models[i])
	}
}

func (p Provider) change(m *Model) {
	if p.API != "" {
		m.API = p.API
	}
	if p.BaseURL != "" {
		m.BaseURL = p.BaseURL
	}
	if p.KeyEnv != nil {
		m.KeyEnv = *p.KeyEnv
	}
	if len(p.Headers) > 0 {
		all := map[string]string{}
		maps.Copy(all, m.Headers)
		maps.Copy(all, p.Headers)
		m.Headers = all
	}
}

func (d Definition) change(m *Model) {
	if d.Name != "" {
		m.Name = d.Name
	}
	if d.API != "" {
		m.API = d.API
	}
	if d.Window != 0 {
		m.Window = d.Window
	}
	if d.MaxOutput != 0 {
		m.MaxOutput = d.MaxOutput
	}
	if d.Levels != nil {
		m.Levels = slices.Clone(d.Levels)
	}
	if d.Effort != nil {
		m.Effort = *d.Effort
	}
	if d.Images != nil {
		m.Images = *d.Images
	}
	if d.Price != nil {
		m.Price, m.Long = *d.Price, LongPrice{}
	}
}

// All returns all models: those of the built-in table, then the user's own.
func (r *Registry) All() []Model { return slices.Clone(r.models) }

// Find returns the model that a provider knows by an id, letter by letter.
func (r *Registry) Find(provider, id string) (Model, bool) {
	for _, m := range r.models {
		if m.Provider == provider && m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}

// Available reports whether a model is known and can be used: its provider needs
// no key, or the environment has one.
func (r *Registry) Available(m replay.Model) bool {
	found, ok := r.Find(m.Provider, m.ModelID)
	return ok && r.usable(found)
}

// Levels returns the thinking levels of a model, least first; none for one that
// does not think or is not known.
func (r *Registry) Levels(m replay.Model) []string {
	found, _ := r.Find(m.Provider, m.ModelID)
	return slices.Clone(found.Levels)
}

// Key returns the key of a model's provider, "" when it needs none. The error
// wraps [ErrNoKey] and names the variable to set, or [ErrPlain].
func (r *Registry) Key(m Model) (string, error) {
	if m.KeyEnv == "" {
		return "", nil
	}
	key := strings.TrimSpace(r.getenv(m.KeyEnv))
	if key == "" {
		return "", fmt.Errorf("use model %q: %w: set %s in the environment", m.Provider+"/"+m.ID, ErrNoKey, m.KeyEnv)
	}
	if plain(m.BaseURL) {
		return "", fmt.Errorf("use model %q: %w: give an https:// baseUrl, or one of this machine, or \"keyEnv\": \"\" for a server that wants no key", m.Provider+"/"+m.ID, ErrPlain)
	}
	return key, nil
}

// plain reports whether what is sent to a URL leaves this machine without being
// encrypted.
func plain(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip == nil || !ip.IsLoopback()
}

func (r *Registry) usable(m Model) bool {
	_, err := r.Key(m)
	return err == nil
}

// KeyNames returns the variables that hold a key of a model that the registry
// knows, in order.
func (r *Registry) KeyNames() []string {
	var names []string
	for _, m := range r.models {
		if m.KeyEnv != "" {
			names = append(names, m.KeyEnv)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
