package rpc

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

func openMethods() []method {
	agent := may("agent", text).of(layout.Names()...)
	// opening are the parameters that all have that open a session of the disk.
	opening := func(own []param, more ...param) []param {
		own = append(own, may("sessionDir", dir), may("agentDir", dir), agent)
		return append(append(own, more...), may("suppressBreadcrumb", flag), may("ownEvents", flag))
	}
	first := may("firstWrite", text).of("assistant", "user", "immediately")
	return []method{
		{
			name: "create",
			says: "Begins a session of a working directory.", gives: named("Handle"),
			writes: true, open: create,
			params: opening([]param{need("cwd", place)}, may("id", text), may("parentSession", text), first),
		},
		{
			name: "open",
			says: "Opens a session.", gives: named("Handle"),
			open: openPath,
			params: opening([]param{need("path", log)}, may("reinitialize", flag), may("readOnly", flag), may("cwd", place),
				may("parentSession", text), may("throwIfMissing", flag)),
		},
		{
			name: "continueRecent",
			says: "Opens the session that this terminal last used in a directory, else the newest of it, else a new one.", gives: named("Handle"),
			open: continueRecent, params: opening([]param{need("cwd", place)}, first),
		},
		{
			name: "inMemory",
			says: "Begins a session that is kept nowhere.", gives: named("Handle"),
			writes: true, open: inMemory,
			params: []param{may("cwd", place), agent, may("id", text), may("parentSession", text), may("entries", objects), may("ownEvents", flag)},
		},
		{
			name: "follow",
			says: "Opens a session to see what others do to it: events of appended entries have the entries.", gives: named("Handle"),
			open: follow, params: opening([]param{need("path", log)}),
		},
		{
			name: "forkFrom",
			says: "Copies a session into another working directory and opens the copy.", gives: named("Handle"),
			writes: true, open: forkFrom,
			params: opening([]param{need("sourcePath", log), need("targetCwd", place)}, may("id", text), may("copyArtifacts", flag)),
		},
	}
}

// opened opens the session of a new handle. If it cannot, the handle is none,
// whatever waits to be done with it.
func (c *call) opened(ctx context.Context) (_ jsontext.Value, err error) {
	h := c.h
	h.closed.Store(true) // until it is open, and if opening panics
	defer func() {
		if h.closed.Load() {
			h.drop()
		}
	}()
	if ctx.Err() != nil {
		return nil, tooLate()
	}
	if h.session, err = c.m.open(ctx, c); err != nil {
		return nil, err
	}
	h.closed.Store(false)
	c.after = h.known
	var o jsonedit.Object
	return o.String("handle", h.name).Value(), nil
}

// options say how the session of a call is opened.
func (c *call) options() session.Options {
	s := c.s.o
	o := session.Options{
		Dialect: s.Agent, Env: s.Env, AgentDir: s.AgentDir, Dir: c.sessionDir(),
		Undo: s.Undo, Presence: s.Presence, Memory: s.Memory, Now: s.Now, Random: s.Random, Log: s.Log, OnEvent: c.h.tell,
	}
	if agent := dialect.Name(c.args.text("agent")); agent != "" && agent != s.Agent {
		o.Dialect, o.AgentDir = agent, "" // the directory is that of the other agent
	}
	if given := c.args.text("agentDir"); given != "" {
		o.AgentDir = given
	}
	switch c.args.text("firstWrite") {
	case "user":
		o.FirstWrite = session.FirstUser
	case "immediately":
		o.FirstWrite = session.Immediately
	}
	o.Parent, o.MustExist = c.args.text("parentSession"), c.args.flag("throwIfMissing")
	o.NoArtifacts = c.args.has("copyArtifacts") && !c.args.flag("copyArtifacts")
	if o.OnVisit = c.visited; s.Store == nil {
		o = vfs.On(o, s.FS)
	} else {
		// No drafts are kept of sessions elsewhere: they are there at once.
		o.OnVisit, o.Store, o.Blobs, o.FirstWrite = nil, s.Store, s.Blobs, session.Immediately
		o.Holder = s.Holder
	}
	if c.args.flag("suppressBreadcrumb") {
		o.OnVisit = nil
	}
	o.ReadOnly = s.Bounds.ReadOnly
	return o
}

// visited notes the session that a client uses as the last one of its terminal.
func (c *call) visited(v session.Visit) {
	s := c.s.o
	trail := catalog.Trail{Env: s.Env, Terminal: s.Terminal, Agent: s.Agent, AgentDir: s.AgentDir}
	if err := trail.Visit(catalog.Visit(v)); err != nil && s.Log != nil {
		s.Log.Debug("note the session of the terminal", "path", v.Path, "error", err)
	}
}

