package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// maxChunk is how many bytes are appended at once.
const maxChunk = 8 << 20

// A sending is entries on their way from one side to the other.
type sending struct {
	*run
	from, to *reading
	way      int // 0 out, 1 in
	amount   *Amount
	head     [][]byte     // lines before the entries of a log that is made
	mark     storage.Mark // of the log that is sent to, as it was left
	begun    bool         // something was appended
	missing  int          // blobs that neither side has
	left     int          // artifacts that cannot go there
}

func (r *run) sending(from, to *reading, way int, a *Amount) *sending {
	return &sending{run: r, from: from, to: to, way: way, amount: a}
}

// entries appends entries and, behind them, more lines, after a mark. An error
// that wraps errAgain means that the log changed.
func (s *sending) entries(ctx context.Context, after storage.Mark, entries []int, more [][]byte) (err error) {
	s.mark = after
	if len(entries)+len(more)+len(s.head) == 0 {
		return nil
	}
	var log storage.Log
	if !s.opt.DryRun {
		mode := storage.Write
		if after.IsZero() {
			mode = storage.Create
		}
		if log, err = s.to.side.store.Open(ctx, s.to.at.name, mode); err != nil {
			return again(err)
		}
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	chunk, size := s.head, 0
	add := func(line []byte) error {
		if size > 0 && size+len(line) > maxChunk {
			if err := s.chunk(ctx, log, chunk); err != nil {
				return err
			}
			chunk, size = nil, 0
		}
		chunk, size = append(chunk, line), size+len(line)+1
		return nil
	}
	for _, i := range entries {
		line, err := s.from.line(i)
		if err != nil {
			return err
		}
		if err := add(line); err != nil {
			return err
		}
	}
	for _, line := range more {
		if err := add(line); err != nil {
			return err
		}
	}
	if err := s.chunk(ctx, log, chunk); err != nil || log == nil {
		return err
	}
	if err := powers.Sync(ctx, log); err != nil {
		return err
	}
	if s.way == 0 {
		s.compareClocks(ctx, log)
	}
	return nil
}

// chunk appends lines, after the blobs that they name.
func (s *sending) chunk(ctx context.Context, log storage.Log, lines [][]byte) error {
	for _, line := range lines {
		if err := s.blobsOf(ctx, line); err != nil {
			return err
		}
	}
	if log != nil {
		mark, err := log.Append(ctx, s.mark, lines)
		if err != nil {
			return again(err)
		}
		s.mark, s.begun = mark, true
	}
	for _, line := range lines {
		s.amount.Bytes += int64(len(line)) + 1
	}
	s.amount.Entries += int64(len(lines) - len(s.head))
	s.head = nil
	return nil
}

// again says of an error that the log changed, if it does.
func again(err error) error {
	var changed *storage.Changed
	var partial *storage.Partial
	if errors.As(err, &changed) || errors.As(err, &partial) && errors.As(partial.Err, &changed) || errors.Is(err, storage.ErrExist) {
		return fmt.Errorf("%w: %w", errAgain, err)
	}
	return err
}

// blobsOf copies the blobs that a line names and the other side does not have.
func (s *sending) blobsOf(ctx context.Context, line []byte) error {
	for ref := range refs(line) {
		if err := s.blob(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

func (s *sending) blob(ctx context.Context, ref blob.Ref) error {
	from, to := s.from.side.blobStore(s.from.at.agent), s.to.side.blobStore(s.from.at.agent)
	if from == nil || to == nil {
		return nil
	}
	key := s.from.at.agent + " " + ref.Hash()
	s.run.mu.Lock()
	there, lost := s.run.blobs[s.way][key], s.run.lost[key]
	s.run.mu.Unlock()
	if there || lost {
		return nil
	}
	_, err := to.Read(ctx, ref)
	moved := false
	switch {
	case errors.Is(err, blob.ErrNotExist), errors.Is(err, blob.ErrMismatch):
		data, srcErr := from.Read(ctx, ref)
		if errors.Is(srcErr, blob.ErrNotExist) || errors.Is(srcErr, blob.ErrMismatch) {
			s.lose(key)
			return nil // the entry says more without it than not at all
		}
		if err = srcErr; err == nil && !s.opt.DryRun {
			_, err = to.Put(ctx, data, "")
		}
		moved = err == nil
	}
	if err != nil {
		return fmt.Errorf("copy blob %s: %w", ref.Hash()[:16], err)
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if moved && !s.run.blobs[s.way][key] {
		s.amount.Blobs++
	}
	s.run.blobs[s.way][key] = true
	return nil
}

// refs yields the references to blobs that are a string of a line each.
func refs(line []byte) func(yield func(blob.Ref) bool) {
	return func(yield func(blob.Ref) bool) {
		const begin = `"blob:sha256:`
		for rest := line; ; {
			i := bytes.Index(rest, []byte(begin))
			if i < 0 {
				return
			}
			rest = rest[i+1:]
			end := bytes.IndexByte(rest, '"')
			if end < 0 {
				return
			}
			if ref, ok := blob.ParseRef(string(rest[:end])); ok && !yield(ref) {
				return
			}
		}
	}
}

// compareClocks looks once whether the store's clock and ours differ much.
func (s *sending) compareClocks(ctx context.Context, log storage.Log) {
	s.run.mu.Lock()
	first := !s.run.clock
	s.run.clock = true
	s.run.mu.Unlock()
	if !first {
		return
	}
	info, err := log.Stat(ctx)
	if err != nil || info.ModTime == 0 {
		return
	}
	apart := s.opt.Now().Sub(time.Unix(0, info.ModTime)).Round(time.Second)
	switch {
	case apart > time.Minute:
		s.warn("the clock of the store is %s behind this machine's: entries may be shown out of order", apart)
	case apart < -time.Minute:
		s.warn("the clock of the store is %s ahead of this machine's: entries may be shown out of order", -apart)
	}
}
