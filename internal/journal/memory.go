package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// A Memory keeps what a reading of a log has found, so that the next one need
// not read it all. It is never the truth and never required: what it returns is
// checked, and whatever is wrong with it the log is read. It must be safe for
// concurrent use.
type Memory interface {
	// Recall returns what was remembered last of the log of that name, and the
	// mark that was given with it; no data when there is nothing.
	Recall(ctx context.Context, name string) (storage.Mark, []byte, error)
	// Remember keeps data for the log of that name as it is at mark, in place
	// of what was kept before. It does not hold on to data.
	Remember(ctx context.Context, name string, mark storage.Mark, data []byte) error
}

const (
	// minMemory is the smallest log that is worth remembering, in bytes, and
	// how much it has to grow to be remembered anew.
	minMemory = 1 << 20
	// maxMemory is the most that is remembered of a log, in bytes.
	maxMemory = 16 << 20
	// restful is how long a log must have been left alone to be remembered: a
	// change within the clock's tick of another does not show in its time, and
	// for half a minute the system may lose in a power cut what was written.
	restful = time.Minute
)

// recall returns the part that a reading of size bytes of the log at mark would
// give, by what is remembered and what was appended since, and how much that is;
// nil when the log has to be read.
func (j *Journal) recall(ctx context.Context, sec powers.Section, size int64, mark storage.Mark) (*part, int64) {
	if !j.remembers(sec, size) {
		return nil, 0
	}
	was, data, err := j.opt.Memory.Recall(ctx, j.opt.Name)
	if err != nil || data == nil {
		return nil, 0
	}
	m, ok := parseMemo(data)
	if !ok || (was == mark) != (m.size == size) || m.size > size {
		return nil, 0
	}
	if sum, err := witness(sec, m.size); err != nil || sum != m.witness {
		return nil, 0
	}
	if m.size < size && (m.p.torn || !j.knows(ctx, was)) {
		return nil, 0
	}
	if m.p.x, err = entry.ParseIndex(m.index, m.size, m.p.lines); err != nil || !m.p.sound(m.size) {
		return nil, 0
	}
	if m.size < size && m.p.stretch(ctx, sec, m.size, size, true) != nil {
		return nil, 0
	}
	m.p.x.RehashLater()
	return m.p, size - m.size
}

// remembers reports whether a log of size bytes is one for the memory: at its
// first reading.
func (j *Journal) remembers(sec powers.Section, size int64) bool {
	least := j.opt.MemoryFrom
	if least == 0 {
		least = minMemory
	}
	return j.opt.Memory != nil && sec != nil && j.loads == 0 && size >= least
}

// knows reports whether the log is still the one of a mark, with more behind it
// or not.
func (j *Journal) knows(ctx context.Context, mark storage.Mark) bool {
	for _, err := range j.log.Read(ctx, mark) {
		return err == nil
	}
	return true
}

// remember has the memory keep what was just read of the log, unless that may
// still change without a sign of it. begun is when the reading began. It packs at
// once and keeps in the background.
func (j *Journal) remember(ctx context.Context, p *part, sec powers.Section, size int64, begun time.Time) {
	if !j.remembers(sec, size) || p.unfinished {
		return
	}
	info, err := j.log.Stat(ctx)
	if err != nil || info.Mark != j.mark || begun.Sub(time.Unix(0, info.ModTime)) < restful {
		return
	}
	sum, err := witness(sec, size)
	if err != nil {
		return
	}
	data := appendMemo(nil, &memo{p: p, size: size, witness: sum})
	if len(data) > maxMemory {
		return
	}
	mark, name, keep := j.mark, j.opt.Name, j.opt.Memory
	j.keeping.Go(func() {
		_ = keep.Remember(context.WithoutCancel(ctx), name, mark, data) // the next reading does without
	})
}

// What a witness looks at, in bytes: the beginning, the end, and so many places
// between.
const (
	witnessHead   = 4 << 10
	witnessTail   = 16 << 10
	witnessPlaces = 16
	witnessEach   = 512
)

// A sum is a checksum that no two contents have.
type sum = [sha256.Size]byte

// witness is a checksum of some of the first size bytes of a log: the first line,
// the last ones, and samples of what is between. It tells a log that was written
// anew in place, or after another with the same inode, from one that grew.
func witness(r io.ReaderAt, size int64) (sum, error) {
	hash := sha256.New()
	buf := make([]byte, witnessTail)
	look := func(from, n int64) error {
		from = max(0, from)
		n = min(n, size-from)
		if got, err := r.ReadAt(buf[:n], from); int64(got) < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		_, _ = hash.Write(buf[:n]) // never fails
		return nil
	}
	errs := []error{look(0, witnessHead), look(size-witnessTail, witnessTail)}
	for i := range int64(witnessPlaces) {
		errs = append(errs, look(size/(witnessPlaces+1)*(i+1), witnessEach))
	}
	return sum(hash.Sum(nil)), errors.Join(errs...)
}
