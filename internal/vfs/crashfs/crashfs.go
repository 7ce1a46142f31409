// Package crashfs is a file system in memory that forgets what was not synced.
//
// It behaves as vfs.OS does. Beside what its users see it keeps what a disk
// would hold after a power cut: [FS.CrashClone] gives a file system of that.
// The rules are the unkind ones of POSIX:
//
//   - Written bytes are on the disk after Sync or SyncData of their file; until
//     then each write may be there, or be missing, torn, or zero bytes with
//     only the size grown.
//   - A name made, renamed, linked or removed is on the disk after SyncDir of
//     its directory; until then each such change may be there or missing,
//     whatever became of those before. A rename is there whole or not at all.
//   - Syncing a file says nothing about its name.
package crashfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// FS is such a file system. It is safe for concurrent use. Names are absolute.
type FS struct {
	mu      sync.Mutex
	root    *node    // guarded by mu, as all below
	nextIno uint64   //
	clock   int64    // grows with each change, instead of a time
	pending []change // changes of names since the last SyncDir, in order
	open    map[*file]struct{}
	inUse   map[*node]struct{} // what InUse reports
}

var _ vfs.FS = (*FS)(nil)

// node is a file, directory, link or special file.
type node struct {
	ino      uint64
	mode     fs.FileMode
	uid, gid uint32
	mtime    int64
	nlink    uint64
	target   string           // of a link
	names    map[string]*node // of a directory, as seen
	durable  map[string]*node // of a directory, on the disk
	data     []byte           // of a file, as seen
	synced   []byte           // of a file, on the disk
	writes   []write          // of a file, since the last sync, in order
	lock     chan struct{}    // holds one value while locked
}

// change is one operation on names: each edit sets a name of a directory to a
// node, or to nothing.
type change []edit

type edit struct {
	dir  *node
	name string
	node *node
}

// write is a change of content: bytes at an offset, or a size when data is nil.
type write struct {
	at   int64
	data []byte
}

// New returns a file system with an empty, durable root directory.
func New() *FS {
	s := &FS{nextIno: 1, inUse: make(map[*node]struct{}), open: make(map[*file]struct{})}
	s.root = s.newNode(fs.ModeDir | vfs.DirMode)
	return s
}

func (s *FS) newNode(mode fs.FileMode) *node {
	s.nextIno++
	n := &node{ino: s.nextIno, mode: mode, mtime: s.tick(), nlink: 1, lock: make(chan struct{}, 1)}
	if mode.IsDir() {
		n.names, n.durable = make(map[string]*node), make(map[string]*node)
	}
	return n
}

func (s *FS) tick() int64 {
	s.clock++
	return s.clock
}

func (s *FS) apply(c change) {
	for _, e := range c {
		if e.node == nil {
			delete(e.dir.names, e.name)
		} else {
			e.dir.names[e.name] = e.node
		}
		e.dir.mtime = s.tick()
	}
	s.pending = append(s.pending, c)
}

func (n *node) info(name string) vfs.Info {
	size := int64(len(n.data))
	if n.mode&fs.ModeSymlink != 0 {
		size = int64(len(n.target))
	}
	return vfs.Info{
		Name: path.Base(name), Dev: 1, Ino: n.ino, Size: size, Nlink: n.nlink,
		Mode: n.mode, UID: n.uid, GID: n.gid, ModTime: n.mtime,
	}
}

// parent finds the directory of name, following links, and the last element.
func (s *FS) parent(name string, depth int) (*node, string, error) {
	return s.above(clean(name), depth)
}

// above is parent of a clean name.
func (s *FS) above(name string, depth int) (*node, string, error) {
	at := strings.LastIndexByte(name, '/')
	if at < 0 || name == "/" {
		return nil, "", syscall.EINVAL
	}
	n, err := s.reach(name[:max(at, 1)], true, depth)
	if err != nil {
		return nil, "", err
	}
	if !n.mode.IsDir() {
		return nil, "", syscall.ENOTDIR
	}
	return n, name[at+1:], nil
}

// walk finds the node of name.
func (s *FS) walk(name string, follow bool, depth int) (*node, error) {
	return s.reach(clean(name), follow, depth)
}

