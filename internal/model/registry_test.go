package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var _ agent.Models = (*model.Registry)(nil)

// env is an environment with the given variables.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if k, v, _ := strings.Cut(p, "="); k == name {
				return v
			}
		}
		return ""
	}
}

func ptr[T any](v T) *T { return &v }

func TestBuiltinIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range model.Builtin() {
		name := m.Provider + "/" + m.ID
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		if m.Name == "" || m.KeyEnv == "" || m.Window <= 0 || m.MaxOutput <= 0 || m.Price.Input <= 0 || m.Price.Output <= m.Price.Input {
			t.Errorf("%s lacks something: %+v", name, m)
		}
		if m.MaxOutput >= m.Window {
			t.Errorf("%s answers %d of %d tokens", name, m.MaxOutput, m.Window)
		}
		if m.API != model.Anthropic && m.API != model.OpenAIResponses {
			t.Errorf("%s: protocol %q", name, m.API)
		}
		all := model.Levels()
		at := -1
		for _, l := range m.Levels {
			i := slices.Index(all, l)
			if i <= at {
				t.Errorf("%s: levels %q are not in order", name, m.Levels)
			}
			at = i
		}
		if p, l := m.Price, m.Long; l.Above > 0 && (l.Input <= p.Input || l.Output <= p.Output || l.CacheRead <= p.CacheRead) {
			t.Errorf("%s: longer prompts are not dearer: %+v", name, l)
		}
	}
}

// A program that gets the table may do with it what it likes.
func TestBuiltinIsNotShared(t *testing.T) {
	r := model.New(nil, nil)
	r.All()[0].ID = "changed"
	model.Builtin()[1].Levels[0] = "changed"
	r.Levels(replay.Model{Provider: r.All()[1].Provider, ModelID: r.All()[1].ID})[0] = "changed"
	if diff := cmp.Diff(model.Builtin(), r.All()); diff != "" {
		t.Errorf("the registry changed (-want +got):\n%s", diff)
	}
}

func TestResolveFindsItself(t *testing.T) {
	r := model.New(nil, nil)
	all := r.All()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SampledFrom(all).Draw(t, "model")
		level := rapid.SampledFrom(append(model.Levels(), "")).Draw(t, "level")
		text := want.Provider + "/" + want.ID
		if rapid.Bool().Draw(t, "bare") {
			text = want.ID
		}
		if rapid.Bool().Draw(t, "capitals") {
			text = strings.ToUpper(text)
		}
		if level != "" {
			text += ":" + level
		}
		got, gotLevel, err := r.Resolve(text)
		if err != nil || got.Provider != want.Provider || got.ID != want.ID || gotLevel != level {
			t.Fatalf("Resolve(%q) = %s/%s, %q, %v", text, got.Provider, got.ID, gotLevel, err)
		}
	})
}

// own are providers of a user with servers of all kinds.
func own() []model.Provider {
	return []model.Provider{
		{Name: "local", BaseURL: "http://127.0.0.1:8080/v1", Models: []model.Definition{
			{ID: "qwen3-coder:30b", Window: 32_768, Levels: []string{"off", "high"}},
			{ID: "odd:high"}, {ID: "meta/llama-4"}, {ID: "gpt-5"}, {ID: "local/nested"},
		}},
		{Name: "proxy", API: model.Anthropic, BaseURL: "https://p.example", KeyEnv: ptr("PROXY_KEY"), Models: []model.Definition{
			{ID: "claude-opus-5-5"}, {ID: "gpt-5"},
		}},
	}
}

