// Package secret knows which variables of an environment hold secrets: keys of
// models, and what opens a store. Programs that are started do not get them, and
// as far as the system lets it they are not to be read in what it tells of this
// process.
//
// It knows them by their names alone. Other secrets that a person keeps in the
// environment, such as a token for a forge, are the business of the person's own
// commands, which need them.
package secret

import (
	"slices"
	"strings"
)

// copyLength is from how many bytes on a value is a secret wherever it stands: what
// is shorter may be the same by chance.
const copyLength = 16

// Is reports whether a variable of this name holds a secret.
func Is(name string) bool {
	name = strings.ToUpper(name)
	switch {
	case strings.HasPrefix(name, "NATS_"), strings.HasPrefix(name, "CAMBIUM_STORE"):
		return true
	case strings.HasPrefix(name, "PG"):
		return slices.Contains([]string{"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGSSLKEY", "PGSSLPASSWORD"}, name)
	case strings.Contains(name, "API_KEY"), strings.Contains(name, "APIKEY"):
		return true
	}
	vendor := slices.ContainsFunc(vendors(), func(start string) bool { return strings.HasPrefix(name, start) })
	return vendor && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(part string) bool { return strings.Contains(name, part) })
}

// vendors are what the variables of those who serve models begin with, and our own.
func vendors() []string {
	return strings.Fields(`AI_GATEWAY_ AI21_ ALIBABA_ ANTHROPIC_ AZURE_OPENAI_ AZURE_AI_ BASETEN_ CAMBIUM_ CEREBRAS_ CHUTES_ CLAUDE_ COHERE_
		COPILOT_ DASHSCOPE_ DEEPINFRA_ DEEPSEEK_ FIREWORKS_ GEMINI_ GOOGLE_GENERATIVE_ GROK_ GROQ_ HF_ HUGGINGFACE_
		HUGGING_FACE_ JINA_ KIMI_ LITELLM_ LLAMA_ MINIMAX_ MISTRAL_ MOONSHOT_ NEBIUS_ NOVITA_ NVIDIA_NIM_ OLLAMA_ OPENAI_
		OPENCODE_ OPENROUTER_ PERPLEXITY_ QWEN_ REPLICATE_ SAMBANOVA_ SILICONFLOW_ TOGETHER_ VENICE_ VERTEX_ VOYAGE_ XAI_
		XIAOMI_ ZAI_ ZHIPU_`)
}

// Without returns the variables of environ, NAME=VALUE each, in order, for a
// program that is started: without those that hold secrets, those of the names
// that are given, and copies of either under other names.
func Without(environ []string, names ...string) []string {
	holds := holding(environ, names)
	return slices.DeleteFunc(slices.Clone(environ), holds)
}

// holding returns what tells the variables of environ that are not to be seen.
func holding(environ, names []string) func(variable string) bool {
	values := map[string]bool{}
	named := func(name string) bool { return Is(name) || slices.Contains(names, name) }
	for _, v := range environ {
		if name, value, _ := strings.Cut(v, "="); named(name) && len(value) >= copyLength {
			values[value] = true
		}
	}
	return func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return named(name) || values[value]
	}
}
