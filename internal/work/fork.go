package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// ForkOptions say what is copied. Options.Agent of the library is for whom the copy
// is; it does not choose among sessions, unless its directory is given with it.
type ForkOptions struct {
	// At copies only the way to this entry; "" copies all branches.
	At string
	// CWD is the working directory that the copy belongs to; "" for that of the session.
	CWD string
}

// A Forked is a session that was made of another. Converted says what was spelled
// anew if it is another agent's, else it is nil.
type Forked struct {
	Whereabouts
	Converted *session.Converted
}

// Fork copies the session that arg names, or one branch of it.
func (l *Library) Fork(ctx context.Context, arg string, o ForkOptions) (f Forked, err error) {
	agent := l.Agent
	if l.AgentDir == "" {
		l.Agent = ""
		defer func() { l.Agent = agent }()
	}
	if o.CWD != "" {
		o.CWD = l.Directory(o.CWD)
	}
	s, err := l.OpenSource(ctx, arg)
	if err != nil {
		return f, err
	}
	path, cwd, name := s.Path(), s.CWD(), s.Dialect()
	if v := s.Header().Version; v > session.CurrentVersion {
		err := fmt.Errorf("fork session %q: %w: its version %v is newer than %d", path, session.ErrReadOnly, v, session.CurrentVersion)
		return f, errors.Join(saving(path, err), s.Close())
	}
	if agent != "" && agent != name {
		return l.forkFor(ctx, s, agent, o)
	}
	l.Damage(s)
	if d := defects.Of(s.Damage()); len(d.Healed) > 0 {
		n := len(d.Healed) + d.HealedMore
		l.note(path, fmt.Sprintf("%s with the parent below which it is read goes into the copy, where the one that it names is nowhere", term.Plural(n, "entry")))
	}
	var at entry.ID
	if o.At != "" {
		at, err = EntryID(s, o.At)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return f, saving(path, err)
	}
	opt := l.Session()
	if o.CWD == "" {
		o.CWD, opt.Dir = cwd, cmp.Or(opt.Dir, filepath.Dir(path))
	}
	if o.At != "" {
		s, err = session.ForkBranch(ctx, path, o.CWD, at, opt)
	} else {
		s, err = session.ForkFrom(ctx, path, o.CWD, opt)
	}
	if err != nil {
		return f, saving(path, err)
	}
	f.Whereabouts = whereabouts(s)
	if err := s.Close(); err != nil {
		return f, saving(s.Path(), err)
	}
	return f, nil
}

// forkFor makes a session of another agent out of one, or of one branch of it, and
// closes that.
func (l *Library) forkFor(ctx context.Context, s *session.Session, agent dialect.Name, o ForkOptions) (Forked, error) {
	defer s.Close()
	opt := session.ConvertOptions{To: agent, CWD: o.CWD}
	if o.At != "" {
		at, err := EntryID(s, o.At)
		if err != nil {
			return Forked{}, saving(s.Path(), err)
		}
		opt.At = &at
	}
	return l.convert(ctx, s, opt)
}

// ConvertOptions say what a session is written as.
type ConvertOptions struct {
	// To is the agent that the new session is for.
	To dialect.Name
	// CWD is the working directory that it belongs to; "" for that of the session.
	CWD string
	// Path is where it is written; "" for where its agent looks for it.
	Path string
	// KeepID keeps id, time and parent: the same session for another agent.
	KeepID bool
}

// Convert writes the session that arg names as one of another agent.
func (l *Library) Convert(ctx context.Context, arg string, o ConvertOptions) (Forked, error) {
	s, err := l.OpenSource(ctx, arg)
	if err != nil {
		return Forked{}, err
	}
	defer s.Close()
	opt := session.ConvertOptions{To: o.To, Path: l.Absolute(o.Path), KeepID: o.KeepID}
	if o.CWD != "" {
		opt.CWD = l.Directory(o.CWD)
	}
	return l.convert(ctx, s, opt)
}

// convert converts a session that was opened to read. Options.SessionDir of the
// library is where the new one goes, unless it has a path; the agent directory is the
// other agent's own.
func (l *Library) convert(ctx context.Context, s *session.Session, o session.ConvertOptions) (Forked, error) {
	o.Directories = layout.Overrides{SessionDir: l.SessionDir}
	if o.To == s.Dialect() {
		o.Directories.AgentDir = l.AgentDir
	}
	done, err := s.Convert(ctx, o)
	if !errors.Is(err, session.ErrReadOnly) {
		l.Damage(s)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return Forked{}, &Error{Placing, o.Path, err}
	case err != nil:
		return Forked{}, saving(s.Path(), err)
	}
	return Forked{Whereabouts{done.ID, done.Path, done.ParentSession}, &done}, nil
}
