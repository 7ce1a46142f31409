package foreigntest

import (
	"encoding/json"
	"strings"
	"testing"
)

// Responses returns the conversation in a request for OpenAI's Responses, without what Codex
// adds itself and without the last prompt.
func Responses(t *testing.T, body []byte) []Turn {
	t.Helper()
	var request struct{ Input []map[string]any }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	var turns []Turn
	for _, item := range request.Input {
		text := func(key string) string { s, _ := item[key].(string); return s }
		switch kind := text("type"); {
		case kind == "message" || kind == "" && text("role") != "":
			if role := text("role"); role == "user" || role == "assistant" {
				turns = append(turns, Turn{role, input(item["content"])})
			}
		case kind == "reasoning":
			turns = append(turns, Turn{"assistant", []Part{{Type: "thinking", ID: text("encrypted_content")}}})
		case kind == "function_call":
			var args any
			_ = json.Unmarshal([]byte(text("arguments")), &args) // what is no JSON is nothing
			turns = append(turns, Turn{"assistant", []Part{{Type: "call", ID: text("call_id"), Name: text("name"), Input: args}}})
		case kind == "custom_tool_call":
			turns = append(turns, Turn{"assistant", []Part{{Type: "call", ID: text("call_id"), Name: text("name"), Input: map[string]any{"input": item["input"]}}}})
		case strings.HasSuffix(kind, "_call_output"):
			turns = append(turns, Turn{"user", []Part{{Type: "result", ID: text("call_id"), Parts: input(item["output"])}}})
		}
	}
	return WithoutPrompt(t, Joined(answered(turns)))
}

// input returns the parts of a content. What the harness says is left out.
func input(content any) (all []Part) {
	if text, ok := content.(string); ok {
		return []Part{{Type: "text", Text: text}}
	}
	list, _ := content.([]any)
	for _, b := range list {
		is, _ := b.(map[string]any)
		text, _ := is["text"].(string)
		switch is["type"] {
		case "input_image":
			url, _ := is["image_url"].(string)
			mime, data, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
			all = append(all, image(mime, data))
		default:
			if !strings.HasPrefix(text, "<environment_context>") && !strings.HasPrefix(text, "<skills_instructions>") && !strings.HasPrefix(text, "# AGENTS.md") {
				all = append(all, Part{Type: "text", Text: text})
			}
		}
	}
	return all
}
