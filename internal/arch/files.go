package arch

import (
	"go/ast"
	"slices"
	"strings"
)

// A Grant is a source file that may reach files by name, links followed, past
// internal/vfs.
type Grant struct {
	// Path is the source file.
	Path string
	// Why says what for, and whose the names are that it opens.
	Why string
}

// reaching returns the functions that lead to a file by its name, of each package
// that has some. Nothing in them keeps a link out: who may write to a directory on
// the way says what is read and written.
func reaching() map[string][]string {
	system := strings.Fields(`Access Acct Chdir Chmod Chown Chroot Creat Faccessat Faccessat2 Fchmodat Fchownat Fstatat
		Futimesat Lchown Lgetxattr Link Linkat Listxattr Lstat Mkdir Mkdirat Mkfifo Mkfifoat Mknod Mknodat Mount Open Openat
		Openat2 Readlink Readlinkat Rename Renameat Renameat2 Rmdir Setxattr Stat Statx Symlink Symlinkat Truncate Unlink
		Unlinkat Utime Utimes UtimesNano UtimesNanoAt`)
	return map[string][]string{
		"os": strings.Fields(`Chdir Chmod Chown Chtimes CopyFS Create CreateTemp DirFS Lchown Link Lstat Mkdir MkdirAll
			MkdirTemp Open OpenFile OpenInRoot OpenRoot ReadDir ReadFile Readlink Remove RemoveAll Rename Stat Symlink Truncate
			WriteFile`),
		"path/filepath":         strings.Fields("EvalSymlinks Glob Walk WalkDir"),
		"io/ioutil":             strings.Fields("ReadDir ReadFile TempDir TempFile WriteFile"),
		"syscall":               system,
		"golang.org/x/sys/unix": system,
	}
}

// reached checks that no file but those with a grant reaches files by name. Rooms
// for tests may.
func (h *house) reached(table map[string]Room, grants []Grant) {
	used := map[string]bool{}
	for _, f := range h.folders {
		if table[f.path].Wing == Testing {
			continue
		}
		for _, file := range f.code() {
			granted := slices.ContainsFunc(grants, func(g Grant) bool { return g.Path == file.path })
			for _, found := range file.reaches() {
				used[file.path] = true
				if !granted {
					h.at(found.node.Pos(), "%s goes past internal/vfs: open it by a vfs.FS, below a directory that others "+
						"may write to by vfs.Under", found.name)
				}
			}
		}
	}
	for i, g := range grants {
		switch {
		case !used[g.Path]:
			h.report("grant "+g.Path, "is not used: take the row away")
		case g.Why == "":
			h.report("grant "+g.Path, "has no reason")
		case i > 0 && grants[i-1].Path >= g.Path:
			h.report("grant "+g.Path, "is out of order")
		}
	}
}

// A use is a place where a file of the source names what reaches files.
type use struct {
	node ast.Node
	name string
}

// reaches returns every use in the file, whatever name the package has there and
// whether it is called or handed on.
func (f file) reaches() (found []use) {
	known := reaching()
	local := map[string]string{}
	for _, spec := range f.ast.Imports {
		p := importPath(spec)
		switch {
		case known[p] == nil:
		case spec.Name == nil:
			local[p[strings.LastIndexByte(p, '/')+1:]] = p
		case spec.Name.Name == ".":
			found = append(found, use{spec, "all of " + p})
		default:
			local[spec.Name.Name] = p
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		if p := local[x.Name]; slices.Contains(known[p], sel.Sel.Name) {
			found = append(found, use{sel, p + "." + sel.Sel.Name})
		}
		return true
	})
	return found
}
