package state

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

const (
	// readBack is how much of the end of the journal is looked at.
	readBack = 16 << 20
	// maxLine is the longest line that is written: two headers that are
	// longer than that are not a session's.
	maxLine = 8 << 20
)

// Options say where a Journal is and what it uses of the machine.
type Options struct {
	// Dir is Cambium's state directory, absolute. It is made when something
	// is recorded.
	Dir string
	// FS is the file system; nil means that of the machine.
	FS vfs.FS
	// Now is the clock, Random where ids come from; both are needed.
	Now    func() time.Time
	Random io.Reader
	// Sidecar is that of local.Options; nil means none.
	Sidecar func(name string) string
	// Shared is where the sessions are, when that is not the disk; nil means it
	// is.
	Shared *Shared
	// Report is told of what went wrong without changing how the operation
	// ended; nil means nobody is.
	Report func(path string, err error)
}

// Shared is a store that several machines have. The record of what this machine
// did, and the bytes that it replaced, lie in the state directory all the same;
// the trash lies in the store, for all who have it.
type Shared struct {
	// Store holds the sessions, FS shows them as files that can be changed.
	Store storage.Store
	FS    vfs.FS
	// Trash is the directory in the store for what was removed.
	Trash string
}

// A Journal records operations and takes them back.
type Journal struct {
	opt   Options
	own   vfs.FS        // that of the state directory
	fs    vfs.FS        // that of the sessions and the trash
	store storage.Store // the sessions
	trash string        // the directory of the trash
	busy  *underWay
}

// New returns the journal of a state directory. It reads and makes nothing.
func New(opt Options) *Journal {
	if opt.FS == nil {
		opt.FS = vfs.OS()
	}
	if opt.Report == nil {
		opt.Report = func(string, error) {}
	}
	j := &Journal{opt: opt, own: opt.FS, fs: opt.FS, busy: &underWay{files: map[string]vfs.File{}}}
	if s := opt.Shared; s != nil {
		j.fs, j.store, j.trash = s.FS, s.Store, s.Trash
		return j
	}
	j.store = local.New(vfs.On(local.Options{Sidecar: opt.Sidecar, Report: opt.Report}, opt.FS))
	j.trash = j.path("trash")
	return j
}

// below returns the journal for work in some directories, in which, as in the
// trash, it follows no link: somebody else may put one there at any moment. They
// stay what they are now until release is called, which must be.
func (j *Journal) below(dirs ...string) (_ *Journal, release func()) {
	if j.opt.Shared != nil {
		return j, func() {}
	}
	k := *j
	k.fs, release = vfs.Hold(j.fs, append(dirs, j.opt.Dir)...)
	k.store = local.New(vfs.On(local.Options{Sidecar: j.opt.Sidecar, Report: j.opt.Report}, k.fs))
	return &k, release
}

// at returns the journal for work on a file, and the path of that: where path is a
// person's own link, of what it leads to. From the look on nothing else is followed.
func (j *Journal) at(path string) (_ *Journal, file string, release func(), err error) {
	k, release := j.below(filepath.Dir(path))
	info, err := k.fs.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode&fs.ModeSymlink == 0 {
		return k, path, release, err
	}
	release()
	if file, err = vfs.Resolve(j.fs, path); err != nil {
		return j, path, func() {}, err
	}
	k, release = j.below(filepath.Dir(path), filepath.Dir(file))
	return k, file, release, nil
}

func (j *Journal) path(elem ...string) string {
	return filepath.Join(append([]string{j.opt.Dir}, elem...)...)
}

// Begin records that a change is about to be made and returns the id of the
// operation. On an error the change must not be made: it could not be taken
// back. The bytes of a file that is replaced as a whole are kept first.
func (j *Journal) Begin(ctx context.Context, c Change) (id string, err error) {
	o, err := j.begin(ctx, c)
	if err != nil {
		return "", fmt.Errorf("record %s of %q: %w", c.Op, c.Path, err)
	}
	return o.ID, nil
}

func (j *Journal) begin(ctx context.Context, c Change) (_ record, err error) {
	o := record{Operation: Operation{Change: c, At: j.opt.Now(), Status: Begun}}
	file := ""
	if keeps(c.Op) {
		var release func()
		j, file, release, err = j.at(c.Path)
		defer release()
		if err != nil {
			return o, err
		}
	}
	if o.ID, err = j.mint(); err != nil {
		return o, err
	}
	if err := j.start(o.ID); err != nil {
		return o, err
	}
	defer func() {
		if err != nil {
			j.stop(o.ID, true)
		}
	}()
	if keeps(c.Op) {
		if err := j.keep(ctx, o, file); err != nil {
			return o, err
		}
	} else if o.open, err = j.openEnd(c.Path); err != nil {
		return o, err
	}
	return o, j.append(ctx, o.begun())
}

