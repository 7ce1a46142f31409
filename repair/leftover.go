package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// lockAge is how old a lock must be whose owner it does not say.
const lockAge = 10 * time.Second

// tempAge is how old a temporary file must be on a system that does not say
// who has it open.
const tempAge = time.Hour

// A remnant is what the name of a file says that is no session itself.
type remnant struct {
	kind Kind
	of   string // the name of the file that it was for
	pid  int    // who made it, 0 when the name does not say
}

// leftoverOf reads the name of a file that programs leave beside sessions.
func leftoverOf(name string) (remnant, bool) {
	if rest, ok := strings.CutPrefix(name, "."); ok {
		if of, tail, ok := cutLast(rest, ".cambium-tmp-"); ok {
			pid, _, _ := strings.Cut(tail, "-")
			n, _ := strconv.Atoi(pid)
			return remnant{kindTemporary, of, n}, true
		}
		if of, _, ok := cutLast(rest, ".cambium-old-"); ok {
			return remnant{kind: kindOld, of: of}, true
		}
		if of, _, ok := cutLast(rest, ".cambium-kept-"); ok {
			return remnant{kind: kindBackup, of: of}, true
		}
		if of, ok := strings.CutSuffix(rest, ".cambium-damaged"); ok {
			return remnant{kind: kindBackup, of: of}, true
		}
		// omp 18.2.3 and xcsh 17.4.4: .NAME.jsonl.lock, .NAME.jsonl.ID.tmp
		if of, ok := strings.CutSuffix(rest, ".lock"); ok && strings.HasSuffix(of, ident.Ext) {
			return remnant{kind: kindLock, of: of}, true
		}
		if of, tail, ok := cutLast(rest, ident.Ext+"."); ok && strings.HasSuffix(tail, ".tmp") {
			return remnant{kind: kindTemporary, of: of + ident.Ext}, true
		}
		return remnant{}, false
	}
	// omp 18.2.3: NAME.jsonl.ID.bak, where a rename over a file is refused.
	if of, tail, ok := cutLast(name, ident.Ext+"."); ok {
		switch {
		case strings.HasSuffix("."+tail, ".bak"):
			return remnant{kind: kindBackup, of: of + ident.Ext}, true
		case strings.HasSuffix("."+tail, ".tmp"):
			return remnant{kind: kindTemporary, of: of + ident.Ext}, true
		}
	}
	return remnant{}, false
}

// cutLast cuts a text at the last place of sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// leftover looks at a remnant; nil for one that is in order.
func (d *Doctor) leftover(ctx context.Context, dir string, info vfs.Info, l remnant) (*Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Report{Path: filepath.Join(dir, info.Name)}
	if !info.Regular() || d.busy(info, l) {
		return nil, nil
	}
	if l.kind == kindLock {
		return d.staleLock(r, info), nil
	}
	if l.kind == kindBackup && strings.HasPrefix(info.Name, ".") {
		r.whole(Finding{Kind: kindBackup, Note: true, Detail: fmt.Sprintf("bytes of %q that were kept", l.of),
			Plan: "it is yours to keep or to remove"})
		return r, nil
	}
	if !strings.HasSuffix(l.of, ident.Ext) {
		r.whole(Finding{Kind: kindTemporary, Fixable: true, Detail: "what an interrupted write left", Plan: "it is moved to the trash"})
		r.fix = d.trashing(r.Path, info)
		return r, nil
	}
	return r, d.copyOf(ctx, r, info, filepath.Join(dir, l.of), l)
}

// busy reports whether a remnant may still be in use.
func (d *Doctor) busy(info vfs.Info, l remnant) bool {
	if l.kind != kindTemporary && l.kind != kindOld {
		return false
	}
	used, err := d.fs.InUse(info)
	if errors.Is(err, errors.ErrUnsupported) {
		if l.kind == kindOld {
			return local.MayBeOpen(info.Name, d.opt.Now())
		}
		if l.pid > 0 {
			return d.opt.Alive(l.pid)
		}
		return d.age(info) < tempAge
	}
	return err != nil || used
}

// age is how long ago a file changed.
func (d *Doctor) age(info vfs.Info) time.Duration { return d.opt.Now().Sub(time.Unix(0, info.ModTime)) }

// staleLock looks at a lock file of omp: "PID:MILLISECONDS".
func (d *Doctor) staleLock(r *Report, info vfs.Info) *Report {
	data, err := vfs.ReadFile(d.fs, r.Path, 256)
	if err != nil {
		return nil // taken away meanwhile, or not ours to read
	}
	first, _, _ := strings.Cut(string(data), ":")
	pid, err := strconv.Atoi(first)
	switch {
	case err == nil && pid > 0 && d.opt.Alive(pid):
		return nil
	case (err != nil || pid <= 0) && d.age(info) < lockAge:
		return nil
	}
	r.whole(Finding{Kind: kindLock, Fixable: true, Detail: "a lock whose owner is gone", Plan: "it is moved to the trash"})
	r.fix = d.trashing(r.Path, info)
	return r
}

// trashing returns a repair that takes a file away, if it is still the one that info
// describes.
func (d *Doctor) trashing(path string, info vfs.Info) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		o, err := d.opt.Keeper.Trash(ctx, state.Change{Op: state.Remove, Path: path, File: state.File{Dev: info.Dev, Ino: info.Ino}})
		return o.ID, err
	}
}

