package secret_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/secret"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	if os.Getenv("SECRET_TEST_CHILD") != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

func TestIs(t *testing.T) {
	for _, name := range strings.Fields(`ANTHROPIC_API_KEY OPENAI_API_KEY openai_api_key OPENROUTER_API_KEY GEMINI_API_KEY OPENAI_API_KEY_2
		ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN OPENAI_ADMIN_KEY CAMBIUM_STORE CAMBIUM_STORE_SPARE CAMBIUM_TOKEN PGPASSWORD PGPASSFILE
		PGSERVICE PGSERVICEFILE PGSSLKEY PGSSLPASSWORD NATS_PASSWORD NATS_CREDS NATS_URL MY_APIKEY
		AZURE_OPENAI_KEY OPENROUTER_KEY HF_TOKEN MISTRAL_TOKEN GROQ_KEY XAI_KEY DEEPSEEK_KEY GEMINI_TOKEN`) {
		if !secret.Is(name) {
			t.Errorf("%s holds no secret", name)
		}
	}
	for _, name := range strings.Fields(`HOME PATH PGHOST PGUSER PGDATABASE PG GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK CAMBIUM_CONFIG_DIR
		CAMBIUM_AGENT_DIR CAMBIUM_EVENT CAMBIUM_SESSION_FILE OPENAI_BASE_URL KEYBOARD NATSHOME
		HF_HOME OLLAMA_HOST AZURE_CONFIG_DIR`) {
		if secret.Is(name) {
			t.Errorf("%s holds a secret", name)
		}
	}
}

func TestWithout(t *testing.T) {
	const key = "sk-ant-planted-0123456789"
	got := secret.Without([]string{
		"HOME=/home/ada", "ANTHROPIC_API_KEY=" + key, "PROXY_KEY=b=c", "MINE=" + key, "PGPASSWORD=postgres", "PGUSER=postgres", "ODD", "EMPTY=", "OPENAI_API_KEY=",
	}, "PROXY_KEY")
	if want := []string{"HOME=/home/ada", "PGUSER=postgres", "ODD", "EMPTY="}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWithoutAny: whatever the environment is, no secret is left, by its name or as
// a copy, and all else is, in order.
func TestWithoutAny(t *testing.T) {
	name := rapid.SampledFrom([]string{"A", "HOME", "PGPASSWORD", "X_API_KEY", "NATS_X", "CAMBIUM_STORE", "OWN", "OTHER", ""})
	value := rapid.SampledFrom([]string{"", "short", "a value of more than sixteen bytes", "another one of more than sixteen", "a=b"})
	for range 100 { // times the usual 100 cases
		rapid.Check(t, func(t *rapid.T) {
			var environ []string
			values := map[string]bool{}
			for range rapid.IntRange(0, 8).Draw(t, "n") {
				n, v := name.Draw(t, "name"), value.Draw(t, "value")
				environ = append(environ, n+"="+v)
				if (secret.Is(n) || n == "OWN") && len(v) >= 16 {
					values[v] = true
				}
			}
			var want []string
			for _, e := range environ {
				if n, v, _ := strings.Cut(e, "="); !secret.Is(n) && n != "OWN" && !values[v] {
					want = append(want, e)
				}
			}
			if got := secret.Without(environ, "OWN"); !slices.Equal(got, want) {
				t.Fatalf("of %q: %q, want %q", environ, got, want)
			}
		})
	}
}

// FuzzWithout: what is left is of the environment, in order, and holds no name of
// a secret.
func FuzzWithout(f *testing.F) {
	f.Add("PGPASSWORD=a value of more than sixteen bytes\x00COPY=a value of more than sixteen bytes\x00HOME=/home/ada\x00=x")
	f.Fuzz(func(t *testing.T, block string) {
		environ := strings.Split(block, "\x00")
		at := 0
		for _, v := range secret.Without(environ) {
			for at < len(environ) && environ[at] != v {
				at++
			}
			if name, _, _ := strings.Cut(v, "="); at == len(environ) || secret.Is(name) {
				t.Fatalf("%q is left of %q", v, environ)
			}
			at++
		}
	})
}
