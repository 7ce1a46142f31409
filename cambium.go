// Package cambium is the front door to the session engine: it finds, opens and
// begins sessions of coding agents, in the files that pi, omp and xcsh keep, or
// in Cambium's own.
//
//	env, err := layout.Here()
//	engine, err := cambium.Open(ctx, cambium.Options{Env: env})
//	s, err := engine.Continue(ctx, env.Cwd)
//	id, err := s.AppendMessage(ctx, message)
//
// What an engine gives out is a [session.Session], which the caller closes.
// The rooms below can be used by themselves: session for one session, catalog to
// find many, entry, message and replay for what is in them.
package cambium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// Options say where an engine works and how. Only Env is needed, and of it only
// Home.
type Options struct {
	// Env is what is known of the machine, as layout.Here says: Home is where
	// agents have their directories; Cwd is what relative paths are resolved
	// against; Getenv lets the agents' own variables count.
	Env layout.Env
	// Agent is whose home and rules to use. "" means cambium's home and, for
	// files that lie elsewhere, the rules that the file itself tells.
	Agent dialect.Name
	// AgentDir is the agent directory, instead of the usual one.
	AgentDir string
	// SessionDir is the one directory for session files; "" means one for each
	// working directory, below the agent directory.
	SessionDir string

	// Terminal is the device behind standard input ("/dev/pts/3"), by which
	// Continue finds what was last used in this terminal; "" when only the
	// environment tells which terminal it is.
	Terminal string
	// Unnoted leaves no note of the sessions that are used in the terminal: for
	// those of agents that work for another one.
	Unnoted bool

	// Index keeps what was found in session files, so that only those that
	// changed are read again; nil means that all are read whenever sessions are
	// listed. Package index has one. Its errors go to Log.
	Index catalog.Index
	// Memory keeps what was found in large sessions, so that opening one again
	// does not read it whole; nil means the Index, if that is one.
	Memory session.Memory

	// Store holds the sessions; nil means the local disk. In a store that many
	// machines have, names are those of a home that is the root: the sessions of
	// cambium are under "/.cambium/agent/sessions".
	Store storage.Store
	// Blobs holds what is too large for a line; nil means the agent's directory
	// of blobs.
	Blobs blob.Store
	// MustExist makes it an error, fs.ErrNotExist, to open what is not there; it
	// begins a session otherwise.
	MustExist bool
	// FirstWrite says when a new session gets its file; until then it is kept as a
	// draft. The zero value is when its program does it, of which Version is the
	// version: pi from 1.5 on with what the user says first, else with the answer.
	FirstWrite session.FirstWrite
	Version    string
	// Sync says when entries are made durable; the zero value is after each
	// that ends a message.
	Sync session.Sync

	// IfBusy is asked whether to open a session for writing that others have
	// open; an error ends the opening with it. nil opens it all the same, and
	// tells OnEvent.
	IfBusy func(others []presence.Holder) error

	// Now is the clock; nil means time.Now. Random is where ids come from; nil
	// means crypto/rand.
	Now    func() time.Time
	Random io.Reader
	// Log is told the first of a row of write errors; nil means nobody.
	Log *slog.Logger
	// OnEvent is told what happens to any of the sessions; nil means nobody.
	OnEvent func(session.Event)
}

// An Engine begins, opens and finds sessions. It holds nothing open and is safe
// for concurrent use. Of those on the local disk it says which are open.
type Engine struct {
	opt      Options
	presence session.Presence
}

// Open returns an engine. Nothing is read or made yet. The error is for options
// that cannot be meant: no home and no directory instead, or an agent that is
// not known.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, ok := spelling.ByName(string(o.Agent)); !ok && o.Agent != "" {
		return nil, fmt.Errorf("open engine: no agent is called %q", o.Agent)
	}
	if o.Env.Home == "" && o.AgentDir == "" && o.SessionDir == "" && o.Store == nil {
		return nil, errors.New("open engine: neither a home nor a directory is given")
	}
	e := &Engine{opt: o}
	if m, ok := o.Index.(session.Memory); ok && o.Memory == nil {
		e.opt.Memory = m
	}
	if dir := places.Own(o.Env).State; !e.shared() && filepath.IsAbs(dir) {
		e.presence = state.NewPresence(state.PresenceOptions{Dir: dir, Env: o.Env, Now: o.Now})
	}
	return e, nil
}

