package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The sizes at which a file must be divided.
const (
	maxLines     = 600
	maxTestLines = 800
)

// style checks one file: its size, no init, no package variable that is there to
// be changed, and panics that say where they come from.
func (h *house) style(f file) {
	limit := maxLines
	if f.test {
		limit = maxTestLines
	}
	if f.lines > limit {
		h.report(f.path, "%d lines: divide it before %d", f.lines, limit)
	}
	if f.test {
		return
	}
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				h.at(d.Pos(), "func init: nothing happens before main")
			}
		case *ast.GenDecl:
			h.variables(d)
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fun, ok := call.Fun.(*ast.Ident); ok && fun.Name == "panic" && len(call.Args) == 1 {
			if text := leading(call.Args[0]); !strings.HasPrefix(text, f.ast.Name.Name+": ") {
				h.at(call.Pos(), "panic text %q does not begin with %q", text, f.ast.Name.Name+": ")
			}
		}
		return true
	})
}

// variables reports package variables without a value, unless a file is embedded
// in them: they can only be there to be assigned.
func (h *house) variables(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) > 0 || embeds(v.Doc) || embeds(d.Doc) {
			continue
		}
		h.at(v.Pos(), "package variable %s is there to be changed", v.Names[0].Name)
	}
}

// embeds says whether a comment embeds a file.
func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// leading returns the constant text that an expression begins with: a literal,
// the left end of a sum, or the first argument of a call such as fmt.Sprintf.
func leading(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return leading(e.X)
	case *ast.CallExpr:
		if len(e.Args) > 0 {
			return leading(e.Args[0])
		}
	}
	s, _ := stringOf(e)
	return s
}

// comments checks that the package and every exported name say what they are,
// in a sentence that begins with the name. The members of a group may share the
// group's comment.
func (h *house) comments(f folder) {
	files := f.code()
	if len(files) == 0 {
		files = f.files
	}
	told := slices.ContainsFunc(files, func(f file) bool { return f.ast.Doc.Text() != "" })
	if !told && len(files) > 0 {
		h.report(f.path, "package %s has no comment", files[0].ast.Name.Name)
	}
	for _, file := range f.code() {
		for _, decl := range file.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					h.comment(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				h.group(d)
			}
		}
	}
}

// group checks the names of a declaration.
func (h *house) group(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			doc := s.Doc
			if doc == nil {
				doc = d.Doc
			}
			h.comment(s.Name, doc)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc.Text() == "" && d.Doc.Text() == "" && s.Comment.Text() == "" {
					h.at(name.Pos(), "%s has no comment", name.Name)
				}
			}
		}
	}
}

// comment checks the comment of one name.
func (h *house) comment(name *ast.Ident, doc *ast.CommentGroup) {
	text := doc.Text()
	if text == "" {
		h.at(name.Pos(), "%s has no comment", name.Name)
		return
	}
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	rest, ok := strings.CutPrefix(text, name.Name)
	if !ok || rest == "" || !strings.ContainsRune(" ,'\n:", rune(rest[0])) {
		h.at(name.Pos(), "the comment of %s does not begin with its name", name.Name)
	}
}

// exportedReceiver says whether a function has no receiver or an exported one.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	name, _ := receiverOf(d)
	return ast.IsExported(name)
}