// sessionDir is the directory that the call names, else the connection's.
func (c *call) sessionDir() string {
	if dir := c.args.text("sessionDir"); dir != "" {
		return c.s.absolute(dir)
	}
	return c.s.absolute(c.s.o.SessionDir)
}

// absolute makes a path absolute; "" stays.
func (s *Conn) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.o.Env.Cwd, path)
}

func create(ctx context.Context, c *call) (*session.Session, error) {
	o := c.options()
	var err error
	if o.ID, err = c.chosenID(); err != nil {
		return nil, err
	}
	return session.Create(ctx, c.args.text("cwd"), o)
}

// chosenID returns the id that the client gives a new session, "" for none. An
// empty one is refused, as the programs do.
func (c *call) chosenID() (string, error) {
	if !c.args.has("id") {
		return "", nil
	}
	id := c.args.text("id")
	return id, layout.CheckID(id)
}

func openPath(ctx context.Context, c *call) (*session.Session, error) {
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return nil, err
	}
	o := c.options()
	o.Reinitialize, o.ReadOnly = c.args.flag("reinitialize"), o.ReadOnly || c.args.flag("readOnly")
	if cwd := c.args.text("cwd"); cwd != "" {
		o.Env.Cwd = c.s.absolute(cwd)
	}
	return session.Open(ctx, path, o)
}

func inMemory(ctx context.Context, c *call) (*session.Session, error) {
	o := c.options()
	var err error
	if o.ID, err = c.chosenID(); err != nil {
		return nil, err
	}
	if !c.args.has("entries") {
		return session.InMemory(c.args.text("cwd"), o)
	}
	given, err := c.handedIn()
	if err != nil {
		return nil, err
	}
	return session.InMemoryOf(ctx, c.args.text("cwd"), given.header, given.list, o)
}

func forkFrom(ctx context.Context, c *call) (*session.Session, error) {
	path, err := c.resolve(ctx, c.args.text("sourcePath"))
	if err != nil {
		return nil, err
	}
	o := c.options()
	if o.ID, err = c.chosenID(); err != nil {
		return nil, err
	}
	return session.ForkFrom(ctx, path, c.args.text("targetCwd"), o)
}

// follow opens a session to read. What is appended is told whole.
func follow(ctx context.Context, c *call) (*session.Session, error) {
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return nil, err
	}
	o := c.options()
	o.ReadOnly, o.OnVisit = true, nil
	return session.Open(ctx, path, o)
}

// resolve returns the path of the session that arg names: a path as it is, else
// an id, the beginning of one, or a name.
func (c *call) resolve(ctx context.Context, arg string) (string, error) {
	o := c.places()
	o.CWD = c.s.o.Env.Cwd
	info, err := catalog.Resolve(ctx, arg, false, o)
	if err == nil {
		err = c.s.allow(info.Path, false)
	}
	return info.Path, err
}

// places say where sessions are looked for.
func (c *call) places() catalog.Options {
	o := vfs.On(catalog.Options{
		Env: c.s.o.Env, AgentDir: c.s.o.AgentDir, SessionDir: c.sessionDir(), Progress: c.progress,
		Index: c.s.o.Index, Trouble: c.s.indexTrouble, Store: c.s.o.Store,
	}, c.s.o.FS)
	if c.s.o.History != nil {
		o.Titles = c.s.o.History.Titles
	}
	agent := c.s.o.Agent
	if named := dialect.Name(c.args.text("agent")); named != "" && named != agent {
		agent, o.AgentDir = named, ""
	}
	if given := c.args.text("agentDir"); given != "" {
		o.AgentDir = given
		agent = cmp.Or(agent, dialect.Cambium)
	}
	if agent != "" {
		o.Agents = []dialect.Name{agent}
	}
	return o
}

// indexTrouble logs what is wrong with the index, once.
func (s *Conn) indexTrouble(err error) {
	if !s.troubled.Swap(true) && s.o.Log != nil {
		s.o.Log.Warn("index not used", "error", err)
	}
}

// continueRecent opens the session that this terminal last used in the working
// directory, else the newest of it, else a new one (published P3).
func continueRecent(ctx context.Context, c *call) (*session.Session, error) {
	cwd := c.s.absolute(c.args.text("cwd"))
	o := c.places()
	o.CWD = cwd
	next, err := catalog.Continue(ctx, c.s.o.Terminal, o)
	if err != nil {
		return nil, err
	}
	readOnly := c.s.o.Bounds.ReadOnly
	if next.Path == "" && readOnly {
		return nil, &catalog.NotFound{}
	}
	if next.Path != "" {
		err = c.s.allow(next.Path, false)
	}
	if err != nil {
		return nil, err
	}
	if next.Path == "" {
		return session.Create(ctx, cwd, c.options())
	}
	s, err := session.Open(ctx, next.Path, c.options())
	if err == nil && next.From != "" && !readOnly {
		if err := s.Move(ctx, cwd); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, err
}