// New is what a new session begins with.
type New struct {
	// ID is its id; "" for a new one.
	ID string
	// Title is its name; "" for none.
	Title string
	// Parent is the id or path of the session it comes from; "" for none.
	Parent string
}

// Create begins a session of the working directory cwd. It is written when
// Options.FirstWrite says. The caller closes it.
func (e *Engine) Create(ctx context.Context, cwd string, n New) (*session.Session, error) {
	o := e.session()
	o.Dialect, o.ID, o.Title, o.Parent = e.agent(), n.ID, n.Title, n.Parent
	return session.Create(ctx, cwd, o)
}

// Open opens the session at a path to go on with it. A file that is missing or
// empty becomes a new session at that path. The caller closes it.
func (e *Engine) Open(ctx context.Context, path string) (*session.Session, error) {
	return session.Open(ctx, path, e.session())
}

// Read opens the session at a path to look at it: no byte, time or mode is
// changed. The error is session.ErrNotFound when there is none. The caller
// closes it.
func (e *Engine) Read(ctx context.Context, path string) (*session.Session, error) {
	o := e.session()
	o.ReadOnly = true
	return session.Open(ctx, path, o)
}

// OpenID opens the session with that id to go on with it, of whatever project it is.
// The error is a [*catalog.NotFound], which is fs.ErrNotExist, when there is none. The
// caller closes it.
func (e *Engine) OpenID(ctx context.Context, id string) (*session.Session, error) {
	info, err := catalog.Resolve(ctx, id, false, e.catalog(Query{Empty: true}))
	if err != nil {
		return nil, err
	}
	if info.ID != id || catalog.IsPath(id) {
		return nil, &catalog.NotFound{Arg: id}
	}
	o := e.session()
	o.MustExist = true
	return session.Open(ctx, info.Path, o)
}

// OtherProject says that the only session that answers to a name belongs to
// another working directory. Fork makes one of this directory of it; Open opens
// it where it is.
type OtherProject struct {
	// Arg is what was asked for.
	Arg string
	// Info describes the session that was found.
	Info catalog.Info
}

// Error says where it belongs, in the published words.
func (e *OtherProject) Error() string {
	return engine.InOtherProject(e.Arg, e.Info.CWD)
}

// Resume finds the session that a person means by arg (a path, an id, the
// beginning of one, a name), looking at those of the working directory cwd
// first, and opens it. The error is a [*catalog.NotFound], a
// [*catalog.Ambiguous] with the candidates, or an [*OtherProject]. The caller
// closes the session.
func (e *Engine) Resume(ctx context.Context, cwd, arg string) (*session.Session, error) {
	o := e.catalog(Query{CWD: cwd})
	info, err := catalog.Resolve(ctx, arg, false, o)
	if err != nil {
		return nil, err
	}
	if !catalog.IsPath(arg) && !engine.SameDir(e.opt.Env, info.CWD, cwd) {
		return nil, &OtherProject{Arg: arg, Info: info}
	}
	return e.Open(ctx, info.Path)
}

