package arch

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Public reports whether programs outside the module can import a room and are meant
// to: commands, examples and what measures the module are not for them.
func Public(room string) bool {
	first, _, _ := strings.Cut(room, "/")
	return !slices.Contains([]string{"cmd", "examples", "interop", "release"}, first) && !inside(room)
}

// inside reports whether a room is internal.
func inside(room string) bool { return slices.Contains(strings.Split(room, "/"), "internal") }

// Hidden returns every place where an exported declaration of a public room names a
// type of an internal one, or an alias of such a type. Programs outside can neither
// make nor read what is declared so.
func Hidden(root fs.FS, module string) ([]Problem, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	h.problems = nil
	for _, f := range h.folders {
		if !Public(f.path) {
			continue
		}
		hidden := h.aliases(f)
		for _, file := range f.code() {
			s := face{h: h, room: f.path, internal: h.internalNames(file), hidden: hidden}
			for _, decl := range file.ast.Decls {
				s.declaration(decl)
			}
		}
	}
	return h.problems, nil
}

// A face looks at the exported declarations of one file.
type face struct {
	h    *house
	room string
	// internal are the names that internal rooms have in the file.
	internal map[string]bool
	// hidden are the names of the room's own that are aliases of internal types.
	hidden map[string]bool
}

// internalNames returns the names that a file has for internal rooms.
func (h *house) internalNames(f file) map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.ast.Imports {
		room, ours := h.room(importPath(spec))
		if !ours || !inside(room) {
			continue
		}
		name := path.Base(room)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = true
	}
	return names
}

// aliases returns the unexported names of a room that are aliases of internal types.
func (h *house) aliases(f folder) map[string]bool {
	hidden := map[string]bool{}
	for _, file := range f.code() {
		s := face{internal: h.internalNames(file)}
		for _, decl := range file.ast.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Assign.IsValid() && !t.Name.IsExported() && s.names(t.Type) != "" {
					hidden[t.Name.Name] = true
				}
			}
		}
	}
	return hidden
}

// declaration reports what an exported declaration names.
func (s *face) declaration(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			s.report(d.Name, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					s.typeOf(spec)
				}
			case *ast.ValueSpec:
				s.value(d.Tok, spec)
			}
		}
	}
}

// typeOf reports what a type shows: of a struct the exported fields and those that are
// embedded, of an interface its methods, of any other all.
func (s *face) typeOf(spec *ast.TypeSpec) {
	if spec.TypeParams != nil {
		s.report(spec.Name, spec.TypeParams)
	}
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		s.report(spec.Name, spec.Type)
		return
	}
	for _, field := range fields.Fields.List {
		if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
			s.report(spec.Name, field.Type)
		}
	}
}

// value reports the type of exported constants and variables; where none is written,
// what their values name.
func (s *face) value(tok token.Token, spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		switch {
		case !name.IsExported():
		case spec.Type != nil:
			s.report(name, spec.Type)
		case tok == token.VAR && i < len(spec.Values), tok == token.CONST && i < len(spec.Values):
			s.report(name, spec.Values[i])
		}
	}
}

// report reports the first internal type that a node names.
func (s *face) report(of *ast.Ident, node ast.Node) {
	if name := s.names(node); name != "" {
		s.h.at(of.Pos(), "%s names %s, which is internal", of.Name, name)
	}
}

// names returns the first internal name in a node, "" for none.
func (s *face) names(node ast.Node) (found string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && s.internal[x.Name] {
				found = x.Name + "." + n.Sel.Name
			}
		case *ast.Ident:
			if s.hidden[n.Name] {
				found = n.Name
			}
		}
		return found == ""
	})
	return found
}
