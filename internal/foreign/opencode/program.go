package opencode

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

const (
	name = dialect.Name("opencode")
	// ext ends the names of sessions.
	ext = database.Ext
	// dbName is the file of the database, oldName the directory of the older form.
	dbName  = "opencode.db"
	oldName = "storage"
)

// A program is OpenCode.
type program struct{ lib database.Library }

var _ foreign.Program = (*program)(nil)

// New returns OpenCode.
func New() foreign.Program { return &program{lib: database.Library{Form: form}} }

func (*program) Name() dialect.Name { return name }

// home returns the directory of OpenCode's data, "" where it is not known.
func home(env layout.Env) string {
	if env.Getenv != nil {
		if dir := env.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "opencode")
		}
	}
	if !filepath.IsAbs(env.Home) {
		return ""
	}
	return filepath.Join(env.Home, ".local", "share", "opencode")
}

func (p *program) Folders(_ context.Context, fsys vfs.FS, env layout.Env, unread func(string, error)) (dirs []string) {
	root := home(env)
	if root == "" {
		return nil
	}
	tell := func(dir string, err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) && unread != nil {
			unread(dir, err)
		}
	}
	db := filepath.Join(root, dbName)
	if _, err := fsys.Stat(db); err == nil {
		dirs = append(dirs, db)
	} else {
		tell(db, err)
	}
	old := filepath.Join(root, oldName, "session")
	projects, err := fsys.Names(old)
	tell(old, err)
	for _, project := range projects {
		if info, err := fsys.Lstat(filepath.Join(old, project)); err == nil && info.Mode.IsDir() {
			dirs = append(dirs, filepath.Join(old, project))
		}
	}
	return dirs
}

func (*program) Roots(env layout.Env) []string {
	if root := home(env); root != "" {
		return []string{filepath.Join(root, oldName)}
	}
	return nil
}

func (*program) Owns(name string, env layout.Env) bool {
	root := home(env)
	rest, ok := strings.CutPrefix(name, root+string(filepath.Separator))
	if root == "" || !ok || !strings.HasSuffix(rest, ext) {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rest), "/")
	return len(parts) == 2 && parts[0] == dbName || len(parts) == 4 && parts[0] == oldName && parts[1] == "session"
}

// inDatabase reports whether a directory is a database.
func inDatabase(dir string) bool { return filepath.Base(dir) == dbName }

func (p *program) Survey(ctx context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error {
	if !inDatabase(dir) {
		return p.surveyOld(ctx, fsys, dir, to)
	}
	info, err := fsys.Stat(dir)
	if err != nil {
		return err
	}
	var all []database.State
	err = p.lib.Read(ctx, fsys, dir, func(d *database.DB) error {
		all = all[:0]
		return db{d}.states("", func(s database.State) { all = append(all, s) })
	})
	if err != nil {
		return err
	}
	for _, s := range all {
		to.Add([]byte(s.ID+ext), database.Found(info, s))
	}
	return nil
}

func (p *program) Stat(ctx context.Context, fsys vfs.FS, name string) (source.State, error) {
	dir, id := database.Split(name)
	missing := &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	if id == "" {
		return source.State{}, missing
	}
	if !inDatabase(dir) {
		f, err := statOld(fsys, dir, id)
		return stateOf(f), err
	}
	info, err := fsys.Stat(dir)
	if err != nil {
		return source.State{}, err
	}
	var is *database.State
	err = p.lib.Read(ctx, fsys, dir, func(d *database.DB) error {
		is = nil
		return db{d}.states(id, func(s database.State) { is = &s })
	})
	switch {
	case err != nil:
		return source.State{}, err
	case is == nil:
		return source.State{}, missing
	}
	return stateOf(database.Found(info, *is)), nil
}

func stateOf(f vfs.Found) source.State {
	return source.State{Stamp: source.Stamp{Dev: f.Dev, Ino: f.Ino, Size: f.Size, ModTime: f.ModTime}, Mode: f.Mode}
}

func (p *program) Read(ctx context.Context, fsys vfs.FS, name string) (*mosaic.Mosaic, error) {
	dir, id := database.Split(name)
	if id == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var is *stored
	var err error
	if inDatabase(dir) {
		err = p.lib.Read(ctx, fsys, dir, func(d *database.DB) (err error) {
			is, err = db{d}.session(id)
			return err
		})
	} else {
		is, err = readOld(ctx, fsys, dir, id)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return nil, err
	}
	return lines(is), nil
}
