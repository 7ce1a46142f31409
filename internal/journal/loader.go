package journal

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/storage"
)

// window is how much is read at once when entries are asked for in the order
// of the log, in bytes.
const window = 256 << 10

// A loader reads the stored line of an entry. It is safe for concurrent use.
type loader struct {
	name string

	mu   sync.Mutex
	x    *entry.Index
	sec  storage.Section // nil in a store without bytes
	held map[int]saved   // lines that are not, or not so, in the log
	buf  []byte          // the last window read
	off  int64           // where it begins in the log
	next int64           // where the last line asked for ended
}

// line returns the stored line of entry i, in one piece and without newline.
func (l *loader) line(i int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.held[i]; ok {
		return s.line, nil
	}
	return l.read(l.x.At(i), i)
}

// read returns the bytes of the log at at. Lines that follow one another come
// out of one window, so that a whole branch costs few reads. The result is not
// changed by later calls.
func (l *loader) read(at entry.At, i int) ([]byte, error) {
	if l.sec == nil || at.Off < 0 {
		return nil, fmt.Errorf("read entry %d of %q: its line is not at hand", i+1, l.name)
	}
	end := at.Off + at.Len
	follows := at.Off >= l.next && at.Off <= l.next+16
	l.next = end
	if at.Off >= l.off && end <= l.off+int64(len(l.buf)) {
		return oneLine(l.buf[at.Off-l.off : end-l.off : end-l.off]), nil
	}
	size := at.Len
	if follows {
		size = max(size, window)
	}
	buf := make([]byte, size)
	n, err := l.sec.ReadAt(buf, at.Off)
	if int64(n) < at.Len {
		return nil, fmt.Errorf("read entry at line %d of %q: byte %d: %w", at.Line, l.name, at.Off, err)
	}
	if follows {
		l.buf, l.off = buf[:n], at.Off
	}
	return oneLine(buf[:at.Len:at.Len]), nil
}

// oneLine returns an object that was written over several lines as one: a line
// end is white space outside of strings, and inside of them it is escaped.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	var j jsonl.Joiner
	for line := range bytes.SplitSeq(raw, []byte{'\n'}) {
		j.Add(line)
	}
	if one := j.Value(); one != nil {
		return flat(one)
	}
	return flat(raw)
}

// flat returns a JSON text with its line ends replaced by spaces: outside of
// strings they are white space, and inside of them there are none.
func flat(raw []byte) []byte {
	one := bytes.ReplaceAll(raw, []byte{'\n'}, []byte{' '})
	return bytes.ReplaceAll(one, []byte{'\r'}, []byte{' '})
}

// A saved line is one that is kept in memory.
type saved struct {
	line   []byte // as it was given
	stored []byte // as it is written; nil if this process did not write it
}

// hold keeps the line of entry i in memory.
func (l *loader) hold(i int, s saved) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(map[int]saved)
	}
	l.held[i] = s
}

// kept returns the line of entry i if it is in memory.
func (l *loader) kept(i int) (saved, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.held[i]
	return s, ok
}

// mine returns the positions of the lines that this process wrote, in order.
func (l *loader) mine() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []int
	for i, s := range l.held {
		if s.stored != nil {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// stored returns the line of entry i as this process writes it, nil if it does
// not.
func (l *loader) stored(i int) []byte {
	s, _ := l.kept(i)
	return s.stored
}