// reach is walk of a clean name.
func (s *FS) reach(name string, follow bool, depth int) (*node, error) {
	if depth > 40 {
		return nil, syscall.ELOOP
	}
	if name == "/" {
		return s.root, nil
	}
	dir, base, err := s.above(name, depth+1)
	if err != nil {
		return nil, err
	}
	n := dir.names[base]
	if n == nil {
		return nil, syscall.ENOENT
	}
	if follow && n.mode&fs.ModeSymlink != 0 {
		target := n.target
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(name), target)
		}
		return s.walk(target, true, depth+1)
	}
	return n, nil
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, old, new string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: old, New: new, Err: err}
}

// Open opens or creates a regular file.
func (s *FS) Open(name string, flag int) (vfs.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.openNode(name, flag)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	f := &file{fs: s, node: n, name: name, path: clean(name), flag: flag}
	s.open[f] = struct{}{}
	return f, nil
}

func (s *FS) openNode(name string, flag int) (*node, error) {
	if flag&os.O_CREATE == 0 {
		n, err := s.walk(name, false, 0)
		if err != nil {
			return nil, err
		}
		if !n.mode.IsRegular() {
			return nil, vfs.ErrNotRegular
		}
		if flag&os.O_TRUNC != 0 {
			n.resize(0, s.tick())
		}
		return n, nil
	}
	if flag&os.O_EXCL == 0 {
		return nil, errors.ErrUnsupported
	}
	dir, base, err := s.parent(name, 0)
	if err != nil {
		return nil, err
	}
	if dir.names[base] != nil {
		return nil, syscall.EEXIST
	}
	n := s.newNode(vfs.FileMode)
	s.apply(change{{dir, base, n}})
	return n, nil
}

func (s *FS) make(op, name string, mode fs.FileMode, target string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, base, err := s.parent(name, 0)
	if err == nil && dir.names[base] != nil {
		err = syscall.EEXIST
	}
	if err != nil {
		return pathError(op, name, err)
	}
	n := s.newNode(mode)
	n.target = target
	s.apply(change{{dir, base, n}})
	return nil
}

// Mkdir creates a directory.
func (s *FS) Mkdir(name string) error {
	return s.make("mkdir", name, fs.ModeDir|vfs.DirMode, "")
}

// Symlink creates a symbolic link.
func (s *FS) Symlink(target, name string) error {
	return s.make("symlink", name, fs.ModeSymlink|0o777, target)
}

// Special creates what is no file, directory or link: mode says what.
func (s *FS) Special(name string, mode fs.FileMode) error {
	return s.make("mknod", name, mode, "")
}

// Stat follows links.
func (s *FS) Stat(name string) (vfs.Info, error) { return s.stat("stat", name, true) }

// Lstat does not.
func (s *FS) Lstat(name string) (vfs.Info, error) { return s.stat("lstat", name, false) }

func (s *FS) stat(op, name string, follow bool) (vfs.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, follow, 0)
	if err != nil {
		return vfs.Info{}, pathError(op, name, err)
	}
	return n.info(name), nil
}

// Names lists a directory.
func (s *FS) Names(name string) ([]string, error) {
	list, err := s.ReadDir(name)
	names := make([]string, len(list))
	for i, info := range list {
		names[i] = info.Name
	}
	return names, err
}

// ReadDir lists a directory.
func (s *FS) ReadDir(name string) ([]vfs.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, true, 0)
	if err == nil && !n.mode.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	list := make([]vfs.Info, 0, len(n.names))
	for _, base := range sortedNames(n.names) {
		list = append(list, n.names[base].info(base))
	}
	return list, nil
}

// Readlink returns what a link says.
func (s *FS) Readlink(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, false, 0)
	if err == nil && n.mode&fs.ModeSymlink == 0 {
		err = syscall.EINVAL
	}
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	return n.target, nil
}

// Chmod sets the permission bits. They are durable at once.
func (s *FS) Chmod(name string, mode fs.FileMode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, true, 0)
	if err != nil {
		return pathError("chmod", name, err)
	}
	n.mode = n.mode.Type() | mode.Perm()
	return nil
}

// SetInUse says whether InUse reports the file of that name to be open
// elsewhere, for as long as the file lives and under all its names.
func (s *FS) SetInUse(name string, inUse bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.walk(name, true, 0)
	if err != nil {
		return pathError("stat", name, err)
	}
	if inUse {
		s.inUse[n] = struct{}{}
	} else {
		delete(s.inUse, n)
	}
	return nil
}

// InUse reports what SetInUse said.
func (s *FS) InUse(info vfs.Info) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.inUse {
		if n.ino == info.Ino {
			return true, nil
		}
	}
	return false, nil
}
