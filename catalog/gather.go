package catalog

import (
	"errors"
	"io"
	"slices"

	"github.com/cambium-dev/cambium/entry"
)

// gathered is what is held of one session while its entries are gathered.
type gathered struct {
	// all says that every line is held, whatever was asked for: what a line means
	// shows only when all are known.
	all   bool
	lines []gatheredLine
	text  []byte
	keys  []uint64 // of all entries
}

// A gatheredLine is an entry that may have been asked for.
type gatheredLine struct {
	at   entry.At
	key  uint64
	pos  int32
	from int32 // where its line begins in the text, -1 for one that is read again
	size int32
}

// reset forgets a session. What was yielded of it stays.
func (g *gathered) reset(all bool) {
	g.all, g.lines, g.text, g.keys = all, g.lines[:0], nil, g.keys[:0]
}

// take takes the next entry.
func (g *gathered) take(w *entryWalk, e *entry.Envelope, line []byte, at entry.At) {
	key := keyOf(w.kin.seed, e)
	pos := len(g.keys)
	g.keys = append(g.keys, key)
	if !g.all && !w.q.matches(e.Kind, e.Role, e.Time) {
		return
	}
	l := gatheredLine{at: at, key: key, pos: int32(pos), from: -1}
	if line != nil && len(g.text)+len(line) <= heldLines {
		l.from, l.size = int32(len(g.text)), int32(len(line))
		g.text = append(g.text, line...)
	}
	g.lines = append(g.lines, l)
}

// line returns the bytes of an entry.
func (g *gathered) line(l *gatheredLine, log io.ReaderAt) ([]byte, error) {
	if l.from < 0 {
		return readLine(log, l.at)
	}
	end := l.from + l.size
	return g.text[l.from:end:end], nil
}

// sorted returns the keys of all entries in order.
func (g *gathered) sorted() []uint64 {
	keys := slices.Clone(g.keys)
	slices.Sort(keys)
	return keys
}

// readLine reads one line of a log.
func readLine(log io.ReaderAt, at entry.At) ([]byte, error) {
	line := make([]byte, at.Len)
	n, err := log.ReadAt(line, at.Off)
	if int64(n) == at.Len {
		return line, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// maxKeys is how many keys of sessions are held, for the forks of them.
const maxKeys = 1 << 20

// ledgers hold the keys of the entries of sessions that were read last.
type ledgers struct {
	at    map[string][]uint64
	order []string // the one that goes next first
	held  int
}

// put holds the keys of a session, and lets others go.
func (l *ledgers) put(name string, keys []uint64) {
	if _, ok := l.at[name]; ok {
		return
	}
	l.at[name], l.order, l.held = keys, append(l.order, name), l.held+len(keys)
	for l.held > maxKeys && len(l.order) > 1 {
		l.held -= len(l.at[l.order[0]])
		delete(l.at, l.order[0])
		l.order = l.order[1:]
	}
}
