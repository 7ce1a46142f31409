package syntax

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers/*.xml
var files embed.FS

// A Kind says what a part of code is.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Keyword
	Type
	Function
	String
	Number
	Comment
	Inserted
	Deleted
)

// A Part is a piece of code of one kind.
type Part struct {
	Kind Kind
	Text string
}

// Bounds of what is coloured.
const (
	mostCode = 32 << 10 // bytes
	mostLine = 2000     // bytes of one line
	mostSlow = 3        // codes that took too long
	patience = 2 * time.Second
)

// lexers are made once.
var lexers = sync.OnceValue(func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	all.Register(goLexer())
	names, err := fs.Glob(files, "lexers/*.xml")
	if err != nil {
		panic("syntax: " + err.Error())
	}
	for _, name := range names {
		all.Register(chroma.MustNewXMLLexer(files, name))
	}
	return all
})

// A Painter takes code apart until that took too long too often; then all is plain.
// It is for one goroutine.
type Painter struct {
	// Now is the clock.
	Now  func() time.Time
	slow int
}

// Parts returns code as parts, which together are the code. A language that is not
// known gives one plain part.
func (p *Painter) Parts(language, code string) []Part {
	plain := []Part{{Text: code}}
	language, _, _ = strings.Cut(strings.TrimSpace(language), " ")
	if language == "" || len(language) > 40 || len(code) > mostCode || p.slow >= mostSlow || longest(code) > mostLine {
		return plain
	}
	lexer := lexers().Get(strings.ToLower(language))
	if lexer == nil {
		return plain
	}
	parts, ok := p.parts(lexer, code)
	if !ok {
		return plain
	}
	return parts
}

// parts takes code apart. It fails where the parts are not the code, where that takes
// too long, and where a lexer panics.
func (p *Painter) parts(lexer chroma.Lexer, code string) (parts []Part, ok bool) {
	defer func() {
		if recover() != nil { // a lexer that asks for another which is not here
			parts, ok = nil, false
		}
	}()
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil, false
	}
	until, rest := p.Now().Add(patience), code
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if p.Now().After(until) {
			p.slow++
			return nil, false
		}
		value := token.Value
		if rest == "" && value == "\n" {
			continue // lexers end the last line
		}
		if value == rest+"\n" {
			value = rest
		}
		if !strings.HasPrefix(rest, value) {
			return nil, false
		}
		rest = rest[len(value):]
		if kind := kindOf(token.Type); len(parts) > 0 && parts[len(parts)-1].Kind == kind {
			last := &parts[len(parts)-1]
			last.Text = code[len(code)-len(rest)-len(value)-len(last.Text) : len(code)-len(rest)]
		} else if value != "" {
			parts = append(parts, Part{kind, value})
		}
	}
	return parts, rest == ""
}

// kindOf is the kind of a token.
func kindOf(t chroma.TokenType) Kind {
	switch {
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameTag:
		return Type
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return Keyword
	case t == chroma.NameFunction, t == chroma.NameBuiltin, t == chroma.NameAttribute:
		return Function
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InCategory(chroma.Comment):
		return Comment
	case t == chroma.GenericInserted:
		return Inserted
	case t == chroma.GenericDeleted:
		return Deleted
	}
	return Plain
}

// longest is how long the longest line is.
func longest(s string) int {
	most := 0
	for line := range strings.Lines(s) {
		most = max(most, len(line))
	}
	return most
}
