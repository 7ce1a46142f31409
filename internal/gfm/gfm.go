package gfm

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse takes a text apart that is not [Wild]. HTML is left out: it is text here.
func Parse(source []byte) ast.Node { return theParser().Parse(text.NewReader(source)) }

// theParser is made once: it keeps nothing of a text.
var theParser = sync.OnceValue(func() parser.Parser {
	at := util.Prioritized
	return parser.NewParser(
		parser.WithBlockParsers(
			at(parser.NewSetextHeadingParser(), 100), at(parser.NewThematicBreakParser(), 200), at(parser.NewListParser(), 300),
			at(parser.NewListItemParser(), 400), at(parser.NewCodeBlockParser(), 500), at(parser.NewATXHeadingParser(), 600),
			at(parser.NewFencedCodeBlockParser(), 700), at(parser.NewBlockquoteParser(), 800), at(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			at(extension.NewTaskCheckBoxParser(), 0), at(parser.NewCodeSpanParser(), 100), at(parser.NewLinkParser(), 200),
			at(parser.NewAutoLinkParser(), 300), at(parser.NewEmphasisParser(), 500), at(extension.NewStrikethroughParser(), 510),
			at(extension.NewLinkifyParser(), 999)),
		parser.WithParagraphTransformers(at(limit{}, 0), at(parser.LinkReferenceParagraphTransformer, 100), at(extension.NewTableParagraphTransformer(), 200)))
})
