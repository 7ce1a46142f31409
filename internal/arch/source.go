package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Problem is one place where a rule of the house is broken.
type Problem struct {
	// Where is "file:line", a folder, or a row of the table.
	Where string
	// Text says what is wrong there.
	Text string
}

// String returns the problem on one line.
func (p Problem) String() string { return p.Where + ": " + p.Text }

// file is one parsed source file.
type file struct {
	path  string
	lines int
	test  bool
	ast   *ast.File
}

// folder is a folder with Go files.
type folder struct {
	path  string
	files []file
}

// house is the module's source and what was found wrong with it.
type house struct {
	module   string
	fset     *token.FileSet
	folders  []folder
	problems []Problem
}

// load parses every Go file below the root, whatever its build constraints.
// Folders that the go command leaves out are left out here too.
func load(root fs.FS, module string) (*house, error) {
	h := &house{module: module, fset: token.NewFileSet()}
	byPath := map[string]*folder{}
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		dir := path.Dir(p)
		if byPath[dir] == nil {
			byPath[dir] = &folder{path: dir}
		}
		f, err := h.parse(root, p)
		if err != nil {
			h.report(p, "%v", err)
			return nil
		}
		byPath[dir].files = append(byPath[dir].files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	for _, f := range byPath {
		h.folders = append(h.folders, *f)
	}
	slices.SortFunc(h.folders, func(a, b folder) int { return strings.Compare(a.path, b.path) })
	return h, nil
}

func (h *house) parse(root fs.FS, p string) (file, error) {
	src, err := fs.ReadFile(root, p)
	if err != nil {
		return file{}, err
	}
	tree, err := parser.ParseFile(h.fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	return file{
		path:  p,
		lines: strings.Count(string(src), "\n"),
		test:  strings.HasSuffix(p, "_test.go"),
		ast:   tree,
	}, nil
}

// report adds a problem.
func (h *house) report(where, format string, args ...any) {
	h.problems = append(h.problems, Problem{Where: where, Text: fmt.Sprintf(format, args...)})
}

// at adds a problem at a place in the source.
func (h *house) at(pos token.Pos, format string, args ...any) {
	p := h.fset.Position(pos)
	h.report(fmt.Sprintf("%s:%d", p.Filename, p.Line), format, args...)
}

// code returns the files of a folder that are not tests.
func (f folder) code() []file {
	return slices.DeleteFunc(slices.Clone(f.files), func(f file) bool { return f.test })
}

// importPath returns the path of an import.
func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// room returns the folder of an import of this module.
func (h *house) room(imported string) (string, bool) {
	if imported == h.module {
		return ".", true
	}
	return strings.CutPrefix(imported, h.module+"/")
}

// localName returns the name under which a file knows an imported package, ""
// when it does not import it.
func (f file) localName(imported string) string {
	for _, spec := range f.ast.Imports {
		if importPath(spec) != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// stringOf returns the value of a string literal.
func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
