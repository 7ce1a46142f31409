package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Waiting is what waits to be sent to one log.
type Waiting struct {
	// Name is the log's, Since when the first of it was appended.
	Name  string
	Since time.Time
	// Lines are the lines, in order.
	Lines [][]byte

	after storage.Mark // what the first of them was appended behind
}

// waitingHead is the first line of the file of what waits.
type waitingHead struct {
	Version int       `json:"v"`
	Name    string    `json:"name"`
	After   string    `json:"after"`
	Since   time.Time `json:"since"`
}

func (s *Store) waitingFile(name string) string { return fileOf(s.opt.Waiting, name) + ".jsonl" }

// awayMark is the mark behind n lines that wait.
func awayMark(name string, n int) storage.Mark {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // it cannot fail
	return storage.MakeMark([4]uint64{awayWord, h.Sum64(), uint64(n), 0})
}

const awayWord = 0x61776179_6d61726b

// isAway returns how many lines that waited a mark stands behind.
func isAway(m storage.Mark) (n int, ok bool) {
	w := m.Words()
	return int(w[2]), w[0] == awayWord
}

// mark is that behind all that waits.
func (w *Waiting) mark() storage.Mark { return awayMark(w.Name, len(w.Lines)) }

// waits returns what waits for a log; nil for nothing.
func (s *Store) waits(name string) (*Waiting, error) {
	if s.opt.Waiting == "" {
		return nil, nil
	}
	return readWaiting(s.waitingFile(name))
}

// readWaiting reads a file of what waits; nil when there is none. What a crash
// left half written was never acknowledged.
func readWaiting(path string) (*Waiting, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	lines := bytes.Split(data, []byte{'\n'})
	if len(lines) < 3 { // the head, a line, and nothing behind the last one
		return nil, nil
	}
	var head waitingHead
	if err := json.Unmarshal(lines[0], &head, jsontext.AllowInvalidUTF8(true)); err != nil || head.Version != 1 {
		return nil, fmt.Errorf("read %q: it does not say what it is", path)
	}
	after, err := storage.ParseMark(head.After)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	return &Waiting{Name: head.Name, Since: head.Since, Lines: lines[1 : len(lines)-1], after: after}, nil
}

// wait makes lines wait behind those that do, durably. w is what waits now, nil
// for nothing. The lock of the name is held.
func (s *Store) wait(name string, w *Waiting, after storage.Mark, lines [][]byte) (err error) {
	if _, err := vfs.MkdirAll(vfs.OS(), s.opt.Waiting); err != nil {
		return err
	}
	var buf []byte
	if w == nil {
		head, err := json.Marshal(waitingHead{1, name, after.String(), s.opt.Now()}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		buf = append(head, '\n')
	}
	for _, line := range lines {
		buf = append(append(buf, line...), '\n')
	}
	f, err := os.OpenFile(s.waitingFile(name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size := int64(0)
	if w != nil {
		if size, err = whole(f); err != nil {
			return err
		}
	}
	if err := f.Truncate(size); err != nil { // what a crash left
		return err
	}
	if _, err := f.WriteAt(buf, size); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if w == nil {
		return vfs.OS().SyncDir(s.opt.Waiting)
	}
	return nil
}

// whole returns how many bytes of a file are whole lines.
func whole(f *os.File) (int64, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<62))
	return int64(bytes.LastIndexByte(data, '\n') + 1), err
}

// locked has f done by one process at a time, of all that share what waits.
func (s *Store) locked(ctx context.Context, name string, f func() error) (err error) {
	if s.opt.Waiting == "" {
		return f()
	}
	if _, err := vfs.MkdirAll(vfs.OS(), s.opt.Waiting); err != nil {
		return err
	}
	path := fileOf(s.opt.Waiting, name) + ".lock"
	lock, err := vfs.OS().Open(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = vfs.OS().Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	}
	if errors.Is(err, fs.ErrExist) { // another process made it
		lock, err = vfs.OS().Open(path, os.O_RDWR)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := lock.Lock(ctx); err != nil {
		return storage.AsLocked(err)
	}
	return f()
}

// Wait returns all that waits, in no order.
func (s *Store) Wait() ([]Waiting, error) {
	all, err := os.ReadDir(s.opt.Waiting)
	if errors.Is(err, fs.ErrNotExist) || s.opt.Waiting == "" {
		return nil, nil
	}
	var list []Waiting
	for _, e := range all {
		if !strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		w, werr := readWaiting(filepath.Join(s.opt.Waiting, e.Name()))
		if err = errors.Join(err, werr); w != nil {
			list = append(list, *w)
		}
	}
	return list, err
}
