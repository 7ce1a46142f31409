package openai

import (
	"net/url"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// What stands where nothing else can.
const (
	picturesFollow = "Pictures that the tools returned:"
	seePicture     = "(see the picture)"
	noOutput       = "(no output)"
)

// chatCallID is the longest id of a call that OpenAI's Chat Completions take.
const chatCallID = 40

const ownAddress = "https://api.openai.com/v1/"

// address returns where m is asked.
func address(m model.Model) string {
	if m.BaseURL == "" {
		return ownAddress
	}
	return m.BaseURL
}

// official reports whether m is asked at OpenAI itself.
func official(m model.Model) bool {
	u, err := url.Parse(address(m))
	if err != nil {
		return false
	}
	name := strings.ToLower(u.Hostname())
	return name == "openai.com" || strings.HasSuffix(name, ".openai.com")
}

// thinks reports whether m has a level of thinking that is not off.
func thinks(m model.Model) bool {
	return slices.ContainsFunc(m.Levels, func(level string) bool { return level != "off" })
}

// effort returns the word for the level that r asks for: "none" where the model
// can do without, "" where nothing is to be said.
func effort(r provider.Request) string {
	switch {
	case !thinks(r.Model):
		return ""
	case r.Thinking != "" && r.Thinking != "off":
		return r.Thinking
	case slices.Contains(r.Model.Levels, "off"):
		return "none"
	}
	return ""
}

// cacheKey returns the key of a conversation for the provider's cache, which
// takes 64 characters.
func cacheKey(session string) string { return session[:min(len(session), 64)] }

// same reports whether the model that r asks said m.
func same(r provider.Request, m *message.Assistant) bool {
	return m.API == string(r.Model.API) && m.Provider == r.Model.Provider && m.Model == r.Model.ID
}

// shown returns what m can see of blocks, as [provider.Turns] left them: pictures
// that it cannot see are a line that says so, once for several in a row.
func shown(m model.Model, c message.Content) []message.Block {
	var blocks []message.Block
	last := ""
	for _, b := range c.Blocks {
		if picture, ok := b.(*message.Image); ok {
			image, instead := provider.Picture(picture, m)
			if image == nil {
				if instead != last {
					blocks = append(blocks, &message.TextBlock{Text: instead})
				}
				last = instead
				continue
			}
		}
		blocks, last = append(blocks, b), ""
	}
	return blocks
}

// resultContent returns the text of a tool's result, never empty, and its
// pictures.
func resultContent(m model.Model, result *message.ToolResult) (string, []*message.Image) {
	var texts []string
	var images []*message.Image
	for _, b := range shown(m, result.Content) {
		switch b := b.(type) {
		case *message.TextBlock:
			texts = append(texts, b.Text)
		case *message.Image:
			images = append(images, b)
		}
	}
	switch {
	case len(texts) > 0:
		return strings.Join(texts, "\n"), images
	case len(images) > 0:
		return seePicture, images
	}
	return noOutput, nil
}

// imageURL returns a picture as an address that holds it.
func imageURL(b *message.Image) string { return "data:" + b.MimeType + ";base64," + b.Data }

// reasoningFields are the members in which servers put reasoning, first the one
// that wins where several are there.
func reasoningFields() [3]string {
	return [3]string{"reasoning_content", "reasoning", "reasoning_text"}
}

func isReasoningField(name string) bool {
	fields := reasoningFields()
	return slices.Contains(fields[:], name)
}

// callID returns the id of a call for Chat Completions: as it is where the server
// may have given it, fit for OpenAI otherwise.
func callID(id string, own bool) string {
	if own || strings.Contains(id, "|") {
		return provider.CallID(id, chatCallID)
	}
	return id
}
