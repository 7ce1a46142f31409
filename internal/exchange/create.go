package exchange

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

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
	temp := filepath.Join(dir, s.tempName(base))
	if err := to.store.Remove(ctx, temp); err != nil && !errors.Is(err, storage.ErrNotExist) {
		return err
	}
	defer func() { s.to.at.name = name }()
	s.to.at.name = temp
	if err = s.entries(ctx, storage.Mark{}, all, nil); err == nil {
		err = again(to.store.Rename(ctx, temp, name))
	}
	if err != nil {
		_ = to.store.Remove(context.WithoutCancel(ctx), temp) // or the next run does
	}
	return err
}

// tempName is what a file is called until it is whole: the same in each run of
// this home, which removes what an earlier one left, and another in any other.
func (r *run) tempName(base string) string { return "." + base + ".cambium-new-" + r.token }

// newName gives dst a name on a side for a session that the side does not have.
// It reports whether the side has the session of that name after all. A store is
// asked only if it is to be looked at.
func (r *run) newName(ctx context.Context, to *Side, from, dst *logAt, look bool) (found bool, err error) {
	dir := to.dir(from.agent, dst.header.CWD)
	if err := r.inside(ctx, to, from.agent, dir); err != nil {
		return false, err
	}
	base := path.Base(filepath.ToSlash(from.name))
	usual := ident.FileName(from.header.Timestamp, from.header.ID)
	if !plain(base) || !plain(usual) {
		return false, fmt.Errorf("name session %q: %w", base, ErrOutside)
	}
	if to.fsys == nil && !look {
		dst.name = to.join(dir, base) // the first append tells if it is taken
		return false, nil
	}
	stem := strings.TrimSuffix(usual, ident.Ext)
	for _, name := range []string{base, usual, stem + "-2" + ident.Ext, stem + "-3" + ident.Ext} {
		dst.name = to.join(dir, name)
		info, err := to.store.Stat(ctx, dst.name)
		if errors.Is(err, storage.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		there := logAt{agent: from.agent, name: dst.name}
		if info.IsLog() && to.readHeader(ctx, &there) == nil && there.header.ID == from.header.ID {
			*dst, dst.shelved = there, true
			return true, nil
		}
	}
	return false, fmt.Errorf("name session %q: %w", base, fs.ErrExist)
}

// plain reports whether a name is one element of a path on any system, and can be seen.
func plain(base string) bool {
	return !strings.ContainsFunc(base, unicode.IsControl) && base != "" && base[0] != '.' && !strings.ContainsAny(base, "/\\:\x00") && len(base) <= 255
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
	info, err := to.store.Stat(ctx, dir)
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
func withCWD(line []byte, cwd string) []byte { return jsonedit.Set(line, "cwd", jsonedit.Quoted(cwd)) }