func TestResolve(t *testing.T) {
	withKey := env("OPENAI_API_KEY=k")
	tests := []struct {
		text        string
		env         func(string) string
		want, level string
		candidates  []string // of an error
		ambiguous   bool
	}{
		{text: "anthropic/claude-opus-5", want: "anthropic/claude-opus-5"},
		{text: "  sonnet-5-5 ", want: "anthropic/claude-sonnet-5-5"},
		{text: "anthropic/haiku-5-5:low", want: "anthropic/claude-haiku-5-5", level: "low"},
		{text: "Anthropic/Haiku-4-5:OFF", want: "anthropic/claude-haiku-4-5", level: "off"},
		{text: "haiku-4-5", want: "anthropic/claude-haiku-4-5"},
		{text: "haiku-4-5-2025", want: "anthropic/claude-haiku-4-5-20251001"},
		{text: "qwen3-coder:30b", want: "local/qwen3-coder:30b"},
		{text: "qwen3-coder:30b:high", want: "local/qwen3-coder:30b", level: "high"},
		{text: "qwen:high", want: "local/qwen3-coder:30b", level: "high"},
		{text: "odd:high", want: "local/odd:high"},
		{text: "odd:high:low", want: "local/odd:high", level: "low"},
		{text: "meta/llama-4", want: "local/meta/llama-4"},
		{text: "local/meta/llama-4", want: "local/meta/llama-4"},
		{text: "local/nested", want: "local/local/nested"},
		{text: "proxy/opus-5-5", want: "proxy/claude-opus-5-5"},
		{text: "llama-4:loud", candidates: []string{"local/qwen3-coder:30b"}},
		// One of three providers can be used: that of the local server.
		{text: "gpt-5", env: env(), want: "local/gpt-5"},
		{text: "gpt-5", env: withKey, candidates: []string{"openai/gpt-5", "local/gpt-5", "proxy/gpt-5"}, ambiguous: true},
		{text: "openai/gpt-5:minimal", env: withKey, want: "openai/gpt-5", level: "minimal"},
		{text: "claude-opus-5-5", env: env("PROXY_KEY=k"), want: "proxy/claude-opus-5-5"},
		{text: "anthropic/opus-5", candidates: []string{"anthropic/claude-opus-5-5", "anthropic/claude-opus-5"}, ambiguous: true},
		{text: "opus-5:high", candidates: []string{"anthropic/claude-opus-5-5"}, ambiguous: true},
		{text: "proxy/nothing", candidates: []string{"proxy/claude-opus-5-5", "proxy/gpt-5"}},
		{text: "nothing", env: withKey, candidates: []string{"openai/gpt-6.1-sol", "local/qwen3-coder:30b"}},
		{text: "", candidates: []string{"local/qwen3-coder:30b"}},
		{text: "openai/", candidates: []string{"openai/gpt-6.1-sol"}},
		{text: ":low", candidates: []string{"local/qwen3-coder:30b"}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			m, level, err := model.New(own(), test.env).Resolve(test.text)
			if test.candidates == nil {
				if got := m.Provider + "/" + m.ID; err != nil || got != test.want || level != test.level {
					t.Fatalf("got %s, %q, %v; want %s, %q", got, level, err, test.want, test.level)
				}
				return
			}
			var e *model.ResolveError
			if !errors.As(err, &e) || e.Ambiguous != test.ambiguous {
				t.Fatalf("got %s/%s, error %v; want an error, ambiguous: %t", m.Provider, m.ID, err, test.ambiguous)
			}
			for _, c := range test.candidates {
				if !slices.Contains(e.Candidates, c) {
					t.Errorf("candidates %q lack %q", e.Candidates, c)
				}
			}
			if !strings.Contains(err.Error(), e.Candidates[0]) {
				t.Errorf("%v does not list %q", err, e.Candidates[0])
			}
		})
	}
}

func TestResolveErrorIsBounded(t *testing.T) {
	_, _, err := model.New(nil, nil).Resolve("nothing")
	all := len(model.Builtin())
	if got := strings.Count(err.Error(), "/"); got != 12 || !strings.Contains(err.Error(), " more") {
		t.Errorf("%d of %d models are listed: %v", got, all, err)
	}
}

