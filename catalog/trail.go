package catalog

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/gitroot"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// A Trail keeps notes of the sessions that are used in one terminal, so that
// Continue finds them: in Cambium's own agent directory, and for sessions of omp
// and xcsh as those programs do, where they have an agent directory. With them
// goes a note of what the working directory is, so that Moved finds it under
// another name. It is safe for concurrent use.
type Trail struct {
	// Env is what is known of the machine.
	Env layout.Env
	// Terminal is the device behind standard input ("/dev/pts/3"); "" when
	// only the environment tells which terminal it is.
	Terminal string
	// AgentDir is the agent directory of sessions of Agent, instead of the
	// usual one; Agent is needed with it.
	AgentDir string
	Agent    dialect.Name
	// fs is the file system that is looked at; nil means the machine's. Notes
	// are written to the machine's.
	fs vfs.FS
}

var _ = vfs.Taken(func(t *Trail) *vfs.FS { return &t.fs }, nil)

// A Visit says which session is in use now, and where. A session.Visit, which an open
// session tells of, is the same.
type Visit struct {
	// Agent is the session's dialect.
	Agent dialect.Name
	// CWD is its working directory, Path its log.
	CWD, Path string
	// Fresh says that there is no log at the path yet.
	Fresh bool
}

// Visit notes that a session is in use. What cannot be noted is not: the error
// is for those who want to log it.
func (t *Trail) Visit(v Visit) error {
	var errs []error
	own, known := places.TerminalID(string(dialect.Cambium), t.Terminal, t.Env)
	if known {
		crumb := breadcrumb.Crumb{CWD: v.CWD, Path: v.Path}
		errs = append(errs, breadcrumb.Write(t.place(dialect.Cambium).Breadcrumbs, own, crumb))
		errs = append(errs, t.notePlace(v.CWD))
	}
	if v.Agent != dialect.Cambium {
		errs = append(errs, t.tellProgram(v))
	}
	return errors.Join(errs...)
}

func (t *Trail) fsys() vfs.FS {
	if t.fs == nil {
		return vfs.OS()
	}
	return t.fs
}

func (t *Trail) place(agent dialect.Name) places.Place {
	over := layout.Overrides{}
	if agent == t.Agent {
		over.AgentDir = t.AgentDir
	}
	return places.For(string(agent), t.Env, over)
}

// tellProgram writes the note that the session's own program would write.
func (t *Trail) tellProgram(v Visit) error {
	place := t.place(v.Agent)
	if place.Breadcrumbs == "" {
		return nil
	}
	if info, err := t.fsys().Stat(path.Dir(place.Breadcrumbs)); err != nil || !info.Mode.IsDir() {
		return nil // the program is not used here
	}
	var errs []error
	crumb := breadcrumb.Crumb{CWD: v.CWD, Path: v.Path}
	if v.Agent == dialect.Omp {
		crumb.Fresh = v.Fresh
		crumb.Dir, _ = breadcrumb.Identify(t.fsys(), v.CWD)
		if !strings.HasPrefix(v.Path, place.Sessions+"/") || !strings.HasSuffix(v.Path, ident.Ext) {
			errs = append(errs, breadcrumb.Register(place.Custom, v.Path))
		}
	}
	if id, ok := places.TerminalID(string(v.Agent), t.Terminal, t.Env); ok {
		errs = append(errs, breadcrumb.Write(place.Breadcrumbs, id, crumb))
	}
	return errors.Join(errs...)
}

// notes is where the notes about working directories are.
func notes(env layout.Env) string { return path.Join(places.Own(env).State, "places") }

// notePlace notes what a working directory is, unless that is noted already.
func (t *Trail) notePlace(cwd string) error {
	dir := notes(t.Env)
	is, ok := breadcrumb.Identify(t.fsys(), cwd)
	if !ok || !isAbs(dir) {
		return nil
	}
	was, known := breadcrumb.ReadPlace(t.fsys(), dir, cwd)
	repo, in := gitroot.Find(t.fsys(), cwd)
	if known && was.Dir == is && in == (was.Commit != "") {
		return nil
	}
	p := breadcrumb.Place{CWD: cwd, Dir: is}
	if in {
		// A history that is not followed to its end is not tried again: a
		// dash is the name of no commit.
		p.Commit = "-"
		if first, ok := repo.First(context.Background()); ok {
			p.Commit = first
		}
		if p.Inside = strings.TrimPrefix(strings.TrimPrefix(cwd, repo.Top), "/"); p.Inside == "" {
			p.Inside = "."
		}
	}
	return breadcrumb.WritePlace(dir, p)
}

// isDir reports whether a directory is there; a path that cannot be looked at is
// taken for one.
func isDir(fsys vfs.FS, dir string) bool {
	info, err := fsys.Stat(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir)
	}
	return info.Mode.IsDir()
}