// Continue opens the session that this terminal last used in the working
// directory cwd, else the one of cwd whose file changed last, and begins one
// when there is none ([catalog.Continue]). The caller closes it.
func (e *Engine) Continue(ctx context.Context, cwd string) (*session.Session, error) {
	terminal := e.opt.Terminal
	if e.shared() {
		terminal = "" // notes of terminals are about files
	}
	own := foreign.On(e.catalog(Query{CWD: cwd}), foreign.Programs{}) // nothing of others is gone on with
	next, err := catalog.Continue(ctx, terminal, own)
	if err != nil {
		return nil, err
	}
	if next.Path == "" {
		return e.Create(ctx, cwd, New{})
	}
	s, err := e.Open(ctx, next.Path)
	if err == nil && next.From != "" {
		if err := s.Move(ctx, cwd); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, err
}

// Fork copies the session at a path, with all its branches, into a new one of
// the working directory cwd, written at once. The source is not changed. The
// caller closes the session.
func (e *Engine) Fork(ctx context.Context, path, cwd string) (*session.Session, error) {
	return session.ForkFrom(ctx, path, cwd, e.session())
}

// A Query says which sessions to list. The zero value means all of the engine's
// agent that have a message.
type Query struct {
	// CWD limits them to those of a working directory.
	CWD string
	// Agents looks into the homes of these agents, instead of the engine's.
	Agents []dialect.Name
	// Empty includes sessions without a message.
	Empty bool
	// Text fills Info.Text with all that was said.
	Text bool
}

// Sessions describes the sessions, the file changed last first, as they are
// read. A file that cannot be read is an Info with Damaged set.
func (e *Engine) Sessions(ctx context.Context, q Query) iter.Seq2[catalog.Info, error] {
	return catalog.Scan(ctx, e.catalog(q))
}

// Entries yields all entries of the sessions that q tells, each file read once, as
// [catalog.Entries] says: which session each is of, whether it is on the branch where
// that goes on, and whether it was copied from another one. Of q CWD and Agents count.
// What models cost, over all sessions of a machine, is
//
//	for e, err := range engine.Entries(ctx, cambium.Query{}, catalog.EntryQuery{}) {
//		if usage, ok := e.Usage(); err == nil && ok && !e.Inherited {
//			cost[e.Model()] += usage.Cost
//		}
//	}
func (e *Engine) Entries(ctx context.Context, q Query, which catalog.EntryQuery) iter.Seq2[catalog.Entry, error] {
	return catalog.Entries(ctx, e.catalog(q), which)
}

// Recent yields the sessions whose files changed last, the newest first, by the
// first 4 KB of each: for a short list that has to be there at once. Of q only
// CWD and Agents count.
func (e *Engine) Recent(ctx context.Context, q Query) iter.Seq2[catalog.Glimpse, error] {
	return catalog.Recent(ctx, e.catalog(q))
}

// Search yields what query finds in the sessions that q tells, the best session
// first; [search.Parse] says what a query is. Of each session all hits are
// told. With a [texts.Index] as Options.Index only what it does not know is
// read.
func (e *Engine) Search(ctx context.Context, query search.Query, q Query) iter.Seq2[search.Hit, error] {
	return search.Run(ctx, query, search.Options{Options: e.catalog(q)})
}

// agent is whose home is used.
func (e *Engine) agent() dialect.Name {
	if e.opt.Agent == "" {
		return dialect.Cambium
	}
	return e.opt.Agent
}

// shared reports whether the sessions are in a store that is not the local disk.
func (e *Engine) shared() bool {
	disk := local.Is(e.opt.Store)
	return e.opt.Store != nil && !disk
}

// env is the environment of the sessions: that of the machine, or of the store.
func (e *Engine) env() layout.Env {
	if e.shared() {
		return e.opt.Env.InStore()
	}
	return e.opt.Env
}

// options are what is known of the engine's sessions.
func (e *Engine) options() engine.Options {
	o := engine.Options{
		Env: e.env(), Agent: e.opt.Agent, AgentDir: e.opt.AgentDir, SessionDir: e.opt.SessionDir, Terminal: e.opt.Terminal,
		Index: e.opt.Index, Memory: e.opt.Memory, Presence: e.presence,
		FirstWrite: e.opt.FirstWrite, Version: e.opt.Version, Sync: e.opt.Sync, IfBusy: e.opt.IfBusy,
		Now: e.opt.Now, Random: e.opt.Random, Log: e.opt.Log, OnEvent: e.opt.OnEvent,
	}
	if e.shared() {
		o.Store = e.opt.Store
	}
	if j, err := e.record(context.Background()); err == nil {
		o.Undo = j
	}
	if e.opt.Log != nil {
		o.Trouble = func(err error) { e.opt.Log.Warn("index not used", "error", err) }
	}
	if !e.opt.Unnoted && !e.shared() {
		visits := o
		visits.Agent = e.agent()
		o.OnVisit = visits.Visited
	}
	return o
}

func (e *Engine) session() session.Options {
	known := e.options()
	o := known.Session()
	o.Store, o.Blobs, o.MustExist = e.opt.Store, e.opt.Blobs, e.opt.MustExist
	return o
}

func (e *Engine) catalog(q Query) catalog.Options {
	o := e.options().For(e.agent(), e.opt.AgentDir, "")
	c := o.Catalog()
	c.CWD, c.Empty, c.Text = q.CWD, q.Empty, q.Text
	if len(q.Agents) > 0 {
		c.Agents, c.AgentDir = q.Agents, ""
	}
	return c
}
