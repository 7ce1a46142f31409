package exchange

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// knownFirst is the first line of the file of what was seen last.
const knownFirst = "cambium sync 3"

// A known pair is what was seen of it when it was united last.
type known struct {
	there           string // the log there; the one here is the key
	here, thereMark storage.Mark
	title           string // the effective title of both
	entries         int    // how many the log here has
	sum             string // of them; "" if that is not known
	beside          string // what lay beside both; see shelfMark
}

// memo is what was seen last of two sides, by the names of the logs here. It
// only saves time. It is safe for concurrent use.
type memo struct {
	fsys vfs.FS
	file string // "" for none

	mu   sync.Mutex
	was  map[string]known // guarded by mu
	now  map[string]known // guarded by mu
	news bool             // guarded by mu: something is to be written
}

// openMemo reads what is remembered of two sides in a directory. A file that
// cannot be read, or is of another form, is as good as none.
func openMemo(fsys vfs.FS, dir string, here, there string) *memo {
	m := &memo{fsys: fsys, was: make(map[string]known), now: make(map[string]known)}
	if dir == "" {
		return m
	}
	sum := sha256.Sum256([]byte(here + "\n" + there))
	m.file = filepath.Join(dir, fmt.Sprintf("%x.txt", sum[:8]))
	data, err := vfs.ReadFile(fsys, m.file, 1<<30)
	if err != nil {
		return m
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != knownFirst {
		return m
	}
	for lines.Scan() {
		if name, k, ok := parseKnown(lines.Text()); ok {
			m.was[name] = k
		}
	}
	return m
}

// ErrRunning: another run unites the same two sides. Nothing was written; what
// there is to do it does.
var ErrRunning = errors.New("another sync of the same places is running")

// alone returns when no other run unites the same sides, or ErrRunning. The lock
// ends with unlock, or with the process.
func (m *memo) alone() (unlock func(), err error) {
	if m.file == "" {
		return func() {}, nil
	}
	if _, err := vfs.MkdirAll(m.fsys, filepath.Dir(m.file)); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	name := strings.TrimSuffix(m.file, ".txt") + ".lock"
	f, err := m.fsys.Open(name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = m.fsys.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	}
	if errors.Is(err, fs.ErrExist) {
		f, err = m.fsys.Open(name, os.O_RDWR)
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	locked, err := f.TryLock()
	if err == nil && !locked {
		err = ErrRunning
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = errors.Join(f.Unlock(), f.Close()) }, nil // it ends with the process at the latest
}

func parseKnown(line string) (name string, k known, ok bool) {
	parts := strings.Split(line, "\t")
	if len(parts) != 8 {
		return "", k, false
	}
	var err [6]error
	name, err[0] = strconv.Unquote(parts[0])
	k.here, err[1] = storage.ParseMark(parts[1])
	k.there, err[2] = strconv.Unquote(parts[2])
	k.thereMark, err[3] = storage.ParseMark(parts[3])
	k.title, err[4] = strconv.Unquote(parts[4])
	k.entries, err[5] = strconv.Atoi(parts[5])
	k.sum, k.beside = parts[6], parts[7]
	return name, k, errors.Join(err[:]...) == nil
}

// of returns what is remembered of the log here of that name.
func (m *memo) of(name string) (known, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.was[name]
	return k, ok
}

// keep has what is remembered of a log stay.
func (m *memo) keep(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now[name] = m.was[name]
}

// note remembers a pair as it was left.
func (m *memo) note(name string, k known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now[name] = k; m.was[name] != k {
		m.news = true
	}
}

// save writes what is remembered, if it changed: whole to another file, which
// then takes the name.
func (m *memo) save() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == "" || !m.news && len(m.now) == len(m.was) {
		return nil
	}
	names := make([]string, 0, len(m.now))
	for name := range m.now {
		names = append(names, name)
	}
	slices.Sort(names)
	text := []byte(knownFirst + "\n")
	for _, name := range names {
		k := m.now[name]
		text = fmt.Appendf(text, "%q\t%s\t%q\t%s\t%q\t%d\t%s\t%s\n", name, k.here, k.there, k.thereMark, k.title, k.entries, k.sum, k.beside)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("remember what was seen: %w", err)
		}
	}()
	if _, err := vfs.MkdirAll(m.fsys, filepath.Dir(m.file)); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d", m.file, os.Getpid())
	if err := m.fsys.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(writeFile(m.fsys, temp, text, false), m.fsys.Rename(temp, m.file))
}

// writeFile writes a file that is not there yet.
func writeFile(fsys vfs.FS, name string, data []byte, durable bool) (err error) {
	f, err := fsys.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := vfs.WriteAll(f, data); err != nil || !durable {
		return err
	}
	return f.Sync()
}

// keepAll has all that is remembered stay.
func (m *memo) keepAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, k := range m.was {
		m.now[name] = k
	}
}

// keepOld has what is remembered of a log stay, if it is.
func (m *memo) keepOld(name string) {
	if _, ok := m.of(name); ok {
		m.keep(name)
	}
}
