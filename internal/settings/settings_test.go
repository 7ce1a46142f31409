package settings_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/google/go-cmp/cmp"
)

// whole has every member.
const whole = `{
  "model": "local/qwen3-coder:30b",
  "thinkingLevel": "high",
  "thinkingBudgets": {"low": 4096, "max": 32000},
  "compaction": {"enabled": false, "reserveTokens": 0, "keepRecentTokens": 1e4,
    "thresholdTokens": 90000, "thresholdPercent": 62.5, "prune": false},
  "retry": {"maxTries": 2, "baseDelayMs": 500, "maxDelayMs": 0},
  "providers": {
    "local": {"api": "openai-completions", "baseUrl": "http://127.0.0.1:8080/v1?api-version=2", "keyEnv": "", "headers": {"X-Team": "a b"},
      "models": [{"id": "qwen3-coder:30b", "name": "Qwen", "api": "openai-responses", "contextWindow": 32768, "maxTokens": 8192,
        "thinkingLevels": ["high", "off", "high"], "effort": true, "images": false,
        "price": {"input": 0.5, "output": 1, "cacheRead": 0.25, "cacheWrite": 0}}]},
    "anthropic": {"keyEnv": "WORK_KEY", "models": [{"id": "claude-opus-5-5", "thinkingLevels": []}]}
  },
  "hooks": {
    "session.compacting": [{"command": "echo '{}'", "timeoutMs": 250}],
    "session_before_switch": [{"command": "one"}, {"command": "two"}]
  },
  "tools": {"timeoutMs": 60000}
}`

func ptr[T any](v T) *T { return &v }

