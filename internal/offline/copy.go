package offline

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// copied describes the copy of a log: its lines up to a mark, each with its line
// feed, are the first Size bytes of a file.
type copied struct {
	Version int    `json:"v"`
	Name    string `json:"name"`
	Mark    string `json:"mark"`
	Lines   int64  `json:"lines"`
	Size    int64  `json:"size"`
	Sum     uint64 `json:"sum"` // CRC-64 (ECMA) of the bytes
	ModTime int64  `json:"modTime"`

	mark storage.Mark
}

// table is that of the sums.
func table() *crc64.Table { return crc64.MakeTable(crc64.ECMA) }

// fileOf is the path, without its ending, of what is kept of a name.
func fileOf(dir, name string) string {
	return filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:32])
}

func (s *Store) copyFile(name string) string { return fileOf(s.copies(), name) }

// copyOf returns what is known of the copy of a log; nil for none.
func (s *Store) copyOf(name string) *copied {
	c := readCopied(s.copyFile(name) + ".json")
	if c == nil || c.Name != name {
		return nil
	}
	return c
}

func readCopied(path string) *copied {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	c := new(copied)
	if err := json.Unmarshal(raw, c, jsontext.AllowInvalidUTF8(true)); err != nil || c.Version != 1 {
		return nil
	}
	if c.mark, err = storage.ParseMark(c.Mark); err != nil {
		return nil
	}
	return c
}

func (c *copied) info() storage.Info {
	return storage.Info{Name: c.Name, Mark: c.mark, Size: c.Size, ModTime: c.ModTime, Mode: 0o600}
}

// heads returns the files that each describe a copy.
func (s *Store) heads() []string {
	heads, _ := filepath.Glob(filepath.Join(s.copies(), "*.json")) // the pattern is good
	return heads
}

// Copies counts what is kept of the store here: logs and their bytes.
func (s *Store) Copies() (logs int, bytes int64) {
	for _, head := range s.heads() {
		if c := readCopied(head); c != nil {
			logs, bytes = logs+1, bytes+c.Size
		}
	}
	return logs, bytes
}

// lines yields the lines of a copy. An error means that it is damaged: what was
// yielded is not to be trusted.
func (s *Store) lines(c *copied) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		f, err := os.Open(s.copyFile(c.Name) + ".lines")
		if err != nil {
			yield(storage.Line{}, err)
			return
		}
		defer func() { _ = f.Close() }() // nothing was written
		r := bufio.NewReaderSize(io.LimitReader(f, c.Size), 1<<16)
		var long []byte
		for pos := int64(0); ; {
			part, err := r.ReadSlice('\n')
			long = append(long, part...)
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err != nil && (!errors.Is(err, io.EOF) || len(long) > 0 || pos != c.Lines):
				yield(storage.Line{}, fmt.Errorf("read copy: %w", errDamaged))
				return
			case err != nil:
				return
			}
			if !yield(storage.Line{Bytes: long[:len(long)-1], Pos: pos, LF: true}, nil) {
				return
			}
			pos, long = pos+1, long[:0]
		}
	}
}

var errDamaged = errors.New("it is damaged")

// sound reports whether the bytes of a copy are what they were.
func (s *Store) sound(c *copied) bool {
	f, err := os.Open(s.copyFile(c.Name) + ".lines")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	sum, t := uint64(0), table()
	n, err := io.Copy(sums(func(p []byte) { sum = crc64.Update(sum, t, p) }), io.LimitReader(f, c.Size))
	return err == nil && n == c.Size && sum == c.Sum
}

// sums is a writer that only counts.
type sums func([]byte)

func (f sums) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// A copier makes the copy of a log anew, or adds to it.
type copier struct {
	s    *Store
	c    copied
	file *os.File
	w    *bufio.Writer
	temp string // "" when it is added to
	err  error
}

// begin begins a copy of a log, behind what is kept of it, if that is given.
func (s *Store) begin(name string, behind *copied) *copier {
	k := &copier{s: s, c: copied{Version: 1, Name: name}}
	if k.err = os.MkdirAll(s.copies(), 0o700); k.err != nil {
		return k
	}
	if behind != nil {
		k.c = *behind
		k.file, k.err = os.OpenFile(s.copyFile(name)+".lines", os.O_WRONLY, 0)
		if k.err == nil {
			_, k.err = k.file.Seek(behind.Size, io.SeekStart)
		}
	} else {
		k.file, k.err = os.CreateTemp(s.copies(), ".new-*") // for the owner only
		if k.err == nil {
			k.temp = k.file.Name()
		}
	}
	if k.err == nil {
		k.w = bufio.NewWriterSize(k.file, 1<<16)
	}
	return k
}

// add adds a line.
func (k *copier) add(line []byte) {
	if k.err != nil {
		return
	}
	t := table()
	for _, part := range [][]byte{line, {'\n'}} {
		if _, k.err = k.w.Write(part); k.err != nil {
			return
		}
		k.c.Sum = crc64.Update(k.c.Sum, t, part)
	}
	k.c.Lines, k.c.Size = k.c.Lines+1, k.c.Size+int64(len(line))+1
	if k.c.Size > k.s.opt.Most/2 {
		k.err = errors.New("too large to be kept")
	}
}

// end makes the copy that of a mark, or gives it up when that is the zero one.
// What goes wrong costs the copy only.
func (k *copier) end(info storage.Info) {
	path := k.s.copyFile(k.c.Name)
	if k.file == nil {
		return
	}
	if k.err == nil {
		k.err = k.w.Flush()
	}
	err := errors.Join(k.err, k.file.Close())
	if err == nil && k.temp != "" && !info.Mark.IsZero() {
		_ = os.Remove(path + ".json") // what it says is of the old lines
		if err = os.Rename(k.temp, path+".lines"); err == nil {
			k.temp = ""
		}
	}
	if k.temp != "" {
		_ = os.Remove(k.temp) // nobody knows of it
	}
	if err != nil || info.Mark.IsZero() {
		return
	}
	k.c.mark, k.c.Mark, k.c.ModTime = info.Mark, info.Mark.String(), info.ModTime
	if raw, err := json.Marshal(&k.c, jsontext.AllowInvalidUTF8(true)); err == nil && replaceFile(path+".json", raw) == nil {
		k.s.evict()
	}
}

// replaceFile puts a small file in place of another, whole.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nobody knows of it
	}
	return err
}

// forget drops the copy of a log.
func (s *Store) forget(name string) {
	path := s.copyFile(name)
	_ = os.Remove(path + ".json") // without it the lines are nothing
	_ = os.Remove(path + ".lines")
}

// evict drops copies, those first that were not used for longest, until what is
// left is no more than it may be.
func (s *Store) evict() {
	type kept struct {
		path string
		size int64
		at   time.Time
	}
	var all []kept
	var sum int64
	for _, dir := range []string{s.copies(), filepath.Join(s.opt.Cache, "blobs")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) == ".json" {
				return nil
			}
			if info, err := d.Info(); err == nil {
				all = append(all, kept{path, info.Size(), info.ModTime()})
				sum += info.Size()
			}
			return nil
		})
	}
	if sum <= s.opt.Most {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	for _, k := range all {
		if sum <= s.opt.Most {
			return
		}
		if base, ok := bytes.CutSuffix([]byte(k.path), []byte(".lines")); ok {
			_ = os.Remove(string(base) + ".json") // without it the lines are nothing
		}
		if os.Remove(k.path) == nil {
			sum -= k.size
		}
	}
}
