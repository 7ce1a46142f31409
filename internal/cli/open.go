package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// catalogOptions say where to look for sessions.
func (a *app) catalogOptions() catalog.Options {
	o := catalog.Options{Env: a.storeEnv(), AgentDir: a.flags.agentDir, SessionDir: a.flags.sessionDir, Unread: a.unread}
	if a.agent != "" {
		o.Agents = []dialect.Name{a.agent}
	}
	a.shareCatalog(&o)
	a.useIndex(&o)
	return o
}

// sessionOptions say how to open and make sessions: by the global flags, the
// first write at once.
func (a *app) sessionOptions() session.Options {
	o := session.Options{
		Dialect: a.agent, Env: a.storeEnv(), AgentDir: a.flags.agentDir, Dir: a.flags.sessionDir, FS: a.fs,
		FirstWrite: session.Immediately, Undo: a.journal(), Presence: a.presence(), Memory: a.memory(),
		Now: a.Now, Random: a.Random,
		Log: slog.New(warnings{logLines{a}}),
	}
	if a.notes {
		o.OnVisit = a.visited
	}
	a.shareSessions(&o)
	return o
}

// resolve returns the path of the session that arg names. A path is not looked
// at.
func (a *app) resolve(ctx context.Context, arg string) (string, error) {
	o := a.catalogOptions()
	o.CWD = a.Dir
	bar := a.progress("read sessions")
	o.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	info, err := catalog.Resolve(ctx, arg, a.flags.first, o)
	bar.Close()
	var none *catalog.NotFound
	if errors.As(err, &none) {
		p := classify(err)
		if _, here := vfs.OS().Lstat(filepath.Join(a.Dir, arg)); arg != "" && here == nil {
			if line, ok := (hint{of: []string{"./" + arg}}).line(); ok {
				p.todo = "for the file of that name say " + line
			}
		}
		return "", p
	}
	return info.Path, err
}

// openRead opens the session that arg names to look at it. What is wrong with it
// is said on stderr. The caller closes it.
func (a *app) openRead(ctx context.Context, arg string) (*session.Session, error) {
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return nil, err
	}
	return a.openReadAt(ctx, path, nil)
}

// openReadAt opens the session at a path to look at it; tell is told what others
// do to it, when it is asked. The caller closes it.
func (a *app) openReadAt(ctx context.Context, path string, tell func(session.Event)) (*session.Session, error) {
	o := a.sessionOptions()
	o.ReadOnly, o.OnEvent = true, tell
	stop := a.waiting("read session")
	s, err := session.Open(ctx, path, o)
	stop()
	if err != nil {
		return nil, a.trouble(path, err)
	}
	if info, err := a.statPath(path); err == nil && info.Size() == 0 {
		a.note(path, "the file is empty: an empty session; the first append begins it")
	}
	return s, nil
}

// openWrite opens the session that arg names to change it. One that is missing
// or empty is refused: only append begins sessions, through session.Open with
// sessionOptions. The caller closes it.
func (a *app) openWrite(ctx context.Context, arg string) (*session.Session, error) {
	path, err := a.existing(ctx, arg)
	if err != nil {
		return nil, err
	}
	return a.openAny(ctx, path)
}

// openSource opens the session that arg names to look at it before something is
// made of it. It refuses what openWrite refuses, except a session of a newer
// version. The caller closes it.
func (a *app) openSource(ctx context.Context, arg string) (*session.Session, error) {
	path, err := a.existing(ctx, arg)
	if err != nil {
		return nil, err
	}
	o := a.sessionOptions()
	o.ReadOnly = true
	stop := a.waiting("read session")
	s, err := session.Open(ctx, path, o)
	stop()
	if err != nil {
		return nil, a.trouble(path, err)
	}
	if s.Damage().HeaderRebuilt {
		err := fmt.Errorf("open session %q: %w: it has entries but no valid header; run `cambium doctor` on it", path, session.ErrNotSession)
		return nil, errors.Join(a.trouble(path, err), s.Close())
	}
	return s, nil
}

// present returns the path of the session that arg names, and what is there.
// One that is missing is refused.
func (a *app) present(ctx context.Context, arg string) (string, fs.FileInfo, error) {
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return "", nil, err
	}
	info, err := a.statPath(path)
	if err != nil {
		return "", nil, a.trouble(path, fmt.Errorf("open session %q: %w", path, cause(err)))
	}
	return path, info, nil
}

// existing returns the path of the session that arg names. One that is missing
// or empty is refused.
func (a *app) existing(ctx context.Context, arg string) (string, error) {
	path, info, err := a.present(ctx, arg)
	switch {
	case err != nil:
		return "", err
	case info.Mode().IsRegular() && a.blank(path, info):
		return "", problem{exit: exitNotFound, path: path, text: fmt.Sprintf("open session %q: the file is empty", path),
			todo: "`cambium append` begins a session in it"}
	}
	return path, nil
}

// blank reports whether what is at a path holds nothing but blank lines, or, in a
// shared store, nothing.
func (a *app) blank(path string, info fs.FileInfo) bool {
	return info.Size() == 0 || a.shared == nil && blank(path, info.Size())
}

// blank reports whether a file holds nothing but blank lines: a session is
// begun in it. A file that cannot be read is not.
func blank(path string, size int64) bool {
	const most = 1 << 16 // what is longer than that and blank is no accident
	if size > most {
		return false
	}
	data, err := readFile(path, most)
	return err == nil && len(bytes.TrimSpace(data)) == 0
}

