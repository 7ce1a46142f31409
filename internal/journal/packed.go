package journal

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
)

// minPacked is from how many bytes on it is worth it to pack a copy, stretchSize
// how many of them are packed at once.
const (
	minPacked   = 1 << 20
	stretchSize = 1 << 20
)

// A stretch is a part of a copy, packed.
type stretch struct {
	packed []byte
	size   int // unpacked
}

// Pack makes what is kept in memory in case the log is cut short as small as it
// goes: about a quarter of text, in about 10 ms a MB. It is for a session that is at
// rest. What happens to the journal meanwhile does not wait.
func (j *Journal) Pack() {
	j.mu.Lock()
	raw, loads := j.copy.data, j.loads
	j.mu.Unlock()
	if len(raw) < minPacked {
		return
	}
	all, err := pack(raw)
	if err != nil {
		return // it stays as it is
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.loads == loads && len(j.copy.data) >= len(raw) { // else it is of another log, or too much by now
		j.copy.before = append(j.copy.before, all...)
		j.copy.data = bytes.Clone(j.copy.data[len(raw):])
	}
}

// pack packs a part of a copy.
func pack(raw []byte) ([]stretch, error) {
	var all []stretch
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(raw, stretchSize) {
		b.Reset()
		w.Reset(&b)
		if _, err := w.Write(part); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		all = append(all, stretch{bytes.Clone(b.Bytes()), len(part)})
	}
	return all, nil
}

// size is how many bytes of the log are kept.
func (d *duplicate) size() int {
	n := len(d.data)
	for _, s := range d.before {
		n += s.size
	}
	return n
}

// all are the bytes that are kept.
func (d *duplicate) all() ([]byte, error) {
	if len(d.before) == 0 {
		return d.data, nil
	}
	all := make([]byte, 0, d.size())
	for _, s := range d.before {
		n := len(all)
		all = all[:n+s.size]
		if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(s.packed)), all[n:]); err != nil {
			return nil, fmt.Errorf("unpack what was kept of the log: %w", err)
		}
	}
	return append(all, d.data...), nil
}
