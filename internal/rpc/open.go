package rpc

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

func openMethods() []method {
	agent := may("agent", text).of(spelling.Agents()...)
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
func (c *call) opened(ctx context.Context) (_ entry.JSON, err error) {
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

// engine is what is known of the sessions of a call: it may name other ones than the
// connection.
func (c *call) engine() engine.Options {
	s := c.s.o
	o := engine.Options{
		Env: s.Env, Agent: s.Agent, AgentDir: s.AgentDir, Terminal: s.Terminal,
		FS: s.FS, Store: s.Store, Blobs: s.Blobs, Holder: s.Holder,
		Index: s.Index, Memory: s.Memory, Presence: s.Presence, Undo: s.Undo, Trouble: c.s.indexTrouble,
		Now: s.Now, Random: s.Random, Log: s.Log, OnEvent: c.h.tell,
		Programs: s.Programs, Alone: s.Alone,
	}
	if s.History != nil {
		o.Titles = s.History.Titles
	}
	if s.Store == nil {
		o.OnVisit = o.Visited // that of the connection, whatever the call names
	}
	return o.For(dialect.Name(c.args.text("agent")), c.args.text("agentDir"), c.sessionDir())
}

// options say how the session of a call is opened.
func (c *call) options() session.Options {
	known := c.engine()
	o := known.Session()
	switch c.args.text("firstWrite") {
	case "user":
		o.FirstWrite = session.FirstUser
	case "immediately":
		o.FirstWrite = session.Immediately
	}
	if c.s.o.Store != nil {
		o = vfs.On(o, nil)
		o.FirstWrite = session.Immediately // no drafts are kept of sessions elsewhere
	}
	o.Parent, o.MustExist = c.args.text("parentSession"), c.args.flag("throwIfMissing")
	o.NoArtifacts = c.args.has("copyArtifacts") && !c.args.flag("copyArtifacts")
	if c.args.flag("suppressBreadcrumb") {
		o.OnVisit = nil
	}
	o.ReadOnly = c.s.o.Bounds.ReadOnly
	return o
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
	return id, ident.CheckID(id)
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
	known := c.engine()
	known.Now = nil // the times of files are the machine's
	o := known.Catalog()
	o.Progress = c.progress
	if c.args.text("agentDir") != "" && len(o.Agents) == 0 {
		o.Agents = []dialect.Name{dialect.Cambium}
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
	o := foreign.On(c.places(), foreign.Programs{}) // nothing of theirs is gone on with
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
