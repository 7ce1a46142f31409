package session

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/storage"
)

// CurrentVersion is the version of the session format that is written, and the
// highest that can be appended to.
const CurrentVersion = entry.CurrentVersion

// Sync says when appended entries are made durable.
type Sync int

// When to sync.
const (
	// SyncMessage syncs after each entry that ends a message. The default.
	SyncMessage Sync = iota
	// SyncEntry syncs after every entry.
	SyncEntry
	// SyncNone leaves it to the system, as the programs do. [Session.Flush]
	// and [Session.Close] sync all the same.
	SyncNone
)

// A Memory keeps what a reading of a log has found, for the next one. What it returns
// is checked against the log. It must be safe for concurrent use.
type Memory interface {
	// Recall returns what was remembered last of a log, and its mark then; no data
	// when there is nothing.
	Recall(ctx context.Context, name string) (storage.Mark, []byte, error)
	// Remember keeps data for a log as it is at mark. It does not hold on to data.
	Remember(ctx context.Context, name string, mark storage.Mark, data []byte) error
}

// FirstWrite says when a session that has no file yet gets one. A session
// whose file exists is appended to at once, whatever it holds.
type FirstWrite int

// When the file is first written.
const (
	// AsProgram is what the program of the dialect does: pi from version 1.5 on
	// FirstUser, the others FirstAssistant.
	AsProgram FirstWrite = iota
	// FirstAssistant waits for the first assistant message (published P1).
	FirstAssistant
	// FirstUser waits for the first user or assistant message.
	FirstUser
	// Immediately writes the header at once.
	Immediately
)

// Options say how a session is opened or made. The zero value with an Env is
// ready to use.
type Options struct {
	// Dialect chooses the rules; "" means those of the file: of the home it
	// lies in, else of the marks in it, else cambium.
	Dialect dialect.Name
	// Env is what is known of the machine: home, temporary directory,
	// working directory, environment, links.
	Env layout.Env
	// AgentDir overrides the dialect's agent directory.
	AgentDir string
	// Dir is the directory for session files: where new, forked and branched
	// sessions go. "" means the dialect's own for the working directory; for
	// branched sessions and forks in place, the directory the session is in.
	Dir string
	// ID is the id of a session made by Create, InMemory or ForkFrom; "" for a new one.
	ID string
	// Title is the title of a new session; "" for none.
	Title string
	// Parent is the parentSession of a new session, verbatim.
	Parent string

	// Store holds the logs; nil means the local disk.
	Store storage.Store
	// Blobs holds what is too large for a line; nil means the dialect's
	// directory of blobs.
	Blobs blob.Store

	// ReadOnly opens to look: not a byte, time or mode is changed.
	ReadOnly bool
	// Later opens to write, but not yet: Open changes nothing on disk, and what
	// writes is refused with ErrReadOnly until Session.StartWriting. It is for
	// who must look at a session before giving another one up.
	Later bool
	// MustExist makes it an error to open what is not there, which to write begins a
	// session otherwise.
	MustExist bool
	// NoArtifacts leaves the artifacts of a session behind when ForkFrom copies it.
	NoArtifacts bool
	// Reinitialize makes a new session of a file that is none, as published;
	// the old bytes are kept beside it under a name that begins with a dot.
	Reinitialize bool
	// FirstWrite says when a new session is first written.
	FirstWrite FirstWrite
	// Version is that of the program whose session it is, such as "1.5.2", for
	// AsProgram. "" is the version that the dialect is named after.
	Version string
	// Sync says when entries are made durable.
	Sync Sync
	// NoDrafts keeps a session that is not written yet in memory only.
	NoDrafts bool

	// Undo keeps a record of renames, moves, migrations and new beginnings, so
	// that they can be taken back; nil means nobody does. With a Store it must
	// know that store.
	Undo Recorder

	// Presence says who has which session open for writing; nil means nobody
	// does. It is used on the local disk only: a Store that is a
	// [storage.Leaser] is told, and asked, itself.
	Presence Presence
	// Holder says to the others who share such a Store who has a session open:
	// Host ("ada@laptop"), PID and Terminal. Without a Host it is found out.
	Holder storage.Holder
	// TakeOver takes a session from those who hold it in such a Store: each of
	// them is told at its next append, and nobody is kept from writing.
	TakeOver bool
	// IfBusy is asked, before anything is changed, whether a session that
	// others have open is to be opened for writing: an error ends the opening
	// with it. nil goes on.
	IfBusy func(others []presence.Holder) error

	// OnVisit is told which session is in use: when one is opened to write,
	// begun, switched to, forked, moved, or first written. It is called with
	// the session's lock held and must not call the session; nil means nobody
	// wants to know.
	OnVisit func(Visit)

	// Memory keeps what was found in large session files, so that one that did
	// not change, or only grew, is not read whole when it is opened again; nil
	// means that it is. It is used on the local disk only.
	Memory Memory

	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Random is where ids come from; nil means crypto/rand.
	Random io.Reader
	// Log is told the first of a row of write errors, and of links beside the
	// session that were not followed; nil means nobody.
	Log *slog.Logger
	// OnEvent is told what happens. It is called without locks held, by the
	// goroutine that made the call during which it happened.
	OnEvent func(Event)

	// fs is where all but what a Store has is kept; nil means the machine.
	fs vfs.FS
	// programs are those whose sessions can be opened, too, to be read.
	programs foreign.Programs
}

var (
	_ = vfs.Taken(func(o *Options) *vfs.FS { return &o.fs }, nil)
	_ = foreign.Taken(func(o *Options) *foreign.Programs { return &o.programs })
)

func (o *Options) defaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = bufio.NewReaderSize(rand.Reader, 256) // ids are small
	}
	if o.fs == nil {
		o.fs = vfs.OS()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}