// copyOf looks at a file that holds, or held, the session at target: whether it
// says anything that the session does not.
func (d *Doctor) copyOf(ctx context.Context, r *Report, info vfs.Info, target string, l remnant) error {
	what := map[Kind]string{kindTemporary: "what an interrupted rewrite left", kindOld: "the old file of an interrupted rewrite",
		kindBackup: "a backup that a program forgot"}[l.kind]
	f := Finding{Kind: l.kind, Fixable: true}
	has, err := d.lines(ctx, r.Path)
	if err != nil {
		f.Fixable, f.Detail, f.Plan = false, what+"; it cannot be read", "nothing: it may be the only copy"
		r.whole(f)
		return ctx.Err()
	}
	_, err = d.fs.Lstat(target)
	gone := errors.Is(err, fs.ErrNotExist)
	lack := has.count()
	if !gone {
		if there, err := d.lines(ctx, target); err == nil {
			lack = has.beyond(there)
		}
	}
	switch {
	case lack == 0:
		f.Detail, f.Plan = what+"; all entries in it are in the session", "it is moved to the trash"
		r.fix = d.trashing(r.Path, info)
		if gone {
			f.Detail = what + "; it holds no entry"
		}
	case !has.session:
		f.Fixable, f.Detail, f.Plan = false, fmt.Sprintf("%s; %d lines in it are nowhere else, and it has no header", what, lack), "nothing: it may be the only copy"
	case gone:
		f.Detail, f.Plan = fmt.Sprintf("%s; the session itself is gone, and this is its copy, of %d entries", what, lack), fmt.Sprintf("it becomes %q", target)
		r.fix = d.renaming(r.Path, target)
	case l.kind == kindOld:
		f.Detail = fmt.Sprintf("%s; %d entries in it are not in the session", what, lack)
		f.Plan = "they are appended to the session"
		r.fix = d.pickingUp(target, r.Path)
	default:
		beside := d.freeName(target)
		f.Detail = fmt.Sprintf("%s; %d entries in it are not in the session", what, lack)
		f.Plan = fmt.Sprintf("it becomes a session of its own, %q", beside)
		r.fix = d.renaming(r.Path, beside)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.whole(f)
	return nil
}

// freeName returns a name beside a session that is not taken.
func (d *Doctor) freeName(path string) string {
	stem := strings.TrimSuffix(path, ident.Ext)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.recovered-%d%s", stem, n, ident.Ext)
		if _, err := d.fs.Lstat(name); errors.Is(err, fs.ErrNotExist) || n > 1000 {
			return name
		}
	}
}

// renaming returns a repair that gives a file the name of a session. It never
// replaces one.
func (d *Doctor) renaming(path, to string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		d, release := d.below(filepath.Dir(path))
		defer release()
		s, err := session.Open(ctx, path, d.sessionOptions())
		if err != nil {
			return "", err
		}
		c := state.Change{Op: state.Move, Path: path, To: to, Session: s.Header().ID, Agent: string(s.Dialect())}
		c.Before, c.After = s.Header().Raw, s.Header().Raw
		if err := s.Close(); err != nil {
			return "", err
		}
		id, err := d.opt.Keeper.Begin(ctx, c)
		if err != nil {
			return "", err
		}
		err = d.store.Rename(ctx, path, to)
		return id, errors.Join(err, d.opt.Keeper.End(context.WithoutCancel(ctx), id, err))
	}
}

// pickingUp returns a repair that has the store carry over what the old file of
// a rewrite holds: opening the log to write does that.
func (d *Doctor) pickingUp(target, old string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		target, err := vfs.Resolve(d.fs, target)
		if err != nil {
			return "", err
		}
		d, release := d.below(filepath.Dir(target))
		defer release()
		log, err := d.store.Open(ctx, target, storage.Write)
		if err != nil {
			return "", err
		}
		if err := log.Close(); err != nil {
			return "", err
		}
		if _, err := d.fs.Lstat(old); !errors.Is(err, fs.ErrNotExist) {
			return "", errors.New("somebody has it open still")
		}
		return "", nil
	}
}

// fileHashes are the lines of a file, counted, and whether it has a header.
type fileHashes struct {
	lines   map[blob.Ref]int
	session bool
}

// count counts the lines.
func (h fileHashes) count() int {
	n := 0
	for _, k := range h.lines {
		n += k
	}
	return n
}

// beyond counts the lines that another file lacks.
func (h fileHashes) beyond(other fileHashes) int {
	n := 0
	for ref, k := range h.lines {
		n += max(0, k-other.lines[ref])
	}
	return n
}

// lines reads a file that holds a session: its entries by their bytes.
func (d *Doctor) lines(ctx context.Context, path string) (fileHashes, error) {
	h := fileHashes{lines: map[blob.Ref]int{}}
	path, err := vfs.Resolve(d.fs, path)
	if err != nil {
		return h, err
	}
	s, err := session.Open(ctx, path, d.sessionOptions())
	if errors.Is(err, session.ErrNotSession) {
		return h, nil // no entry
	}
	if err != nil {
		return h, err
	}
	h.session = !defects.Of(s.Damage()).HeaderRebuilt && s.Len() > 0
	for i := range s.Len() {
		raw, err := s.Stored(i)
		if err != nil {
			return h, errors.Join(err, s.Close())
		}
		h.lines[blob.RefOf(raw)]++
	}
	return h, s.Close()
}