func TestProvidersChange(t *testing.T) {
	r := model.New([]model.Provider{
		{Name: "anthropic", BaseURL: "http://gate/", KeyEnv: ptr("GATE_KEY"), Headers: map[string]string{"X-Team": "a"}, Models: []model.Definition{
			{ID: "claude-haiku-5-5", Window: 50_000, Price: &model.Price{Input: 1}},
			{ID: "claude-next", Name: "Next", Levels: []string{"off", "high"}, Images: ptr(true), MaxOutput: 7},
		}},
		{Name: "anthropic", KeyEnv: ptr(""), Headers: map[string]string{"X-More": "b"}},
		{Name: "openai", Models: []model.Definition{{ID: "gpt-4.1", Levels: []string{}, Images: ptr(false), Effort: ptr(false), API: model.OpenAIChat}}},
	}, nil)
	haiku, _ := r.Find("anthropic", "claude-haiku-5-5")
	if haiku.Window != 50_000 || haiku.MaxOutput != 128_000 || haiku.Price != (model.Price{Input: 1}) || haiku.Long.Above != 0 {
		t.Errorf("haiku is %+v", haiku)
	}
	want := model.Model{
		Provider: "anthropic", ID: "claude-next", Name: "Next", API: model.Anthropic, BaseURL: "http://gate/",
		Headers: map[string]string{"X-Team": "a", "X-More": "b"}, MaxOutput: 7, Levels: []string{"off", "high"}, Images: true,
	}
	next, _ := r.Find("anthropic", "claude-next")
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("own model (-want +got):\n%s", diff)
	}
	for _, m := range r.All() {
		if m.Provider == "anthropic" && (m.BaseURL != "http://gate/" || m.KeyEnv != "") {
			t.Errorf("%s is asked at %q with %q", m.ID, m.BaseURL, m.KeyEnv)
		}
	}
	if m, _ := r.Find("openai", "gpt-4.1"); m.Images || m.API != model.OpenAIChat || m.BaseURL != "" || m.Window != 1_047_576 {
		t.Errorf("gpt-4.1 is %+v", m)
	}
	local, _ := model.New(own(), nil).Find("local", "qwen3-coder:30b")
	if local.API != model.OpenAIChat || !local.Effort || local.KeyEnv != "" {
		t.Errorf("a local model is %+v", local)
	}
	proxy, _ := model.New(own(), nil).Find("proxy", "gpt-5")
	if proxy.API != model.Anthropic || proxy.Effort {
		t.Errorf("a proxied model is %+v", proxy)
	}
}

func TestKeys(t *testing.T) {
	const secret = "sk-very-secret"
	r := model.New(own(), env("ANTHROPIC_API_KEY= "+secret+"\n", "OPENAI_API_KEY= "))
	tests := []struct {
		provider, id, key string
		variable          string // of an error
	}{
		{"anthropic", "claude-opus-5-5", secret, ""},
		{"openai", "gpt-5", "", "OPENAI_API_KEY"},
		{"proxy", "gpt-5", "", "PROXY_KEY"},
		{"local", "gpt-5", "", ""},
	}
	for _, test := range tests {
		m, ok := r.Find(test.provider, test.id)
		key, err := r.Key(m)
		if !ok || key != test.key || (err != nil) != (test.variable != "") {
			t.Errorf("%s: %t, error %v", test.provider, ok, err)
		}
		if err != nil && (!errors.Is(err, model.ErrNoKey) || !strings.Contains(err.Error(), test.variable) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: error %v", test.provider, err)
		}
		if got := r.Available(replay.Model{Provider: test.provider, ModelID: test.id}); got != (err == nil) {
			t.Errorf("%s: available: %t", test.provider, got)
		}
	}
	if r.Available(replay.Model{Provider: "local", ModelID: "other"}) || r.Levels(replay.Model{Provider: "x"}) != nil {
		t.Error("a model that is not there is available")
	}
	if got := r.Levels(replay.Model{Provider: "local", ModelID: "qwen3-coder:30b"}); !slices.Equal(got, []string{"off", "high"}) {
		t.Errorf("levels %q", got)
	}
}

