// Package work does what a person asks for, once for every front: which sessions
// are meant, where they are kept, how they are opened, and what is done to them.
//
// A [Library] is the sessions that a person reaches. What it does returns values
// and typed errors. It prints nothing: what is worth knowing on the way goes to its
// [Front] as a [Note], and what only a person can decide is asked there.
package work

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/engine"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/crush"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// A Machine is what a library knows of the machine.
type Machine struct {
	Env layout.Env
	// Terminal is the device behind standard input ("/dev/pts/3"), "" when there is
	// none or it is not known.
	Terminal string
	// Now is the clock, Random where ids come from.
	Now    func() time.Time
	Random io.Reader
	// FS is the file system that sessions are on; nil means that of the machine.
	FS vfs.FS
}

// Options say which sessions a person works with, and how.
type Options struct {
	// Dir is the working directory, absolute.
	Dir string
	// Agent is whose rules and home to use, "" for none.
	Agent dialect.Name
	// AgentDir is its agent directory, instead of the usual one.
	AgentDir string
	// SessionDir is the one directory with the session files, "" for those of the
	// agents.
	SessionDir string
	// Store is the URL of the store, "" for the local disk. Scheme is that of a
	// shared one, "" for none: see Choose.
	Store, Scheme string
	// IfBusy says what to do with a session that another program has open.
	IfBusy Way
	// First takes the newest of several sessions that match.
	First bool
	// NoIndex does without the index of sessions.
	NoIndex bool
}

// A Library is the sessions that a person reaches, on the local disk or in a shared
// store, with what is kept about them: the index, who has which open, and the record
// of what was done to them. Its options are settled before it is used.
type Library struct {
	Machine
	Options
	// Shared is the store that Options.Store names, nil for the local disk or as
	// long as it is not open.
	Shared *Shared
	// Makes says that a shared store that is not there is made.
	Makes bool
	// GoesOn says that sessions that are written to are noted as this terminal's.
	GoesOn bool

	front    Front
	presence *state.Presence
	known    lazyIndex
	pinned   vfs.FS // that of the sessions while a directory is held, else nil
}

// New returns a library on a machine. Nothing is read or made yet.
func New(m Machine, f Front) *Library { return &Library{Machine: m, front: f} }

// Beside returns a library of the same sessions for another front. Its index is to
// be closed.
func (l *Library) Beside(f Front) *Library {
	return &Library{Machine: l.Machine, Options: l.Options, Shared: l.Shared, front: f, presence: l.Presence()}
}

// Presence says which sessions this process has open, and who else has.
func (l *Library) Presence() *state.Presence {
	if l.presence == nil {
		l.presence = state.NewPresence(state.PresenceOptions{
			Dir: places.Own(l.Env).State, Env: l.Env, Terminal: l.Terminal, Now: l.Now,
		})
	}
	return l.presence
}

// Databases returns the agents that keep their sessions in databases. What these remember of
// one they share.
var Databases = sync.OnceValue(func() []foreign.Program { return []foreign.Program{opencode.New(), crush.New()} })

// engine is what is known of the sessions: the first write is at once.
func (l *Library) engine() engine.Options {
	o := engine.Options{
		Env: l.StoreEnv(), Agent: l.Agent, AgentDir: l.AgentDir, SessionDir: l.SessionDir, Terminal: l.Terminal, FS: fsOf(l),
		Presence: l.Presence(), FirstWrite: session.Immediately, Unread: l.unread,
		Now: l.Now, Random: l.Random, Log: l.warnings(), Programs: Databases(),
	}
	if l.Shared != nil {
		o.Store, o.Blobs, o.Holder, o.TakeOver = l.Shared.Store, l.Shared.Blobs, l.Holder(), l.IfBusy == Take
	}
	if x := l.Index(); x != nil {
		o.Index, o.Trouble, o.Memory = x, l.IndexTrouble, l.Memory()
	}
	return o
}

// Catalog says where to look for sessions.
func (l *Library) Catalog() catalog.Options {
	o := l.engine()
	o.FS, o.Now = l.FS, nil // files are looked for where they are, and their times are the machine's
	return o.Catalog()
}

// Session says how to open and make sessions: the first write at once.
func (l *Library) Session() session.Options {
	o := l.engine()
	if l.Records() {
		o.Undo = l.Journal()
	}
	if l.GoesOn {
		o.OnVisit = l.Visited
	}
	return o.Session()
}

// Absolute returns a path that a person typed as an absolute one, "" as "".
func (l *Library) Absolute(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(l.Dir, p)
}

// Directory returns a working directory that a person typed as an absolute path.
// One that is not there is noted: it may be on another machine.
func (l *Library) Directory(dir string) string {
	dir = l.Absolute(dir)
	switch info, err := vfs.OS().Stat(dir); {
	case err != nil:
		l.note(dir, "there is no such directory here")
	case !info.Mode.IsDir():
		l.note(dir, "this is no directory")
	}
	return dir
}

// SameDir reports whether two names are of one directory.
func (l *Library) SameDir(x, y string) bool { return engine.SameDir(l.Env, x, y) }

// IsDir reports whether a directory is there.
func IsDir(path string) bool {
	info, err := vfs.OS().Stat(path)
	return err == nil && info.Mode.IsDir() || errors.Is(err, fs.ErrPermission)
}

// Home returns where the agent of a session keeps its things.
func (l *Library) Home(name dialect.Name) places.Place {
	return places.For(string(name), l.Env, layout.Overrides{AgentDir: l.AgentDir, SessionDir: l.SessionDir})
}

// fsOf is the file system that sessions are opened on; nil means that of the machine.
func fsOf(l *Library) vfs.FS {
	if l.pinned != nil {
		return l.pinned
	}
	return l.FS
}

// Places are the directories in which a library looks for directories with sessions,
// or for sessions.
func Places(l *Library) []string {
	if l.SessionDir != "" {
		return []string{l.SessionDir}
	}
	var all []string
	for _, name := range places.Names() {
		if l.Agent == "" || string(l.Agent) == name {
			all = append(all, l.Home(dialect.Name(name)).Roots()...)
		}
	}
	return all
}

// hold keeps the directory of a session on the local disk what it is, for the
// sessions that are opened until release is called, which must be.
func (l *Library) hold(path string) (release func(), err error) {
	if l.Shared != nil || !filepath.IsAbs(path) {
		return func() {}, nil
	}
	was := l.pinned
	fsys := fsOf(l)
	if fsys == nil {
		fsys = vfs.OS()
	}
	pinned, unpin, err := vfs.PinFile(fsys, path)
	if err != nil {
		return nil, err
	}
	l.pinned = pinned
	return func() {
		l.pinned = was
		unpin()
	}, nil
}

// Close closes the index and the shared store, if they are open.
func (l *Library) Close() {
	l.CloseIndex()
	if l.Shared != nil {
		_ = l.Shared.Close() // sessions in it are closed and saved
	}
}
