package rpc

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

func openMethods() []method {
	return []method{
		{name: "create", writes: true, open: create, params: []param{
			need("cwd", text), may("sessionDir", dir), may("agent", text).of(layout.Names()...), may("id", text),
		}},
		{name: "open", open: openPath, params: []param{
			need("path", log), may("sessionDir", dir), may("agent", text).of(layout.Names()...),
			may("reinitialize", flag), may("readOnly", flag), may("cwd", text),
		}},
		{name: "continueRecent", open: continueRecent, params: []param{need("cwd", text), may("sessionDir", dir)}},
		{name: "inMemory", writes: true, open: inMemory, params: []param{may("cwd", text)}},
		{name: "forkFrom", writes: true, open: forkFrom, params: []param{
			need("sourcePath", log), need("targetCwd", text), may("sessionDir", dir),
		}},
	}
}

// opened opens the session of a new handle. If it cannot, the handle is none,
// whatever waits to be done with it.
func (c *call) opened(ctx context.Context) (_ jsontext.Value, err error) {
	h := c.h
	h.closed = true // until it is open, and if opening panics
	defer func() {
		if h.closed {
			h.drop()
		}
	}()
	if ctx.Err() != nil {
		return nil, tooLate()
	}
	if h.session, err = c.m.open(ctx, c); err != nil {
		return nil, err
	}
	h.closed = false
	c.after = h.known
	var o splice.Object
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
	if o.OnVisit = c.visited; s.Store == nil {
		o.FS = s.FS
	} else {
		// No drafts are kept of sessions elsewhere: they are there at once.
		o.OnVisit, o.Store, o.Blobs, o.FirstWrite = nil, s.Store, s.Blobs, session.Immediately
		o.Holder = s.Holder
	}
	o.ReadOnly = s.Bounds.ReadOnly
	return o
}

// visited notes the session that a client uses as the last one of its terminal.
func (c *call) visited(v session.Visit) {
	s := c.s.o
	trail := catalog.Trail{Env: s.Env, Terminal: s.Terminal, Agent: s.Agent, AgentDir: s.AgentDir}
	if err := trail.Visit(v); err != nil && s.Log != nil {
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
	if o.ID = c.args.text("id"); c.args.has("id") {
		if err := layout.CheckID(o.ID); err != nil {
			return nil, err
		}
	}
	return session.Create(ctx, c.args.text("cwd"), o)
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

func inMemory(_ context.Context, c *call) (*session.Session, error) {
	return session.InMemory(c.args.text("cwd"), c.options())
}

func forkFrom(ctx context.Context, c *call) (*session.Session, error) {
	path, err := c.resolve(ctx, c.args.text("sourcePath"))
	if err != nil {
		return nil, err
	}
	return session.ForkFrom(ctx, path, c.args.text("targetCwd"), c.options())
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
	o := catalog.Options{
		Env: c.s.o.Env, AgentDir: c.s.o.AgentDir, SessionDir: c.sessionDir(), Progress: c.progress,
		Index: c.s.o.Index, Trouble: c.s.indexTrouble, FS: c.s.o.FS,
	}
	if c.s.o.History != nil {
		o.Titles = c.s.o.History.Titles
	}
	agent := c.s.o.Agent
	if named := dialect.Name(c.args.text("agent")); named != "" && named != agent {
		agent, o.AgentDir = named, ""
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
