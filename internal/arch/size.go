package arch

import (
	"cmp"
	"go/ast"
	"go/token"
	"io/fs"
	"slices"
)

// A Size is how large a room, or a type in it, is, without tests.
type Size struct {
	// Room is the folder. Type is "" for the room itself.
	Room, Type string
	// Files and Lines are those of a room.
	Files, Lines int
	// Methods are those of a type. Mutable are the fields that its methods set.
	Methods, Mutable int
}

// Sizes returns the size of each room and of each type with methods, rooms first, in the
// order of their names.
func Sizes(root fs.FS, module string) ([]Size, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	var rooms, types []Size
	for _, f := range h.folders {
		room := Size{Room: f.path}
		of := map[string]*Size{}
		set := map[[2]string]bool{}
		for _, file := range f.code() {
			room.Files, room.Lines = room.Files+1, room.Lines+file.lines
			for _, decl := range file.ast.Decls {
				method, ok := decl.(*ast.FuncDecl)
				if !ok || method.Recv == nil {
					continue
				}
				name, receiver := receiverOf(method)
				if of[name] == nil {
					of[name] = &Size{Room: f.path, Type: name}
				}
				of[name].Methods++
				for _, field := range assigned(method, receiver) {
					set[[2]string{name, field}] = true
				}
			}
		}
		for field := range set {
			of[field[0]].Mutable++
		}
		for _, size := range of {
			types = append(types, *size)
		}
		rooms = append(rooms, room)
	}
	slices.SortFunc(types, func(a, b Size) int { return cmp.Or(cmp.Compare(a.Room, b.Room), cmp.Compare(a.Type, b.Type)) })
	return append(rooms, types...), nil
}

// receiverOf returns the type of a method, and what the method calls its value.
func receiverOf(m *ast.FuncDecl) (name, receiver string) {
	field := m.Recv.List[0]
	if len(field.Names) > 0 {
		receiver = field.Names[0].Name
	}
	for t := field.Type; ; {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name, receiver
		default:
			return "", receiver
		}
	}
}

// assigned returns the fields of its own value that a method sets.
func assigned(m *ast.FuncDecl, receiver string) (fields []string) {
	if m.Body == nil || receiver == "" || receiver == "_" {
		return nil
	}
	note := func(e ast.Expr) {
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == receiver {
				fields = append(fields, s.Sel.Name)
			}
		}
	}
	ast.Inspect(m.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					note(e)
				}
			}
		case *ast.IncDecStmt:
			note(n.X)
		}
		return true
	})
	return fields
}
