package catalog

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/layout"
)

// A file is a session file that was found.
type file struct {
	path   string
	agent  dialect.Name // "" when no home says
	stamp  source.Stamp // the state it was found in
	mode   fs.FileMode  // its type
	target string       // what to read, when path is a link
}

// name returns the name that the file is opened by.
func (f *file) name() string {
	if f.target != "" {
		return f.target
	}
	return f.path
}

func (o *Options) places() []places.Place {
	agents := o.Agents
	if len(agents) == 0 {
		for _, name := range places.Names() {
			agents = append(agents, dialect.Name(name))
		}
	}
	over := layout.Overrides{AgentDir: o.AgentDir}
	elsewhere := o.Env
	elsewhere.Home = "/elsewhere"
	var all []places.Place
	for _, a := range agents {
		p := places.For(string(a), o.Env, over)
		if there := places.For(string(a), elsewhere, over); filepath.IsAbs(o.Env.Home) || p.Flat != "" && p.Flat == there.Flat || p.Sessions == there.Sessions {
			all = append(all, p)
		}
	}
	return all
}

// follow looks at what a link leads to, and returns false when there is nothing.
func (f *file) follow(ctx context.Context, from source.Source) bool {
	target, err := from.Resolve(ctx, f.path)
	if err != nil {
		return false
	}
	is, err := from.Stat(ctx, target)
	if err == nil {
		f.target, f.stamp, f.mode = target, is.Stamp, is.Mode.Type()
	}
	return !errors.Is(err, fs.ErrNotExist)
}
