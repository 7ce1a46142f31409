package work

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// NewOptions say what a new session begins with.
type NewOptions struct {
	// CWD is the working directory that it belongs to, "" for this one.
	CWD string
	// Name and ID are its own; "" for no name, and for a new id.
	Name, ID string
}

// A Created is a session that was just made. Draft says that there is no file at its
// path yet.
type Created struct {
	Whereabouts
	Agent dialect.Name
	Draft bool
}

// An UnusableName error is for a name of which nothing can be part of a name.
type UnusableName struct{ Name string }

// Error says which name.
func (e *UnusableName) Error() string {
	return fmt.Sprintf("name %q: nothing of it can be part of a name", e.Name)
}

// An IDTaken error is for an id that a session of the same project and agent has.
type IDTaken struct{ ID, Path string }

// Error says which id.
func (e *IDTaken) Error() string { return fmt.Sprintf("Session already exists with id '%s'", e.ID) }

// Create makes a session. The error may be an [*UnusableName], an [*IDTaken], or a
// [*ident.IDError].
func Create(ctx context.Context, l *Library, n NewOptions) (c Created, err error) {
	cwd := l.Dir
	if n.CWD != "" {
		cwd = l.Directory(n.CWD)
	}
	o := l.Session()
	o.ID, o.Title = n.ID, n.Name
	if o.Dialect = l.Agent; o.Dialect == "" {
		o.Dialect = inHome(l, o.Dir)
	}
	if d, _ := spelling.ByName(string(o.Dialect)); n.Name != "" && d.Sanitize(n.Name) == "" {
		return c, &UnusableName{n.Name}
	}
	if err := free(ctx, l, cwd, o); err != nil {
		return c, err
	}
	s, err := session.Create(ctx, cwd, o)
	if err != nil {
		return c, saving("", err)
	}
	c = Created{Whereabouts: whereabouts(s), Agent: s.Dialect(), Draft: !s.OnDisk()}
	if err := s.Close(); err != nil {
		return c, saving(c.Path, err)
	}
	return c, nil
}

// inHome returns the agent in whose home a directory for sessions lies, cambium
// for none.
func inHome(l *Library, dir string) dialect.Name {
	if dir != "" {
		if name := places.Owner(filepath.Join(dir, "x"+ident.Ext), l.Env); name != "" {
			return dialect.Name(name)
		}
	}
	return dialect.Cambium
}

// free refuses an id that a session of the same project and agent has.
func free(ctx context.Context, l *Library, cwd string, o session.Options) error {
	if o.ID == "" {
		return nil
	}
	if err := ident.CheckID(o.ID); err != nil {
		return err
	}
	look := l.Catalog()
	look.Agents, look.CWD, look.Empty = []dialect.Name{o.Dialect}, cwd, true
	if l.SessionDir != "" {
		look.CWD = ""
	}
	for info, err := range catalog.Scan(ctx, look) {
		if err != nil {
			break // no such directory yet
		}
		if info.ID == o.ID {
			return &IDTaken{o.ID, info.Path}
		}
	}
	return ctx.Err()
}