func TestCost(t *testing.T) {
	r := model.New(nil, nil)
	tests := []struct {
		model string
		usage message.Usage
		want  message.Cost
	}{
		{"claude-opus-5-5", message.Usage{Input: 1e6, Output: 2e6, CacheRead: 1e6, CacheWrite: 1e6}, message.Cost{Input: 4, Output: 40, CacheRead: 0.2, CacheWrite: 5, Total: 49.2}},
		{"claude-opus-5-5", message.Usage{CacheWrite: 1e6, CacheWrite1h: 5e5}, message.Cost{CacheWrite: 6.5, Total: 6.5}},
		{"claude-opus-5-5", message.Usage{CacheWrite: 1e6, CacheWrite1h: 2e6}, message.Cost{CacheWrite: 8, Total: 8}},
		{"claude-haiku-5-5", message.Usage{Input: 100_000, Output: 1e6}, message.Cost{Input: 0.01, Output: 0.5, Total: 0.51}},
		{"claude-haiku-5-5", message.Usage{Input: 1, CacheRead: 100_000, Output: 1e6}, message.Cost{Input: 5e-7, CacheRead: 0.005, Output: 2.5, Total: 2.5050005}},
		{"gpt-6.1-sol", message.Usage{Input: 272_001}, message.Cost{Input: 1.088004, Total: 1.088004}},
		{"gpt-5.4-mini", message.Usage{Input: 1e6, CacheWrite: 5, CacheWrite1h: 5}, message.Cost{Input: 0.75, Total: 0.75}},
		{"gpt-5", message.Usage{}, message.Cost{}},
	}
	for _, test := range tests {
		m, _, err := r.Resolve(test.model)
		if err != nil {
			t.Fatal(err)
		}
		got := model.Cost(m, test.usage)
		for _, pair := range [][2]float64{
			{got.Input, test.want.Input}, {got.Output, test.want.Output}, {got.CacheRead, test.want.CacheRead},
			{got.CacheWrite, test.want.CacheWrite}, {got.Total, test.want.Total},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s, %+v: got %+v, want %+v", test.model, test.usage, got, test.want)
				break
			}
		}
	}
	if got := model.Cost(model.Model{}, message.Usage{Input: 5, Output: 5}); got.Total != 0 {
		t.Errorf("a model without prices costs %v", got.Total)
	}
}

func TestBudget(t *testing.T) {
	own := model.Budget{"low": 100, "high": 50_000, "off": 9, "minimal": -1}
	want := map[string][2]int{
		"off": {0, 0}, "minimal": {1024, 0}, "low": {2048, 100}, "medium": {8192, 8192},
		"high": {16_384, 50_000}, "xhigh": {16_384, 50_000}, "max": {16_384, 50_000}, "auto": {0, 0},
	}
	for level, w := range want {
		if a, b := model.Budget(nil).Tokens(level), own.Tokens(level); a != w[0] || b != w[1] {
			t.Errorf("%s: %d and %d tokens, want %v", level, a, b, w)
		}
	}
}

func TestKeyNames(t *testing.T) {
	own := []model.Provider{{Name: "proxy", API: model.Anthropic, BaseURL: "https://p.example", KeyEnv: ptr("PROXY_KEY"), Models: []model.Definition{{ID: "m"}}}}
	got := model.New(own, nil).KeyNames()
	if want := []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "PROXY_KEY"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestKeyInClearText: a key goes over a network only encrypted.
func TestKeyInClearText(t *testing.T) {
	for address, refused := range map[string]bool{
		"http://models.example/v1": true, "http://192.0.2.7:8080": true, "http://localhost.example": true, "HTTP://models.example": true,
		"http://[2001:db8::1]/v1": true, "http://127.0.0.1.example/": true, "http://0.0.0.0:1": true,
		"https://models.example/v1": false, "http://127.0.0.1:8080/v1": false, "http://localhost:8080": false, "http://[::1]:8080": false, "": false,
	} {
		own := []model.Provider{{Name: "p", BaseURL: address, KeyEnv: ptr("K"), Models: []model.Definition{{ID: "m"}}}}
		r := model.New(own, func(string) string { return "planted" })
		m, _ := r.Find("p", "m")
		key, err := r.Key(m)
		if errors.Is(err, model.ErrPlain) != refused || refused && (key != "" || r.Available(replay.Model{Provider: "p", ModelID: "m"})) || !refused && key != "planted" {
			t.Errorf("%s: %q, %v", address, key, err)
		}
		if err != nil && strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: the key is said: %v", address, err)
		}
	}
	own := []model.Provider{{Name: "p", BaseURL: "http://models.example", KeyEnv: ptr(""), Models: []model.Definition{{ID: "m"}}}}
	r := model.New(own, nil)
	if m, _ := r.Find("p", "m"); !r.Available(replay.Model{Provider: "p", ModelID: "m"}) {
		t.Errorf("a server that wants no key: %+v", m)
	}
}