// openEnd returns the size of a file whose last line has no newline, 0 for any other.
func (j *Journal) openEnd(path string) (int64, error) {
	if j.opt.Shared != nil {
		return 0, nil // a store has whole lines
	}
	path, err := vfs.Resolve(j.fs, path)
	if err != nil {
		return 0, nil // what cannot be found has no end
	}
	f, err := j.fs.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil || info.Size == 0 {
		return 0, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size-1); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if last[0] == '\n' {
		return 0, nil
	}
	return info.Size, nil
}

// End records how an operation ended: done when failed is nil. It is to be
// called once, when all of the change is on the disk.
func (j *Journal) End(ctx context.Context, id string, failed error) error {
	if failed != nil {
		o, unknown := j.lookUp(ctx, id)
		err := j.mark(ctx, line{ID: id, Status: Failed, Cause: failed.Error()})
		if err == nil && unknown == nil && keeps(o.Op) {
			err = j.dropSame(ctx, o)
		}
		return err
	}
	return j.EndAt(ctx, id, -1)
}

// dropSame deletes the bytes that were kept of a file that holds them still.
func (j *Journal) dropSame(ctx context.Context, o record) error {
	was, err := fingerprintAt(ctx, j.own, j.kept(o), -1)
	if err != nil {
		return nil // nothing is kept
	}
	if is, err := j.fingerprint(ctx, o.Path); err != nil || is != was {
		return nil
	}
	return j.drop(j.path("kept", o.ID))
}

// EndAt is End for a change that is done and made the first size bytes of the
// file; -1 stands for all that is there. What others appended behind them is
// not taken back with it.
func (j *Journal) EndAt(ctx context.Context, id string, size int64) error {
	l := line{ID: id, Status: Done}
	if o, err := j.lookUp(ctx, id); err == nil && keeps(o.Op) {
		print, err := fingerprintAt(ctx, j.fs, o.Path, size)
		if err != nil {
			j.stop(id, false)
			return fmt.Errorf("record end of %s of %q: %w", o.Op, o.Path, err)
		}
		l.Print = &print
	}
	return j.mark(ctx, l)
}

// mark appends what became of an operation.
func (j *Journal) mark(ctx context.Context, l line) error {
	l.Version, l.At = version, jsonedit.FormatTime(j.opt.Now().UnixMilli())
	if err := j.append(context.WithoutCancel(ctx), l); err != nil {
		j.stop(l.ID, false)
		return fmt.Errorf("record that %s is %s: %w", l.ID, l.Status, err)
	}
	if l.Status != Undoing {
		j.stop(l.ID, true)
	}
	return nil
}

// List returns the operations that are on record, oldest first. What cannot be
// read is left out.
func (j *Journal) List(ctx context.Context) ([]Operation, error) {
	all, err := j.records(ctx)
	out := make([]Operation, len(all))
	for i, o := range all {
		out[i] = o.Operation
	}
	return out, err
}

// records is List with what it takes to take them back.
func (j *Journal) records(ctx context.Context) ([]record, error) {
	data, err := j.read()
	if err != nil {
		return nil, fmt.Errorf("read operations: %w", err)
	}
	var all []record
	at := map[string]int{}
	no := 0
	for raw := range bytes.Lines(data) {
		no++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, ok := decode(bytes.TrimRight(raw, "\n"))
		if !ok {
			continue
		}
		i, known := at[l.ID]
		switch {
		case !known && l.Status == Begun && l.Op != "" && l.Path != "":
			at[l.ID] = len(all)
			o := l.operation()
			o.line, o.since = no, no
			all = append(all, o)
		case known && l.Status == Undoing:
			if all[i].Status != Undoing {
				all[i].from = all[i].Status
			}
			all[i].Status, all[i].back, all[i].since = Undoing, string(l.To), no
		case known && (l.Status != Begun || all[i].Status == Undoing):
			all[i].Status, all[i].since = l.Status, all[i].line
			if l.Print != nil {
				all[i].print = *l.Print
			}
		}
	}
	return all, nil
}

// Find returns the operation of an id, or of the beginning of one, of 4
// characters at least; "" is the last that can be taken back, or one whose taking back
// was interrupted. The error wraps
// ErrUnknown or is an [*Ambiguous].
func (j *Journal) Find(ctx context.Context, id string) (Operation, error) {
	o, err := j.lookUp(ctx, id)
	return o.Operation, err
}

