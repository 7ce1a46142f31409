package journal

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
)

// window is how much is read at once when entries are asked for in the order
// of the log, in bytes.
const window = 256 << 10

// large is the length of a line, in bytes, from which on it is worth the time to
// have no more than one in memory if the caller keeps only one.
const large = 64 << 20

// A loader reads the lines of the entries as one reading of the log found them.
// Another reading has a loader of its own; this one goes on to read the log that
// it was made for. It is safe for concurrent use.
type loader struct {
	// stale migrates a stored line, nil in the current version; entries from
	// fresh on are of it, and those before have names in the index that their lines
	// need not have. Both are set before the loader is shared.
	stale func(int, []byte) ([]byte, error)
	fresh int
	// resolve puts back what was kept elsewhere; it may be nil.
	resolve func(line []byte) ([]byte, error)

	src *source

	mu     sync.Mutex // guards all below
	lent   bool
	name   string
	x      *entry.Index
	held   kept           // lines that are not, or not so, in the log
	buf    []byte         // the last window read
	off    int64          // where it begins in the log
	ahead  ahead          // those behind it
	busy   sync.WaitGroup // readings ahead that have not ended, wanted or not
	next   int64          // where the last line asked for ended
	doubt  bool           // see doubtful
	sought []byte         // of check, to be used again
	env    entry.Envelope // of the line that is checked
}

// newLoader returns a loader that the journal uses.
func (j *Journal) newLoader(x *entry.Index, sec powers.Section, held kept) *loader {
	return &loader{resolve: j.opt.Resolve, src: newSource(sec), name: j.opt.Name, x: x, held: held}
}

// lend has the log stay open for as long as anybody holds the loader.
func (l *loader) lend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.lent {
		l.lent = true
		l.src.use()
		runtime.AddCleanup(l, (*source).drop, l.src)
	}
}

// see has the loader read other bytes and returns those that it read before, which
// nothing reads any more.
func (l *loader) see(sec powers.Section) powers.Section {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf, l.ahead = nil, ahead{} // they may hold what has been overwritten
	l.busy.Wait()
	return l.src.set(sec)
}

// call gives the log another name in messages.
func (l *loader) call(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
}

// body returns the line of entry i as it is now: migrated, and with what was
// kept elsewhere put back.
func (l *loader) body(i int) ([]byte, error) {
	raw, err := l.line(i)
	if err != nil {
		return nil, err
	}
	if l.stale != nil && i < l.fresh {
		if raw, err = l.stale(i, raw); err != nil {
			return nil, err
		}
	}
	if l.resolve != nil {
		return l.resolve(raw)
	}
	return raw, nil
}

// line returns the stored line of entry i, in one piece and without newline.
func (l *loader) line(i int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.held.get(i); ok {
		return s.line, nil
	}
	return l.read(l.x.At(i), i)
}

// read returns the bytes of the log at at. Lines that follow one another come
// out of one window, so that a whole branch costs few reads. The result is not
// changed by later calls.
func (l *loader) read(at entry.At, i int) ([]byte, error) {
	sec := l.src.get()
	if sec == nil || at.Off < 0 {
		return nil, fmt.Errorf("read entry %d of %q: its line is not at hand", i+1, l.name)
	}
	end := at.Off + at.Len
	follows := at.Off >= l.next && at.Off <= l.next+16
	l.next = end
	if at.Off >= l.off && end <= l.off+int64(len(l.buf)) {
		return l.known(i, l.buf[at.Off-l.off:end-l.off:end-l.off])
	}
	follows = follows && at.Len <= window
	if !follows {
		l.ahead = ahead{}
	} else if buf, off := l.ahead.take(at.Off, end); buf != nil {
		l.buf, l.off = buf, off
		l.readAhead(sec, i)
		return l.known(i, l.buf[at.Off-l.off:end-l.off:end-l.off])
	}
	size := at.Len
	if follows {
		size = max(size, min(window, l.end()-at.Off))
	}
	if size >= large {
		l.buf = nil
		runtime.GC() // the line before, as large most likely, may be let go of
	}
	buf := make([]byte, size)
	n, err := sec.ReadAt(buf, at.Off)
	if int64(n) < at.Len {
		if ended(err) {
			return nil, l.other(i) // it was cut short
		}
		return nil, l.unreadable(at, err)
	}
	if follows {
		second := l.buf != nil && at.Off <= l.off+int64(len(l.buf)) && at.Off >= l.off
		if l.buf, l.off = buf[:n], at.Off; second {
			l.readAhead(sec, i)
		}
	}
	return l.known(i, buf[:at.Len:at.Len])
}

// end is where the last entry ends in the log: what stands behind it is nobody's.
func (l *loader) end() int64 {
	last := l.x.At(l.x.Len() - 1)
	return last.Off + last.Len
}

// unreadable is the error for a line that cannot be read whole.
func (l *loader) unreadable(at entry.At, err error) error {
	return fmt.Errorf("read entry at line %d of %q: byte %d: %w", at.Line, l.name, at.Off, err)
}

// oneLine returns an object that was written over several lines as one: a line
// end is white space outside of strings, and inside of them it is escaped.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	var j jsonl.Joiner
	for line := range bytes.SplitSeq(raw, []byte{'\n'}) {
		if j.Lines() == 0 {
			line = bytes.TrimRight(line, "\x00") // as it was read: see part.begin
		}
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
func (l *loader) hold(i int, s saved) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held.put(i, s)
}

// add adds an entry to the index, and keeps its line in memory.
func (l *loader) add(e *entry.Envelope, at entry.At, s saved) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.x.Add(e, at)
	l.held.put(i, s)
	return i
}

// forget has the loader keep no lines in memory.
func (l *loader) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = kept{}
}

// kept returns the line of entry i if it is in memory.
func (l *loader) kept(i int) (saved, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.get(i)
}

// mine returns the positions of the lines that this process wrote, in order.
func (l *loader) mine() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []int
	for i, s := range l.held.all() {
		if s.stored != nil {
			all = append(all, i)
		}
	}
	return all
}

// stored returns the line of entry i as this process writes it, nil if it does
// not.
func (l *loader) stored(i int) []byte {
	s, _ := l.kept(i)
	return s.stored
}
