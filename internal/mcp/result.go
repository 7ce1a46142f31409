package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxDetails is how long the structured answer of a server may be that is kept
// beside its text, in bytes.
const maxDetails = 256 << 10

// result makes a result of what a server answered: text and pictures as they are,
// the rest named. Text that is too long for a model is cut, and kept beside the
// session.
func result(ctx context.Context, r *remote, a *sdk.CallToolResult, env tool.Env) tool.Result {
	var structured message.JSON
	if a.StructuredContent != nil {
		if raw, err := json.Marshal(a.StructuredContent, json.Deterministic(true)); err == nil && len(raw) <= maxDetails && provider.Whole(raw) {
			structured = raw
		}
	}
	var blocks []message.Block
	for _, c := range a.Content {
		blocks = append(blocks, block(c))
	}
	if len(blocks) == 0 && structured != nil {
		blocks = append(blocks, &message.TextBlock{Text: string(structured)})
	}
	return tool.Result{Content: cut(ctx, r, blocks, env), Details: r.details(structured), IsError: a.IsError}
}

// block is a piece of an answer.
func block(c sdk.Content) message.Block {
	text := ""
	switch c := c.(type) {
	case *sdk.TextContent:
		text = c.Text
	case *sdk.ImageContent:
		return picture(c.Data, c.MIMEType)
	case *sdk.AudioContent:
		text = fmt.Sprintf("[sound of %d bytes, %s]", len(c.Data), c.MIMEType)
	case *sdk.ResourceLink:
		text = strings.TrimSpace("[" + c.URI + " " + c.Title + "] " + c.Description)
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
			text = "[a resource that is not there]"
		case c.Resource.Text != "":
			text = c.Resource.URI + "\n" + c.Resource.Text
		case strings.HasPrefix(c.Resource.MIMEType, "image/"):
			return picture(c.Resource.Blob, c.Resource.MIMEType)
		default:
			text = fmt.Sprintf("[%s: %d bytes, %s]", c.Resource.URI, len(c.Resource.Blob), c.Resource.MIMEType)
		}
	default:
		text = fmt.Sprintf("[%T]", c)
	}
	return &message.TextBlock{Text: clean(text)}
}

// taken reports whether models take pictures of a type.
func taken(kind string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
}

// picture is a picture that models take, else words in its place.
func picture(data []byte, kind string) message.Block {
	switch {
	case !taken(kind):
		return &message.TextBlock{Text: fmt.Sprintf("[a picture of the type %q, which no model takes]", clean(kind))}
	case len(data) > tool.MaxImage:
		return &message.TextBlock{Text: fmt.Sprintf("[a picture of %d bytes, which is too large]", len(data))}
	case len(data) == 0:
		return &message.TextBlock{Text: "[a picture of no bytes]"}
	}
	// A provider refuses what is none, and would with every request from then on.
	if kind = http.DetectContentType(data); !taken(kind) {
		return &message.TextBlock{Text: "[a picture that is none]"}
	}
	return &message.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind}
}

// cut leaves of the text what a model is shown of a result, and of pictures those
// that fit.
func cut(ctx context.Context, r *remote, blocks []message.Block, env tool.Env) []message.Block {
	left, lines, pictures, over := tool.MaxBytes, tool.MaxLines, 0, false
	var out []message.Block
	for _, b := range blocks {
		t, ok := b.(*message.TextBlock)
		if !ok {
			if pictures++; pictures <= maxPictures {
				out = append(out, b)
			}
			continue
		}
		text := beginning(t.Text, left, lines)
		left, lines = left-len(text), lines-strings.Count(text, "\n")-1
		over = over || len(text) < len(t.Text)
		if text != "" {
			out = append(out, &message.TextBlock{Text: text})
		}
	}
	if n := pictures - maxPictures; n > 0 {
		out = append(out, &message.TextBlock{Text: fmt.Sprintf("[%d more pictures are left out]", n)})
	}
	if over {
		out = append(out, &message.TextBlock{Text: "[cut here; " + keep(ctx, r, blocks, env) + "]"})
	}
	return out
}

// maxPictures is how many pictures of one result a model sees.
const maxPictures = 10

// beginning is at most so much of a text, whole runes.
func beginning(text string, most, lines int) string {
	if lines <= 0 || most <= 0 {
		return ""
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	at := 0
	for range lines {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text
		}
		at += n + 1
	}
	return text[:at]
}

// keep writes the whole text beside the session and says where.
func keep(ctx context.Context, r *remote, blocks []message.Block, env tool.Env) string {
	if env.Artifact == nil {
		return "the rest is not kept"
	}
	path, w, err := env.Artifact(context.WithoutCancel(ctx), r.spec.Name)
	if err != nil {
		return "the rest could not be kept: " + err.Error()
	}
	for _, b := range blocks {
		if t, ok := b.(*message.TextBlock); ok && err == nil {
			_, err = io.WriteString(w, t.Text+"\n")
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return "the rest could not be kept: " + err.Error()
	}
	return "the whole text is in " + path
}