// lookUp is Find with what it takes to take the operation back.
func (j *Journal) lookUp(ctx context.Context, id string) (record, error) {
	all, err := j.records(ctx)
	if err != nil {
		return record{}, err
	}
	if id == "" {
		var last record
		for _, o := range all {
			if o.Undoable() && o.since > last.since {
				last = o
			}
		}
		if last.since > 0 {
			return last, nil
		}
		return record{}, fmt.Errorf("find operation: %w", ErrUnknown)
	}
	ids := make([]string, len(all))
	for i, o := range all {
		ids[i] = o.ID
	}
	i, err := choose(id, ids)
	if err != nil {
		return record{}, fmt.Errorf("find operation: %w", err)
	}
	return all[i], nil
}

// choose returns which of the ids is meant.
func choose(id string, ids []string) (int, error) {
	found, many := -1, &Ambiguous{ID: id}
	for i, one := range ids {
		if one == id {
			return i, nil
		}
		if len(id) >= 4 && strings.HasPrefix(one, id) {
			found = i
			many.IDs = append(many.IDs, one)
		}
	}
	switch len(many.IDs) {
	case 0:
		return -1, fmt.Errorf("%w: %q", ErrUnknown, id)
	case 1:
		return found, nil
	}
	return -1, many
}

// mint makes an id that no operation has.
func (j *Journal) mint() (string, error) {
	data, err := j.read()
	if err != nil {
		return "", err
	}
	for {
		var raw [6]byte
		if _, err := io.ReadFull(j.opt.Random, raw[:]); err != nil {
			return "", fmt.Errorf("make id: %w", err)
		}
		id := hex.EncodeToString(raw[:])
		if bytes.Contains(data, []byte(`"`+id+`"`)) {
			continue
		}
		// What cannot be looked at, as in a store that is away, is not taken: it
		// would not be for any other id.
		_, inTrash := j.fs.Lstat(filepath.Join(j.trash, id))
		_, inKept := j.own.Lstat(j.path("kept", id))
		if inTrash != nil && inKept != nil {
			return id, nil
		}
	}
}

// read returns the end of the journal, from the start of a line; nothing when
// there is none.
func (j *Journal) read() ([]byte, error) {
	f, err := j.own.Open(j.path("operations"), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err == nil {
		err = errors.Join(believed(f.Name(), info), j.believedBelow(j.own))
	}
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size-readBack)
	data := make([]byte, info.Size-from)
	n, err := f.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data = data[:n]
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	return data, nil
}

// append writes a line, whole and durable, or nothing.
func (j *Journal) append(ctx context.Context, l line) (err error) {
	raw, err := encode(l)
	if err != nil {
		return err
	}
	if len(raw) > maxLine {
		return fmt.Errorf("%d bytes are too much for a line", len(raw))
	}
	f, fresh, err := j.locked(ctx, "operations")
	if err != nil {
		return err
	}
	// What counts was synced; the lock goes with the descriptor.
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	buf := append(raw, '\n')
	if info.Size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size-1); err != nil {
			return err
		}
		if last[0] != '\n' { // torn by a crash
			buf = append([]byte{'\n'}, buf...)
		}
	}
	if _, err := vfs.WriteAll(f, buf); err != nil {
		return errors.Join(err, f.Truncate(info.Size))
	}
	if err := f.SyncData(); err != nil {
		return err
	}
	if fresh || info.Size == 0 {
		return j.own.SyncDir(j.opt.Dir)
	}
	if err := j.shorten(f); err != nil {
		j.opt.Report(f.Name(), err) // the line is there
	}
	return nil
}

// locked opens a file of the state directory, made if it is not there, and
// takes its lock, for as long as it is open.
func (j *Journal) locked(ctx context.Context, base string) (f vfs.File, fresh bool, err error) {
	path := j.path(base)
	for {
		f, err = j.own.Open(path, os.O_RDWR|os.O_APPEND)
		if errors.Is(err, fs.ErrNotExist) {
			if err := j.mkdir(); err != nil {
				return nil, false, err
			}
			f, err = j.own.Open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
			fresh = err == nil
		}
		if errors.Is(err, fs.ErrExist) {
			continue // another process made it
		}
		if err != nil {
			return nil, false, err
		}
		if err := f.Lock(ctx); err != nil {
			return nil, false, errors.Join(storage.AsLocked(err), f.Close())
		}
		is, err := f.Stat()
		if err == nil && is.Nlink == 0 {
			_ = f.Close() // it was written anew meanwhile
			continue
		}
		if err == nil {
			err = errors.Join(believed(path, is), j.believedBelow(j.own))
		}
		if err != nil {
			return nil, false, errors.Join(err, f.Close())
		}
		return f, fresh, nil
	}
}

// mkdir makes a directory of the state directory, durably.
func (j *Journal) mkdir(elem ...string) error {
	return makeDir(j.own, j.path(elem...))
}

// makeDir makes a directory and those above it, durably.
func makeDir(fsys vfs.FS, dir string) error {
	changed, err := vfs.MkdirAll(fsys, dir)
	if err != nil {
		return err
	}
	for _, dir := range changed {
		if err := fsys.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
