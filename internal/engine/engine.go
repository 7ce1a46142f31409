// Package engine says how what is known of sessions becomes options: those with which
// one is opened or made, and those with which many are found. It is the one place that
// decides that, for the library, the command and the servers.
package engine

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// Options are what is known: where sessions are, whose they are, and what is kept about
// them.
type Options struct {
	// Env is what is known of the machine, or of the store.
	Env layout.Env
	// Agent is whose rules and home to use, "" for none.
	Agent dialect.Name
	// AgentDir is its agent directory, "" for the usual one; SessionDir the one
	// directory for session files, "" for those of the agents.
	AgentDir, SessionDir string
	// Terminal is the device behind standard input, "" for none.
	Terminal string

	// FS is the file system of files, nil for that of the machine. Store holds the
	// sessions instead, and Blobs what is too large for a line; Holder says to the others
	// who share the store who has its sessions open, and TakeOver takes them from these.
	FS       vfs.FS
	Store    storage.Store
	Blobs    blob.Store
	Holder   storage.Holder
	TakeOver bool

	// Programs are agents whose sessions are read besides those that Foreigners returns;
	// Alone says that none are.
	Programs []foreign.Program
	Alone    bool

	// Index keeps what was found in sessions, Memory what was found in large ones;
	// Presence says who has which open; Undo keeps a record of what is done to them.
	// Each may be nil. Memory and Presence are those of files.
	Index    catalog.Index
	Memory   session.Memory
	Presence session.Presence
	Undo     session.Recorder

	// FirstWrite says when a new session gets its file, Version that of its program, and
	// Sync when entries are durable.
	FirstWrite session.FirstWrite
	Version    string
	Sync       session.Sync
	// IfBusy is asked whether to open a session that others have open.
	IfBusy func(others []presence.Holder) error

	// Trouble is told what is wrong with the index, Unread which directories cannot be
	// read, Titles the names that agents keep beside their sessions. Each may be nil.
	Trouble func(error)
	Unread  func(dir string, err error)
	Titles  func(context.Context) (map[string]string, error)

	// Now is the clock, Random where ids come from; nil means the machine's.
	Now    func() time.Time
	Random io.Reader
	// Log is told the first of a row of write errors, OnEvent what happens to sessions,
	// OnVisit which is in use. Each may be nil.
	Log     *slog.Logger
	OnEvent func(session.Event)
	OnVisit func(session.Visit)
}

// Session says how sessions are opened and made.
func (o *Options) Session() session.Options {
	agent := o.Agent
	if slices.Contains(spelling.Foreign, agent) {
		agent = "" // by whose rules nothing is written
	}
	s := session.Options{
		Dialect: agent, Env: o.Env, AgentDir: o.AgentDir, Dir: o.SessionDir,
		FirstWrite: o.FirstWrite, Version: o.Version, Sync: o.Sync,
		Undo: o.Undo, Presence: o.Presence, Memory: o.Memory, IfBusy: o.IfBusy,
		Now: o.Now, Random: o.Random, Log: o.Log, OnEvent: o.OnEvent, OnVisit: o.OnVisit,
	}
	s = foreign.On(vfs.On(s, o.FS), o.programs())
	if o.Store != nil {
		s.Store, s.Blobs, s.Presence, s.Memory = o.Store, o.Blobs, nil, nil
		s.Holder, s.TakeOver = o.Holder, o.TakeOver
	}
	return s
}

// Catalog says where sessions are looked for: in the home of Agent, or in all.
func (o *Options) Catalog() catalog.Options {
	c := catalog.Options{
		Env: o.Env, AgentDir: o.AgentDir, SessionDir: o.SessionDir, Store: o.Store,
		Index: o.Index, Trouble: o.Trouble, Unread: o.Unread, Titles: o.Titles, Now: o.Now,
	}
	if o.Agent != "" {
		c.Agents = []dialect.Name{o.Agent}
	}
	return foreign.On(vfs.On(c, o.FS), o.programs())
}

// Others returns the agents whose files stay as they are, whether they are shown or not.
func (o *Options) Others() foreign.Programs {
	return foreign.Programs{All: append(Foreigners(), o.Programs...), Env: o.Env}
}

// programs are the agents whose sessions are read and not written.
func (o *Options) programs() foreign.Programs {
	if o.Alone {
		return foreign.Programs{}
	}
	return o.Others()
}

// Foreigners returns the agents whose sessions are files.
func Foreigners() []foreign.Program { return []foreign.Program{claude.New(), codex.New()} }

// Visited notes a session of files as the one that this terminal last used. What
// cannot be noted is not: it is a convenience, and only logged.
func (o *Options) Visited(v session.Visit) {
	trail := catalog.Trail{Env: o.Env, Terminal: o.Terminal, Agent: o.Agent, AgentDir: o.AgentDir}
	if err := trail.Visit(catalog.Visit(v)); err != nil && o.Log != nil {
		o.Log.Debug("note the session of the terminal", "path", v.Path, "error", err)
	}
}

// For returns the options for what a caller names instead of these: another agent, whose
// directory is then its own, and the directories; "" names nothing.
func (o Options) For(agent dialect.Name, agentDir, sessionDir string) Options {
	if agent != "" && agent != o.Agent {
		o.Agent, o.AgentDir = agent, ""
	}
	if agentDir != "" {
		o.AgentDir = agentDir
	}
	if sessionDir != "" {
		o.SessionDir = sessionDir
	}
	return o
}
