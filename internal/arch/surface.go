package arch

import (
	"go/ast"
	"io/fs"
	"path"
)

// A Surface is how many names a package shows to the programs that import it.
type Surface struct {
	// Room is the folder of the package.
	Room string
	// Names are its exported constants, variables, types, functions, methods and
	// fields. Methods and fields count when their type is exported.
	Names int
}

// Surfaces returns the surface of each package that other modules may import, in the
// order of their folders. Commands, tests and folders of a module of their own have none.
func Surfaces(root fs.FS, module string) ([]Surface, error) {
	h, err := load(root, module)
	if err != nil {
		return nil, err
	}
	var all []Surface
	for _, f := range h.folders {
		code := f.code()
		if len(code) == 0 || code[0].ast.Name.Name == "main" || !importable(f.path) {
			continue
		}
		s := Surface{Room: f.path}
		for _, file := range code {
			for _, decl := range file.ast.Decls {
				s.Names += exported(decl)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// importable says whether other modules may import a folder.
func importable(folder string) bool {
	for dir := folder; dir != "."; dir = path.Dir(dir) {
		if path.Base(dir) == "internal" {
			return false
		}
	}
	return true
}

// exported counts the exported names of a declaration.
func exported(decl ast.Decl) int {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			return 1
		}
	case *ast.GenDecl:
		names := 0
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				names += exportedOf(s.Names)
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					names += 1 + members(s.Type)
				}
			}
		}
		return names
	}
	return 0
}

// members counts the exported fields of a struct, also of those inside it, and the
// methods of an interface.
func members(t ast.Expr) (names int) {
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			return false
		case *ast.Field:
			names += exportedOf(n.Names)
			if len(n.Names) == 0 && ast.IsExported(embedded(n.Type)) {
				names++
			}
		}
		return true
	})
	return names
}

// embedded returns the name of an embedded field.
func embedded(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return embedded(t.X)
	case *ast.IndexExpr:
		return embedded(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func exportedOf(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}
