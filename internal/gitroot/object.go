package gitroot

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxCommit is how long a commit may be in bytes, and the objects that one is
// stored as a change of.
const maxCommit = 1 << 20

// store reads the objects of a repository.
type store struct {
	fs    vfs.FS
	dirs  []string
	packs []*pack
}

// objects returns the objects of the repository and of those that it borrows
// from.
func (r *Repo) objects() *store {
	s := &store{fs: r.fs, dirs: []string{filepath.Join(r.common, "objects")}}
	for i := 0; i < len(s.dirs) && len(s.dirs) < 16; i++ {
		for row := range strings.Lines(r.text(filepath.Join(s.dirs[i], "info", "alternates"), 64<<10)) {
			if row = strings.TrimSpace(row); row != "" {
				s.dirs = append(s.dirs, join(s.dirs[i], row))
			}
		}
	}
	for _, dir := range s.dirs {
		names, err := s.fs.Names(filepath.Join(dir, "pack"))
		if err != nil {
			continue
		}
		for _, name := range names {
			if stem, ok := strings.CutSuffix(name, ".idx"); ok {
				if p, ok := openPack(s.fs, filepath.Join(dir, "pack", stem)); ok {
					s.packs = append(s.packs, p)
				}
			}
		}
	}
	return s
}

func (s *store) close() {
	for _, p := range s.packs {
		p.close()
	}
}

// commit returns the text of a commit.
func (s *store) commit(id string) ([]byte, bool) {
	if text, ok := s.loose(id); ok {
		return text, true
	}
	name, err := hex.DecodeString(id)
	if err != nil {
		return nil, false
	}
	for _, p := range s.packs {
		if at, ok := p.find(name); ok {
			if kind, data, ok := p.read(s, at, 0); ok {
				return data, kind == kindCommit
			}
		}
	}
	return nil, false
}

// loose reads a commit that has a file of its own.
func (s *store) loose(id string) ([]byte, bool) {
	for _, dir := range s.dirs {
		f, err := s.fs.Open(filepath.Join(dir, id[:2], id[2:]), os.O_RDONLY)
		if err != nil {
			continue
		}
		data, ok := inflate(f, 0, maxCommit)
		_ = f.Close() // only read
		head, text, cut := bytes.Cut(data, []byte{0})
		if ok && cut && bytes.HasPrefix(head, []byte("commit ")) {
			return text, true
		}
	}
	return nil, false
}

// inflate returns what is compressed at an offset: all of it, at most size
// bytes.
func inflate(f io.ReaderAt, at, size int64) ([]byte, bool) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, at, 1<<62), 1024)
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(z, size+1))
	return data, err == nil && int64(len(data)) <= size
}
