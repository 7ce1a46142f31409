package foreigntest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var (
	reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>\s*`)
	waited   = regexp.MustCompile(`(?s)The user sent a new message while you were working:\n(.*?)\n\nThis is how`)
	summary  = regexp.MustCompile(`(?s)^This session is being continued from a previous conversation.*?Summary:\n(.*)$`)
)

// Anthropic returns the conversation in a request for Anthropic's Messages, without what
// Claude Code adds itself and without the last prompt.
func Anthropic(t *testing.T, body []byte) []Turn {
	t.Helper()
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	var turns []Turn
	for _, m := range request.Messages {
		if parts := wire(m.Content); m.Role != "assistant" || len(parts) != 1 || parts[0].Text != "No response requested." {
			turns = append(turns, Turn{m.Role, parts})
		}
	}
	return WithoutPrompt(t, Joined(answered(turns)))
}

// WithoutPrompt takes the last prompt, "Continue.", off.
func WithoutPrompt(t *testing.T, turns []Turn) []Turn {
	t.Helper()
	if len(turns) == 0 {
		t.Fatal("nothing was sent")
	}
	last := &turns[len(turns)-1]
	n := len(last.Parts) - 1
	if last.Role != "user" || last.Parts[n].Text != "Continue." {
		t.Fatalf("the last turn is %+v", last)
	}
	if last.Parts = last.Parts[:n]; n == 0 {
		return turns[:len(turns)-1]
	}
	return turns
}

// own returns a text without what the program wrote around it.
func own(text string) (all []Part) {
	if list := waited.FindAllStringSubmatch(text, -1); list != nil {
		for _, m := range list {
			all = append(all, Part{Type: "text", Text: m[1]})
		}
		return all
	}
	if m := summary.FindStringSubmatch(text); m != nil {
		text, _, _ = strings.Cut(m[1], "\n\nIf you need specific details")
		return []Part{{Type: "text", Text: strings.TrimSpace(text)}}
	}
	return []Part{{Type: "text", Text: reminder.ReplaceAllString(text, "")}}
}

func wire(content any) (all []Part) {
	if text, ok := content.(string); ok {
		return own(text)
	}
	list, _ := content.([]any)
	for _, b := range list {
		is, _ := b.(map[string]any)
		text := func(key string) string { s, _ := is[key].(string); return s }
		switch text("type") {
		case "text":
			all = append(all, own(text("text"))...)
		case "thinking":
			all = append(all, Part{Type: "thinking", Text: text("thinking"), ID: text("signature")})
		case "redacted_thinking":
			all = append(all, Part{Type: "redacted", Text: text("data")})
		case "tool_use":
			all = append(all, Part{Type: "call", ID: text("id"), Name: text("name"), Input: is["input"]})
		case "tool_result":
			failed, _ := is["is_error"].(bool)
			all = append(all, Part{Type: "result", ID: text("tool_use_id"), Error: failed, Parts: wire(is["content"])})
		case "image":
			source, _ := is["source"].(map[string]any)
			data, _ := source["data"].(string)
			mime, _ := source["media_type"].(string)
			all = append(all, image(mime, data))
		}
	}
	return all
}
