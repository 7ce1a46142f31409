package journal

import (
	"bytes"
	"fmt"
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
	held map[int][]byte  // lines that are not, or not so, in the log
	buf  []byte          // the last window read
	off  int64           // where it begins in the log
	next int64           // where the last line asked for ended
}

// line returns the stored line of entry i, in one piece and without newline.
func (l *loader) line(i int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if raw, ok := l.held[i]; ok {
		return raw, nil
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

// hold keeps the line of entry i in memory.
func (l *loader) hold(i int, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(map[int][]byte)
	}
	l.held[i] = line
}

// drop forgets the line of entry i: it is in the log.
func (l *loader) drop(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sec != nil {
		delete(l.held, i)
	}
}
