package message

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// The types of blocks as files spell them.
const (
	TypeText             = "text"
	TypeThinking         = "thinking"
	TypeRedactedThinking = "redactedThinking"
	TypeImage            = "image"
	TypeToolCall         = "toolCall"
	TypeFallback         = "fallback"
	TypeServerTool       = "anthropicServerTool"
)

// Block is one piece of content. The types are pointers to the concrete types of
// this package and no others.
type Block interface {
	former
	kind() string
}

// Type returns the type of b as the file spells it.
func Type(b Block) string { return b.kind() }

// DecodeBlock reads a block. It keeps raw, which must not be changed afterwards.
// A type that no program has, and a value that is not an object, gives an
// *UnknownBlock.
func DecodeBlock(raw JSON) Block {
	if jsonedit.Kind(raw) != jsontext.KindBeginObject {
		return &UnknownBlock{decoded: decoded{raw: raw}}
	}
	kind, _ := jsonedit.Text(raw, "type")
	var b Block
	switch kind {
	case TypeText:
		b = &TextBlock{}
	case TypeThinking:
		b = &Thinking{}
	case TypeRedactedThinking:
		b = &RedactedThinking{}
	case TypeImage:
		b = &Image{}
	case TypeToolCall:
		b = &ToolCall{}
	case TypeFallback:
		b = &Fallback{}
	case TypeServerTool:
		b = &ServerTool{}
	default:
		b = &UnknownBlock{}
	}
	fill(b, raw)
	return b
}

// EncodeBlock returns the text of b, as Encode does for messages.
func EncodeBlock(b Block) JSON { return encode(b) }

// TextBlock is text.
type TextBlock struct {
	Text string
	// TextSignature is the provider's proof that it wrote the text.
	TextSignature string
	decoded
}

// Thinking is a model's reasoning.
type Thinking struct {
	Thinking string
	// ThinkingSignature is the provider's proof that it wrote the reasoning.
	ThinkingSignature string
	// Redacted says that the provider hid the reasoning (pi).
	Redacted bool
	// ItemID is the provider's name for it (omp).
	ItemID string
	decoded
}

// RedactedThinking is reasoning that the provider encrypted (xcsh, omp).
type RedactedThinking struct {
	Data string
	decoded
}

// Image is a picture.
type Image struct {
	// Data is base64, or "blob:sha256:" and 64 hexadecimal digits where xcsh and
	// omp have moved it to the blob store.
	Data string
	// MimeType is "image/png" and the like.
	MimeType string
	// Detail is how closely the model is to look (omp).
	Detail string
	// ProviderFile says where the provider holds it (omp).
	ProviderFile JSON
	// URL is where it came from (omp).
	URL string
	decoded
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is an object, nil when it was absent or null.
	Arguments JSON
	// ThoughtSignature is the provider's proof of the reasoning before it.
	ThoughtSignature string
	// Namespace is the tool's, for tools loaded on the way (pi).
	Namespace string
	// Intent is the model's own word on why (xcsh, omp).
	Intent string
	// RawBlock is the block as the provider sent it (omp).
	RawBlock JSON
	// CustomWireName is the tool's name towards the provider (omp).
	CustomWireName string
	// ProviderMetadata is what the provider added (omp).
	ProviderMetadata JSON
	decoded
}

// Fallback marks where another model took over (omp).
type Fallback struct {
	From, To JSON
	decoded
}

// ServerTool is a tool that ran at the provider (omp).
type ServerTool struct {
	// Block is the block as the provider sent it.
	Block JSON
	decoded
}

// UnknownBlock is a block of a type that no program has, or no object at all;
// all of its members but the type are Extra.
type UnknownBlock struct {
	// Kind is the type as written, "" when it is not a string.
	Kind string
	decoded
}

func (*TextBlock) kind() string        { return TypeText }
func (*Thinking) kind() string         { return TypeThinking }
func (*RedactedThinking) kind() string { return TypeRedactedThinking }
func (*Image) kind() string            { return TypeImage }
func (*ToolCall) kind() string         { return TypeToolCall }
func (*Fallback) kind() string         { return TypeFallback }
func (*ServerTool) kind() string       { return TypeServerTool }
func (b *UnknownBlock) kind() string   { return b.Kind }

func (*TextBlock) empty() former        { return &TextBlock{} }
func (*Thinking) empty() former         { return &Thinking{} }
func (*RedactedThinking) empty() former { return &RedactedThinking{} }
func (*Image) empty() former            { return &Image{} }
func (*ToolCall) empty() former         { return &ToolCall{} }
func (*Fallback) empty() former         { return &Fallback{} }
func (*ServerTool) empty() former       { return &ServerTool{} }
func (*UnknownBlock) empty() former     { return &UnknownBlock{} }

func (b *TextBlock) form(f *form) {
	f.fixed("type", TypeText)
	f.text("text", &b.Text)
	f.textIf("textSignature", &b.TextSignature)
}

func (b *Thinking) form(f *form) {
	f.fixed("type", TypeThinking)
	f.text("thinking", &b.Thinking)
	f.textIf("thinkingSignature", &b.ThinkingSignature)
	f.flagIf("redacted", &b.Redacted)
	f.textIf("itemId", &b.ItemID)
}

func (b *RedactedThinking) form(f *form) {
	f.fixed("type", TypeRedactedThinking)
	f.text("data", &b.Data)
}

func (b *Image) form(f *form) {
	f.fixed("type", TypeImage)
	f.text("data", &b.Data)
	f.text("mimeType", &b.MimeType)
	f.textIf("detail", &b.Detail)
	f.value("providerFile", &b.ProviderFile)
	f.textIf("url", &b.URL)
}

func (b *ToolCall) form(f *form) {
	f.fixed("type", TypeToolCall)
	f.text("id", &b.ID)
	f.text("name", &b.Name)
	f.value("arguments", &b.Arguments, jsontext.KindBeginObject)
	f.textIf("thoughtSignature", &b.ThoughtSignature)
	f.textIf("namespace", &b.Namespace)
	f.textIf("intent", &b.Intent)
	f.value("rawBlock", &b.RawBlock)
	f.textIf("customWireName", &b.CustomWireName)
	f.value("providerMetadata", &b.ProviderMetadata)
}

func (b *Fallback) form(f *form) {
	f.fixed("type", TypeFallback)
	f.value("from", &b.From)
	f.value("to", &b.To)
}

func (b *ServerTool) form(f *form) {
	f.fixed("type", TypeServerTool)
	f.value("block", &b.Block)
}

func (b *UnknownBlock) form(f *form) {
	f.textIf("type", &b.Kind)
}
