// Package foreigntest compares what a session says, as it was read, with what the program
// that wrote it sends when it goes on with it.
package foreigntest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cambium-dev/cambium/replay"
)

// A Turn is what one side said: texts, thinking, calls, results, images.
type Turn struct {
	Role  string
	Parts []Part
}

// A Part is one of these. Of an image there is what it is known by.
type Part struct {
	Type, Text, ID, Name string
	Input                any
	Error                bool
	Parts                []Part
}

// Request returns what a program sent, from a file of the samples, without the last prompt,
// with which the session was gone on with.
func Request(t *testing.T, path string) []Turn {
	t.Helper()
	text, err := fs.ReadFile(os.DirFS("."), path)
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Role  string
		Parts []map[string]any
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var turns []Turn
	for _, m := range all {
		turns = append(turns, Turn{m.Role, sent(m.Parts)})
	}
	return WithoutPrompt(t, Joined(answered(turns)))
}

// Cut shortens long texts of turns as the samples do. With trim a line feed at their ends does
// not count, as in what OpenCode sends.
func Cut(turns []Turn, trim bool) []Turn {
	for n := range turns {
		cutAll(turns[n].Parts, trim)
	}
	return turns
}

func cutAll(parts []Part, trim bool) {
	for n := range parts {
		if p := &parts[n]; p.Type == "text" || p.Type == "thinking" {
			p.Text = cut(p.Text, trim)
		}
		cutAll(parts[n].Parts, trim)
	}
}

// cut shortens a text as the samples do.
func cut(text string, trim bool) string {
	units := utf16.Encode([]rune(text))
	if len(units) <= 4000 {
		return text
	}
	if trim {
		text = strings.TrimSuffix(text, "\n")
		units = utf16.Encode([]rune(text))
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s…[%d characters, sha256 %s]", string(utf16.Decode(units[:200])), len(units), hex.EncodeToString(sum[:])[:16])
}

// image is a picture by what it is known by.
func image(mime, data string) Part {
	raw, _ := base64.StdEncoding.DecodeString(data)
	sum := sha256.Sum256(raw)
	return Part{Type: "image", Text: mime + " " + hex.EncodeToString(sum[:])[:16]}
}

func sent(parts []map[string]any) (all []Part) {
	for _, p := range parts {
		text := func(key string) string { s, _ := p[key].(string); return s }
		part := Part{Type: text("type"), Text: text("text"), ID: text("id"), Name: text("name")}
		switch part.Type {
		case "queued", "summary":
			part.Type, part.Text = "text", strings.TrimSpace(part.Text)
		case "thinking":
			part.ID = text("signature")
		case "redacted":
			part.Text = text("data")
		case "call":
			part.Input = p["input"]
			if free, ok := p["freeform"]; ok {
				part.Input = map[string]any{"input": free}
			}
		case "result":
			part.Error, _ = p["error"].(bool)
			var inner []map[string]any
			for _, is := range p["parts"].([]any) {
				inner = append(inner, is.(map[string]any))
			}
			part.Parts = sent(inner)
		case "image":
			part.Text = text("mime") + " " + text("sha256")
		}
		all = append(all, part)
	}
	return all
}

// Joined puts what one side said in a row together. Results are the user's, and texts that
// say nothing are left out.
func Joined(turns []Turn) (all []Turn) {
	for _, t := range turns {
		if t.Role == "tool" || t.Role == "system" {
			t.Role = "user"
		}
		var parts []Part
		for _, p := range t.Parts {
			if p.Type == "text" {
				p.Text = strings.TrimSpace(reminder.ReplaceAllString(p.Text, ""))
			}
			if p.Type == "marker" || p.Type == "text" && (p.Text == "" || strings.HasPrefix(p.Text, "<local-command-caveat>") || strings.HasPrefix(p.Text, "<turn_aborted>")) {
				continue
			}
			parts = append(parts, p)
		}
		if len(parts) == 0 {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Role == t.Role {
			all[n-1].Parts = append(all[n-1].Parts, parts...)
			continue
		}
		all = append(all, Turn{t.Role, parts})
	}
	return all
}

// Neutral returns what the model sees of a session, in the same form. Of that the programs do
// not send answers that failed, calls that were never answered, and what they say about
// commands of their own.
func Neutral(t *testing.T, c *replay.Context) []Turn {
	t.Helper()
	var turns []Turn
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		var is map[string]any
		if err := json.Unmarshal(m.JSON, &is); err != nil {
			t.Fatalf("%v: %s", err, m.JSON)
		}
		if turn, ok := said(is); ok {
			turns = append(turns, turn)
		}
	}
	return Joined(answered(turns))
}

// lost reports whether a result is one that Claude Code or Codex makes up for a call without
// one.
func lost(p Part) bool {
	return len(p.Parts) == 1 && (strings.HasPrefix(p.Parts[0].Text, "[Tool call interrupted") || p.Parts[0].Text == "aborted")
}

// answered takes out calls without a result, and results without a call.
func answered(turns []Turn) []Turn {
	calls, results := map[string]bool{}, map[string]bool{}
	for _, t := range turns {
		for _, p := range t.Parts {
			switch {
			case p.Type == "call":
				calls[p.ID] = true
			case p.Type == "result" && !lost(p):
				results[p.ID] = true
			}
		}
	}
	for n := range turns {
		turns[n].Parts = slices.DeleteFunc(turns[n].Parts, func(p Part) bool {
			return (p.Type == "call" || p.Type == "result") && !(calls[p.ID] && results[p.ID])
		})
	}
	return turns
}

func said(m map[string]any) (Turn, bool) {
	role, _ := m["role"].(string)
	switch role {
	case "assistant":
		if m["stopReason"] == "error" && len(blocks(m["content"])) == 0 {
			return Turn{}, false
		}
		return Turn{role, blocks(m["content"])}, true
	case "toolResult":
		failed, _ := m["isError"].(bool)
		id, _ := m["toolCallId"].(string)
		return Turn{"user", []Part{{Type: "result", ID: id, Error: failed, Parts: blocks(m["content"])}}}, true
	case "compactionSummary", "branchSummary":
		text, _ := m["summary"].(string)
		return Turn{"user", []Part{{Type: "text", Text: strings.TrimSpace(text)}}}, true
	}
	return Turn{"user", blocks(m["content"])}, true
}

func blocks(content any) (all []Part) {
	if text, ok := content.(string); ok {
		return []Part{{Type: "text", Text: text}}
	}
	list, _ := content.([]any)
	for _, b := range list {
		is, _ := b.(map[string]any)
		text := func(key string) string { s, _ := is[key].(string); return s }
		switch text("type") {
		case "text":
			all = append(all, Part{Type: "text", Text: text("text")})
		case "thinking":
			if is["redacted"] == true {
				all = append(all, Part{Type: "redacted", Text: text("thinkingSignature")})
				continue
			}
			all = append(all, Part{Type: "thinking", Text: text("thinking"), ID: text("thinkingSignature")})
		case "toolCall":
			all = append(all, Part{Type: "call", ID: text("id"), Name: text("name"), Input: is["arguments"]})
		case "image":
			all = append(all, image(text("mimeType"), text("data")))
		default:
			all = append(all, Part{Type: text("type"), Text: fmt.Sprint(is)})
		}
	}
	return all
}