// openAny opens the session at a path to change it; one that is missing or
// empty becomes a new session there. The caller closes it.
func (a *app) openAny(ctx context.Context, path string) (*session.Session, error) {
	return a.openWith(ctx, path, func(*session.Options) {})
}

// openWith is openAny with further options. What others do to the session while
// it is open is said on stderr.
func (a *app) openWith(ctx context.Context, path string, set func(*session.Options)) (*session.Session, error) {
	o := a.sessionOptions()
	o.OnEvent, o.IfBusy = a.happened(path), a.ifBusy()
	set(&o)
	stop := a.waiting("read session")
	s, err := session.Open(ctx, path, o)
	stop()
	var open *busy
	switch {
	case errors.As(err, &open):
		return a.openBusy(ctx, path, o, open)
	case err != nil && (full(err) || errors.Is(err, fs.ErrPermission)) && !unreadable(path):
		return nil, a.failed(path, err)
	case err != nil:
		return nil, a.trouble(path, err)
	case s.ReadOnly():
		p := problem{exit: exitRefused, path: path, text: fmt.Sprintf("write session %q: it is read-only: %s", path, s.ReadOnlyReason()),
			todo: "go on with it in the program that wrote it"}
		return nil, errors.Join(p, s.Close())
	}
	a.damage(s)
	return s, nil
}

// unreadable reports whether a file is there that may not be read.
func unreadable(path string) bool {
	_, err := readFile(path, 1)
	return errors.Is(err, fs.ErrPermission)
}

// readFile reads the beginning of a regular file that a person names or has, which
// may be a link of theirs.
func readFile(path string, most int64) ([]byte, error) {
	real, err := vfs.Resolve(vfs.OS(), path)
	if err != nil {
		return nil, err
	}
	return vfs.ReadFile(vfs.OS(), real, most)
}

// damage says on stderr what was found wrong with a session that was read, and
// that it is of a newer version.
// Commands that read bodies call it when they have: missing blobs count too.
func (a *app) damage(s *session.Session) {
	if v := s.Header().Version; v > session.CurrentVersion {
		a.note(s.Path(), fmt.Sprintf("its version %v is newer than %d: it can be read, not appended to", v, session.CurrentVersion))
	}
	if d := s.Damage(); d.Any() {
		a.note(s.Path(), d.String())
	}
}

// trouble says of an error that came of opening path what to do about it.
func (a *app) trouble(path string, err error) error {
	p := classify(err)
	p.path = path
	switch {
	case errors.Is(err, vfs.ErrNotRegular):
		p.text, p.todo = fmt.Sprintf("open session %q: not a regular file", path), "name the session file itself"
		info, err := vfs.OS().Stat(path)
		switch {
		case err != nil:
		case info.Mode.IsDir():
			p.text = fmt.Sprintf("open session %q: it is a directory", path)
			p.todo = "name a session file in it; `cambium ls --session-dir DIR` lists them"
		case info.Mode&fs.ModeNamedPipe != 0:
			p.text = fmt.Sprintf("open session %q: it is a named pipe", path)
		}
	case errors.Is(err, fs.ErrPermission):
		p.todo = "make it readable and try again"
	case errors.Is(err, syscall.ELOOP):
		p.exit, p.text = exitDamaged, fmt.Sprintf("open session %q: its links lead in a circle", path)
		p.todo = "name the session file itself"
	case errors.Is(err, session.ErrNotSession) && tornHeader(path):
		p.text = fmt.Sprintf("open session %q: not a session: all that is there is a header that is cut off", path)
		p.todo = "nothing was said in it; `cambium rm` moves it to the trash"
	case errors.Is(err, session.ErrNotSession) && !strings.Contains(p.text, "cambium doctor"):
		p.todo = "name a file that pi, omp, xcsh or cambium wrote; `cambium ls` lists them"
	case errors.Is(err, session.ErrReadOnly) && p.todo == "":
		p.todo = "`cambium fork` makes a copy that can be written"
	case errors.Is(err, fs.ErrNotExist) && p.todo == "":
		p.text, p.todo = fmt.Sprintf("open session %q: no such file", path), "`cambium ls` lists the sessions"
	}
	return p
}

// tornHeader reports whether a file holds the beginning of a session's header
// and nothing else.
func tornHeader(path string) bool {
	data, err := vfs.ReadFile(vfs.OS(), path, 1<<16)
	return err == nil && bytes.HasPrefix(data, []byte(`{"type":"session"`)) && !bytes.Contains(bytes.TrimSpace(data), []byte{'\n'})
}

// cause returns what is wrong with a path without the path.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// home returns where the agent of a session keeps its things.
func (a *app) home(name dialect.Name) layout.Place {
	return layout.For(string(name), a.env, layout.Overrides{AgentDir: a.flags.agentDir, SessionDir: a.flags.sessionDir})
}

// warnings prints the warnings among what a session logs. Its errors are
// returned as well, and the command prints them when it ends.
type warnings struct{ logLines }

// Enabled says that warnings are printed.
func (warnings) Enabled(_ context.Context, level slog.Level) bool { return level == slog.LevelWarn }

// logLines prints what a session logs as messages.
type logLines struct{ a *app }

// Enabled says that warnings and errors are printed.
func (l logLines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle prints one record.
func (l logLines) Handle(_ context.Context, r slog.Record) error {
	text, path := r.Message, ""
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "path" {
			path = attr.Value.String()
		} else {
			text += ": " + attr.Value.String()
		}
		return true
	})
	l.a.note(path, text)
	return nil
}

// WithAttrs returns l: sessions add no attributes.
func (l logLines) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup returns l: sessions make no groups.
func (l logLines) WithGroup(string) slog.Handler { return l }
