package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/session"
)

// Resolve returns the path of the session that arg names: a path, an id, the
// beginning of one, or a name. A path is not looked at. The error may be a
// [*catalog.NotFound] or a [*catalog.Ambiguous].
func (l *Library) Resolve(ctx context.Context, arg string) (string, error) {
	o := l.Catalog()
	o.CWD = l.Dir
	step, end := l.front.progress("read sessions")
	o.Progress = step
	info, err := catalog.Resolve(ctx, arg, l.First, o)
	end()
	return info.Path, err
}

// OpenRead opens the session that arg names to look at it. The caller closes it.
func (l *Library) OpenRead(ctx context.Context, arg string) (*session.Session, error) {
	path, err := l.Resolve(ctx, arg)
	if err != nil {
		return nil, err
	}
	return l.OpenReadAt(ctx, path, nil)
}

// OpenReadAt opens the session at a path to look at it; tell is told what others
// do to it, when it is asked. The caller closes it.
func (l *Library) OpenReadAt(ctx context.Context, path string, tell func(session.Event)) (*session.Session, error) {
	o := l.Session()
	o.ReadOnly, o.OnEvent = true, tell
	s, err := l.read(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if info, err := l.Stat(path); err == nil && info.Size() == 0 {
		l.note(path, "the file is empty: an empty session; the first append begins it")
	}
	return s, nil
}

// read opens a session while the front shows that it is read.
func (l *Library) read(ctx context.Context, path string, o session.Options) (*session.Session, error) {
	stop := l.front.wait("read session")
	s, err := session.Open(ctx, path, o)
	stop()
	if err != nil {
		return nil, opening(path, err)
	}
	return s, nil
}

// OpenWrite opens the session that arg names to change it. One that is missing
// or empty is refused. The caller closes it.
func (l *Library) OpenWrite(ctx context.Context, arg string) (*session.Session, error) {
	path, err := l.existing(ctx, arg)
	if err != nil {
		return nil, err
	}
	return l.OpenAny(ctx, path)
}

// OpenSource opens the session that arg names to look at it before something is
// made of it. It refuses what OpenWrite refuses, except a session of a newer
// version. The caller closes it.
func (l *Library) OpenSource(ctx context.Context, arg string) (*session.Session, error) {
	path, err := l.existing(ctx, arg)
	if err != nil {
		return nil, err
	}
	o := l.Session()
	o.ReadOnly = true
	s, err := l.read(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if defects.Of(s.Damage()).HeaderRebuilt {
		return nil, errors.Join(opening(path, fmt.Errorf("open session %q: %w", path, session.ErrNoHeader)), s.Close())
	}
	return s, nil
}

// OpenAny opens the session at a path to change it; one that is missing or
// empty becomes a new session there. The caller closes it.
func (l *Library) OpenAny(ctx context.Context, path string) (*session.Session, error) {
	return l.OpenWith(ctx, path, func(*session.Options) {})
}

// OpenWith is OpenAny with further options. What others do to the session while
// it is open is noted. The error is a [*Busy] when others have it open and it is not
// to be changed then.
func (l *Library) OpenWith(ctx context.Context, path string, set func(*session.Options)) (*session.Session, error) {
	o := l.Session()
	o.OnEvent, o.IfBusy = l.Happened(path), l.ifBusy()
	set(&o)
	stop := l.front.wait("read session")
	s, err := session.Open(ctx, path, o)
	stop()
	var open *Busy
	switch {
	case errors.As(err, &open):
		return l.openBusy(ctx, path, o, open)
	case err != nil && (Full(err) || errors.Is(err, fs.ErrPermission)) && !unreadable(path):
		return nil, saving(path, err)
	case err != nil:
		return nil, opening(path, err)
	case s.ReadOnly():
		return nil, errors.Join(&ReadOnly{path, s.ReadOnlyReason()}, s.Close())
	}
	l.Damage(s)
	return s, nil
}

// Damage notes what was found wrong with a session that was read, and that it is of
// a newer version. Who reads bodies calls it when they are read: missing blobs count
// too.
func (l *Library) Damage(s *session.Session) {
	if v := s.Header().Version; v > session.CurrentVersion {
		l.note(s.Path(), fmt.Sprintf("its version %v is newer than %d: it can be read, not appended to", v, session.CurrentVersion))
	}
	if d := defects.Of(s.Damage()); d.Any() {
		l.note(s.Path(), d.String())
	}
}

// Happened notes what others do to a session that is being changed, each thing once.
func (l *Library) Happened(path string) func(session.Event) {
	said := map[string]bool{}
	return func(e session.Event) {
		if !e.Foreign && (e.Kind == session.Replaced || e.Kind == session.Moved) {
			return // our own doing
		}
		text := ""
		switch e.Kind {
		case session.Busy:
			text = e.Text
			if len(e.Holders) > 0 {
				text += "; what each appends is a branch of its own"
			}
		case session.Replaced:
			text = "another process rewrote this session meanwhile"
		case session.Restored:
			text = "lines that were lost from this session meanwhile were put back"
		case session.Moved:
			text = "this session was moved meanwhile, to " + e.Text
		}
		if text != "" && !said[text] {
			said[text] = true
			l.note(path, text)
		}
	}
}
