package unite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
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
		if log, err = s.to.side.Store.Open(ctx, s.to.at.name, mode); err != nil {
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
	if err := storage.Sync(ctx, log); err != nil {
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
			s.missing++
			s.run.mu.Lock()
			s.run.lost[key] = true
			s.run.mu.Unlock()
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

// whole writes a session that the other side does not have. In a file system it
// gets its name when it is whole: what a kill leaves is no session.
func (s *sending) whole(ctx context.Context) (err error) {
	all := make([]int, s.from.list.Len())
	for i := range all {
		all[i] = i
	}
	to, name := s.to.side, s.to.at.name
	if to.fsys == nil || s.opt.DryRun {
		return s.entries(ctx, storage.Mark{}, all, nil)
	}
	dir, base := filepath.Split(name)
	temp := filepath.Join(dir, "."+base+".cambium-new")
	if err := to.Store.Remove(ctx, temp); err != nil && !errors.Is(err, storage.ErrNotExist) {
		return err
	}
	defer func() { s.to.at.name = name }()
	s.to.at.name = temp
	if err = s.entries(ctx, storage.Mark{}, all, nil); err == nil {
		err = again(to.Store.Rename(ctx, temp, name))
	}
	if err != nil {
		_ = to.Store.Remove(context.WithoutCancel(ctx), temp) // or the next run does
	}
	return err
}

// newName gives dst a name on a side for a session that the side does not have.
// It reports whether the side has the session of that name after all.
func (r *run) newName(ctx context.Context, to *Side, from, dst *logAt, cwd string) (found bool, err error) {
	dir := to.dir(from.agent, cwd)
	if err := r.inside(ctx, to, from.agent, dir); err != nil {
		return false, err
	}
	base := path.Base(filepath.ToSlash(from.name))
	usual := layout.FileName(from.header.Timestamp, from.header.ID)
	if !plain(base) || !plain(usual) {
		return false, fmt.Errorf("name session %q: %w", base, ErrOutside)
	}
	stem := strings.TrimSuffix(usual, layout.Ext)
	for _, name := range []string{base, usual, stem + "-2" + layout.Ext, stem + "-3" + layout.Ext} {
		dst.name = to.join(dir, name)
		info, err := to.Store.Stat(ctx, dst.name)
		if errors.Is(err, storage.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		there := logAt{agent: from.agent, name: dst.name}
		if info.IsLog() && to.readHeader(ctx, &there) == nil && there.header.ID == from.header.ID {
			*dst = there
			return true, nil
		}
	}
	return false, fmt.Errorf("name session %q: %w", base, fs.ErrExist)
}

// plain reports whether a name is one element of a path on any system.
func plain(base string) bool {
	return base != "" && base[0] != '.' && !strings.ContainsAny(base, "/\\:\x00") && len(base) <= 255
}

// inside refuses a directory for new sessions that a symbolic link leads to from
// elsewhere.
func (r *run) inside(ctx context.Context, to *Side, agent, dir string) error {
	if err := to.straight(ctx, dir); err != nil {
		return err
	}
	if to.fsys == nil {
		return nil
	}
	info, err := to.Store.Stat(ctx, dir)
	if err != nil || info.Mode&fs.ModeSymlink == 0 {
		return nil
	}
	root := to.place(agent).Sessions
	if real, err := vfs.Resolve(to.fsys, root); err == nil {
		root = real
	}
	if !strings.HasPrefix(info.Target, root+string(filepath.Separator)) {
		return fmt.Errorf("use %q: %w: it is a symbolic link to %q", dir, ErrOutside, info.Target)
	}
	return nil
}

// withCWD returns a header line with another working directory in it.
func withCWD(line []byte, cwd string) []byte { return splice.Set(line, "cwd", splice.Quoted(cwd)) }
