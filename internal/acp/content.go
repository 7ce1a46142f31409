package acp

import (
	"encoding/base64"
	"encoding/json" // the type of the connection's raw values; nothing is read with it
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
	"github.com/coder/acp-go-sdk"
)

// kinds refuses a prompt with content of a kind that there is not: the SDK makes an
// empty text of it.
func kinds(params json.RawMessage) error {
	list, _ := jsonedit.Get(entry.JSON(params), "prompt")
	if jsonedit.Kind(list) != '[' {
		return nil // which is said when it is decoded
	}
	i := 0
	for b := range jsonedit.Elements(list) {
		kind, _ := jsonedit.Text(b, "type")
		if !slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, kind) {
			return badParams("prompt[%d]: there is no content of the type %q", i, kind)
		}
		i++
	}
	return nil
}

// said makes a user's message of a prompt: what is linked is named where it
// stands, what is embedded follows at the end.
func said(blocks []acp.ContentBlock) (string, []*message.Image, error) {
	var words prose
	var below strings.Builder
	var images []*message.Image
	add := func(data, kind string) error {
		i, err := picture(data, kind)
		images = append(images, i)
		return err
	}
	for _, b := range blocks {
		var err error
		switch {
		case b.Text != nil:
			words.text(b.Text.Text)
		case b.ResourceLink != nil:
			words.link(named(b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			words.link(named(r.Uri))
			below.WriteString("\n\n<file path=\"" + named(r.Uri) + "\">\n" + strings.TrimRight(r.Text, "\n") + "\n</file>")
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			r := b.Resource.Resource.BlobResourceContents
			words.link(named(r.Uri))
			if r.MimeType != nil && isPicture(*r.MimeType) {
				err = add(r.Blob, *r.MimeType)
			}
		case b.Image != nil:
			err = add(b.Image.Data, b.Image.MimeType)
		default:
			err = badParams("prompt: this agent takes text, links, files and pictures")
		}
		if err != nil {
			return "", nil, err
		}
	}
	text := clean(strings.TrimRight(words.String(), "\r\n") + below.String())
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return "", nil, badParams("prompt: there is nothing to say")
	}
	return text, images, nil
}

// clean makes a text fit for models: what is not UTF-8 becomes U+FFFD, and so does
// NUL, which providers refuse.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Prose is text with links in it, each of which can be told from what stands
// beside it.
type prose struct {
	strings.Builder
	linked bool // the last is a link
}

// text adds words.
func (p *prose) text(t string) {
	first, _ := utf8.DecodeRuneInString(t)
	if p.linked && (first == '/' || unicode.IsLetter(first) || unicode.IsDigit(first)) {
		p.WriteByte(' ')
	}
	p.WriteString(t)
	p.linked = p.linked && t == ""
}

// link adds a link.
func (p *prose) link(t string) {
	last, _ := utf8.DecodeLastRuneInString(p.String())
	if p.Len() > 0 && !unicode.IsSpace(last) && !strings.ContainsRune("([{<\"'`@=", last) {
		p.WriteByte(' ')
	}
	p.WriteString(t)
	p.linked = true
}

// named is what is behind a URI: the path of a file, with what of it is meant, else
// the URI.
func named(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	path := filepath.FromSlash(u.Path)
	if u.Fragment != "" { // such as L10:20
		path += "#" + u.Fragment
	}
	return path
}

// isPicture reports whether models take pictures of a type.
func isPicture(kind string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
}

// picture reads a picture of a prompt. Its type is what it is: a provider refuses
// what is none, and would with every prompt from then on.
func picture(text, kind string) (*message.Image, error) {
	if !isPicture(kind) {
		return nil, badParams("prompt: a picture of type %q is none that models take: png, jpeg, gif or webp", kind)
	}
	if len(text) > maxImage {
		return nil, badParams("prompt: a picture is larger than %d bytes", maxImage)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil, badParams("prompt: a picture is not base64")
	}
	if kind = http.DetectContentType(data); !isPicture(kind) {
		return nil, badParams("prompt: a picture is not what it is said to be: png, jpeg, gif or webp")
	}
	return &message.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind}, nil // without line ends
}
