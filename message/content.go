package message

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// Content is what a message holds: a string, or a list of blocks. Which of the
// two it is, is kept.
type Content struct {
	// Text is the content when IsText is set.
	Text string
	// Blocks is the content otherwise; nil for content that was absent or null.
	Blocks []Block
	// IsText says that the content is a string.
	IsText bool
}

// TextContent returns content that is a string.
func TextContent(text string) Content { return Content{Text: text, IsText: true} }

// BlockContent returns content that is a list of blocks.
func BlockContent(blocks ...Block) Content { return Content{Blocks: blocks} }

// content is a string or blocks, always written.
func (f *form) content(key string, p *Content) {
	if !f.filling {
		if p.IsText {
			f.put(key, jsonedit.Quoted(p.Text))
			return
		}
		f.put(key, encodeBlocks(p.Blocks))
		return
	}
	v, ok := f.take(key, jsontext.KindString, jsontext.KindBeginArray)
	if !ok {
		return
	}
	if p.Text, p.IsText = jsonedit.String(v); !p.IsText {
		p.Blocks = decodeBlocks(v)
	}
}

// blocks is a list of blocks, always written.
func (f *form) blocks(key string, p *[]Block) {
	if !f.filling {
		f.put(key, encodeBlocks(*p))
	} else if v, ok := f.take(key, jsontext.KindBeginArray); ok {
		*p = decodeBlocks(v)
	}
}

// blocksIf is a list of blocks, left out when nil.
func (f *form) blocksIf(key string, p *[]Block) {
	if f.filling || *p != nil {
		f.blocks(key, p)
	}
}

func encodeBlocks(blocks []Block) JSON {
	var a jsonedit.Array
	for _, b := range blocks {
		if b != nil {
			a.Add(encode(b))
		}
	}
	return a.Value()
}

func decodeBlocks(arr JSON) []Block {
	blocks := []Block{}
	for raw := range jsonedit.Elements(arr) {
		blocks = append(blocks, DecodeBlock(raw))
	}
	return blocks
}