func TestEveryMember(t *testing.T) {
	want := settings.Settings{
		Model: "local/qwen3-coder:30b", ThinkingLevel: "high", Budgets: model.Budget{"low": 4096, "max": 32_000},
		Compaction: compact.Settings{Disabled: true, Reserve: -1, KeepRecent: 10_000, ThresholdTokens: 90_000, ThresholdPercent: 62.5},
		Retry:      settings.Retry{Tries: 2, BaseDelay: 500 * time.Millisecond},
		Providers: []model.Provider{
			{
				Name: "local", API: model.OpenAIChat, BaseURL: "http://127.0.0.1:8080/v1?api-version=2", KeyEnv: ptr(""),
				Headers: map[string]string{"X-Team": "a b"},
				Models: []model.Definition{{
					ID: "qwen3-coder:30b", Name: "Qwen", API: model.OpenAIResponses, Window: 32_768, MaxOutput: 8192,
					Levels: []string{"off", "high"}, Effort: ptr(true), Images: ptr(false),
					Price: &model.Price{Input: 0.5, Output: 1, CacheRead: 0.25},
				}},
			},
			{Name: "anthropic", KeyEnv: ptr("WORK_KEY"), Models: []model.Definition{{ID: "claude-opus-5-5", Levels: []string{}}}},
		},
		Hooks: []settings.Hook{
			{Event: "session.compacting", Command: "echo '{}'", Timeout: 250 * time.Millisecond},
			{Event: "session_before_switch", Command: "one"}, {Event: "session_before_switch", Command: "two"},
		},
		ToolTimeout: time.Minute,
	}
	for _, data := range []string{whole, "\ufeff" + whole + "\r\n \t", strings.ReplaceAll(whole, "\n", "\r\n")} {
		got, unknown, err := settings.Parse([]byte(data))
		if err != nil || unknown != nil {
			t.Fatalf("unknown %q, error %v", unknown, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// Nothing said is the defaults, however it is said.
func TestDefaults(t *testing.T) {
	nulls := `{"model":null,"thinkingLevel":null,"thinkingBudgets":null,"compaction":{"enabled":null,"prune":null,"reserveTokens":null},` +
		`"retry":{"maxTries":null},"providers":{"x":null},"hooks":{"session_start":null},"tools":null}`
	for _, data := range []string{"{}", " {}\n", nulls, `{"compaction":{"enabled":true,"prune":true},"hooks":{"session_start":[]},"providers":{}}`} {
		got, unknown, err := settings.Parse([]byte(data))
		if err != nil || unknown != nil {
			t.Fatalf("%s: unknown %q, error %v", data, unknown, err)
		}
		if diff := cmp.Diff(settings.Defaults(), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", data, diff)
		}
	}
}

func TestUnknownMembersAreNamed(t *testing.T) {
	const data = `{"theme":"dark","compaction":{"enabled":false,"strategy":{"a":[1]}},"hooks":{"session_begin":[{}]},` +
		`"providers":{"openai":{"models":[{"id":"gpt-5","cost":{}}]},"odd name":null},"\u001b[31m":1,"retry":{"a.b":2}}`
	s, unknown, err := settings.Parse([]byte(data))
	want := []string{"theme", "compaction.strategy", "hooks.session_begin", "providers.openai.models[0].cost", `"\x1b[31m"`, `retry."a.b"`}
	if err != nil || !slices.Equal(unknown, want) {
		t.Errorf("unknown %q, want %q; error %v", unknown, want, err)
	}
	if !s.Compaction.Disabled || s.Providers[0].Models[0].ID != "gpt-5" {
		t.Errorf("what is known was not taken: %+v", s)
	}
}

// refused are files that cannot be taken, with what is said of them.
func refused() map[string]string {
	return map[string]string{
		``:                                 "line 1, byte 1: this is not JSON: it ends too early",
		"\n {\"model\": ":                  "this is not JSON: it ends too early",
		`[]`:                               "line 1, byte 1: expected an object, found a list",
		"\n  17":                           "line 2, byte 3: expected an object, found a number",
		`{} {}`:                            "line 1, byte 4: expected nothing more behind the object",
		"{\n  // mine\n}":                  "line 2, byte 3: this is a comment, and JSON has none",
		"# mine\n{}":                       "line 1, byte 1: this is a comment",
		"{} // end":                        "line 1, byte 4: this is a comment",
		"{\"model\":\"a/b\", /*":           "this is a comment",
		"{\n\"model\": \"a/b\" // x\n}":    "line 2, byte 16: this is a comment",
		"{\n\"model\": \"a/b\",\n // x\n}": "line 3, byte 2: this is a comment",
		"{\n\"model\": 'a/b'}":             "line 2, byte 10: this is not JSON",
		`{"model":"a","model":"b"}`:        "this is not JSON: duplicate",
		"{\"model\":\"\xff\"}":             "this is not JSON: invalid UTF-8",
		"{\n  \"model\": 5}":               `line 2, byte 12: model: expected a model as "provider/id", found a number`,
		`{"model": " "}`:                   `line 1, byte 11: model: expected a model as "provider/id", found an empty one`,
		"\ufeff{\"model\": []}":            "line 1, byte 14: model: expected a model",
		`{"thinkingLevel": "loud"}`:        "byte 19: thinkingLevel: expected one of off, minimal, low, medium, high, xhigh, max, found another word",
		`{"thinkingBudgets": {"low": 0}}`:  "thinkingBudgets.low: expected a whole number from 1 to 2147483647, found another number",
		`{"compaction": true}`:             "compaction: expected an object, found true or false",
		`{"compaction": {"enabled": 1}}`:   "compaction.enabled: expected true or false, found a number",
		`{"compaction": {"reserveTokens": "16k"}}`:                                                 "line 1, byte 34: compaction.reserveTokens: expected a whole number from 0 to 2147483647, found a string",
		`{"compaction": {"reserveTokens": 1.5}}`:                                                   "compaction.reserveTokens: expected a whole number",
		`{"compaction": {"reserveTokens": 1e999}}`:                                                 "compaction.reserveTokens: expected a whole number",
		`{"compaction": {"thresholdPercent": 100}}`:                                                "compaction.thresholdPercent: expected a number from 1 to 99",
		`{"retry": {"maxTries": 0}}`:                                                               "retry.maxTries: expected a whole number from 1",
		`{"retry": {"baseDelayMs": -1}}`:                                                           "retry.baseDelayMs: expected a whole number from 0",
		`{"tools": {"timeoutMs": 99999999999}}`:                                                    "tools.timeoutMs: expected a whole number",
		`{"hooks": []}`:                                                                            "hooks: expected an object, found a list",
		`{"hooks": {"session_start": {}}}`:                                                         "hooks.session_start: expected a list of hooks, found an object",
		`{"hooks": {"session_start": [{}, 1]}}`:                                                    "hooks.session_start[0]: expected a command in the hook",
		`{"hooks": {"session_start": ["x"]}}`:                                                      "hooks.session_start[0]: expected an object, found a string",
		`{"hooks": {"session_start": [{"command": "a\u0000"}]}}`:                                   "hooks.session_start[0].command: expected a command",
		`{"providers": {"a/b": {"baseUrl": "http://x"}}}`:                                          `providers."a/b": expected a provider's name`,
		`{"providers": {"local": {}}}`:                                                             "providers.local: expected a baseUrl",
		`{"providers": {"openai": {"api": "soap"}}}`:                                               "providers.openai.api: expected one of anthropic-messages, openai-completions, openai-responses",
		`{"providers": {"openai": {"baseUrl": "localhost:80"}}}`:                                   "providers.openai.baseUrl: expected a URL that begins with http",
		`{"providers": {"openai": {"baseUrl": "file:///etc"}}}`:                                    "providers.openai.baseUrl: expected a URL that begins with http",
		`{"providers": {"openai": {"headers": {"a b": "c"}}}}`:                                     `providers.openai.headers."a b": expected the name of a header`,
		`{"providers": {"openai": {"headers": {"a": "b\nc"}}}}`:                                    "providers.openai.headers.a: expected a string, found one with control characters",
		`{"providers": {"openai": {"models": [{"id": "a\u001b[31m"}]}}}`:                           "providers.openai.models[0].id: expected a model's id, found one with control characters",
		`{"providers": {"a\u0007": {"baseUrl": "http://x"}}}`:                                      "expected a provider's name",
		`{"providers": {"openai": {"models": [{"name": "x"}]}}}`:                                   "providers.openai.models[0]: expected an id",
		`{"providers": {"openai": {"models": [{"id": "x", "thinkingLevels": ["high", "auto"]}]}}}`: "providers.openai.models[0].thinkingLevels[1]: expected one of off",
		`{"providers": {"openai": {"models": [{"id": "x", "price": {"input": -1}}]}}}`:             "providers.openai.models[0].price.input: expected a number from 0",
		`{"x":` + strings.Repeat("[", 5000):                                                        "too deep",
	}
}

func TestRefused(t *testing.T) {
	for data, want := range refused() {
		s, unknown, err := settings.Parse([]byte(data))
		var e *settings.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "read settings: line ") {
			t.Errorf("%.60q: error %v, want %q", data, err, want)
			continue
		}
		if unknown != nil || !cmp.Equal(s, settings.Defaults()) {
			t.Errorf("%.60q: settings in spite of the error", data)
		}
	}
}

// A key in the file is refused wherever it stands, and never said.
func TestKeysAreRefused(t *testing.T) {
	const secret = "hunter2-0123456789"
	for member, where := range map[string]string{
		`"apiKey": "S"`:                                                               "apiKey",
		`"ANTHROPIC_API_KEY": "S"`:                                                    "ANTHROPIC_API_KEY",
		`"token": {"a": "S"}`:                                                         "token",
		`"env": {"list": [{"key": "S"}]}`:                                             "env.list[0].key",
		`"other": {"github_token": ["S"]}`:                                            "other.github_token",
		`"providers": {"openai": {"api_key": "S"}}`:                                   "providers.openai.api_key",
		`"providers": {"openai": {"key": "S"}}`:                                       "providers.openai.key",
		`"providers": {"openai": {"keyEnv": "S"}}`:                                    "providers.openai.keyEnv",
		`"providers": {"openai": {"headers": {"Authorization": "Bearer S"}}}`:         "providers.openai.headers.Authorization",
		`"providers": {"openai": {"headers": {"x-api-key": "S"}}}`:                    "providers.openai.headers.x-api-key",
		`"providers": {"openai": {"baseUrl": "https://me:S@host/"}}`:                  "providers.openai.baseUrl",
		`"providers": {"openai": {"baseUrl": "https://host/?key=S"}}`:                 "providers.openai.baseUrl",
		`"providers": {"openai": {"baseUrl": "https://S\u0001host/"}}`:                "providers.openai.baseUrl",
		`"providers": {"openai": {"models": [{"id": "gpt-5", "Access-Token": "S"}]}}`: "providers.openai.models[0].Access-Token",
	} {
		data := "{\n" + strings.ReplaceAll(member, "S", secret) + "}"
		_, _, err := settings.Parse([]byte(data))
		var e *settings.Error
		if !errors.As(err, &e) || e.Member != where || e.Line != 2 {
			t.Errorf("%s: error %v, want one of %s", member, err, where)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the key is in %q", member, err)
		}
	}
	for _, fine := range []string{`"tokens": 1`, `"keybindings": {}`, `"monkey": 1`, `"compaction": {"maxTokens": 1}`, `"hotkey": ""`} {
		if _, unknown, err := settings.Parse([]byte("{" + fine + "}")); err != nil || len(unknown) != 1 {
			t.Errorf("%s: unknown %q, error %v", fine, unknown, err)
		}
	}
}
