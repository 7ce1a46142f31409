// Package errorfs makes operations of a file system fail where a test wants
// it.
//
// [Wrap] puts an [Injector] before every operation of an FS and of the files
// opened through it. The injector sees each [Op] in order and answers with a
// [Fault], or nil to let it through. Injectors are plain functions and
// compose: [Nth], [Match], [Toggle].
//
// The test that a room's error paths deserve is a loop: fail operation 1, then
// 2, 3 and so on, until the scenario runs through without having met the
// fault; see [Counter].
package errorfs

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
)

// ErrInjected is what operations fail with unless the fault says otherwise.
var ErrInjected = errors.New("injected fault")

// ErrNoSpace is the error of a full disk.
const ErrNoSpace = syscall.ENOSPC

// Kind names an operation.
type Kind string

// Kinds of operations, of file systems first, then of files.
const (
	Open      Kind = "open"
	Create    Kind = "create"
	Mkdir     Kind = "mkdir"
	Stat      Kind = "stat"
	Lstat     Kind = "lstat"
	Names     Kind = "names"
	ReadDir   Kind = "readdir"
	Readlink  Kind = "readlink"
	Rename    Kind = "rename"
	RenameNew Kind = "renamenew"
	Link      Kind = "link"
	Remove    Kind = "remove"
	Chmod     Kind = "chmod"
	SyncDir   Kind = "syncdir"
	InUse     Kind = "inuse"
	ReadAt    Kind = "readat"
	Write     Kind = "write"
	WriteAt   Kind = "writeat"
	Truncate  Kind = "truncate"
	Chown     Kind = "chown"
	Sync      Kind = "sync"
	SyncData  Kind = "syncdata"
	Lock      Kind = "lock"
	Unlock    Kind = "unlock"
	Path      Kind = "path"
	FileStat  Kind = "fstat"
	FileChmod Kind = "fchmod"
	Close     Kind = "close"
)

// Changes reports whether the operation changes what is on the disk.
func (k Kind) Changes() bool {
	switch k {
	case Create, Mkdir, Rename, RenameNew, Link, Remove, Chmod, SyncDir,
		Write, WriteAt, Truncate, Chown, Sync, SyncData, FileChmod:
		return true
	}
	return false
}

// Op is an operation about to be done.
type Op struct {
	// Kind says which.
	Kind Kind
	// Name is the file's; the old one of two.
	Name string
	// To is the new name of two.
	To string
	// Len is the number of bytes to read or write.
	Len int
}

// Fault is how an operation fails.
type Fault struct {
	// Err is the error; nil means ErrInjected.
	Err error
	// Short is how many bytes a write writes before it fails.
	Short int
	// After lets the operation happen, and reports the error all the same.
	After bool
}

// Injector decides the fate of each operation. It is called concurrently.
type Injector func(Op) *Fault

// Nth fails the n-th operation, counted from 1, that inner would fail, and no
// other.
func Nth(n int64, inner Injector) Injector {
	var seen atomic.Int64
	return func(op Op) *Fault {
		fault := inner(op)
		if fault == nil || seen.Add(1) != n {
			return nil
		}
		return fault
	}
}

// Any fails everything.
func Any(fault Fault) Injector { return func(Op) *Fault { return &fault } }

// Match fails the operations of one of the kinds (of any if there are none)
// whose name contains part.
func Match(fault Fault, part string, kinds ...Kind) Injector {
	return func(op Op) *Fault {
		if !strings.Contains(op.Name, part) && !strings.Contains(op.To, part) {
			return nil
		}
		for _, kind := range kinds {
			if op.Kind == kind {
				return &fault
			}
		}
		if len(kinds) == 0 {
			return &fault
		}
		return nil
	}
}

// Toggle is an injector that can be turned on and off; at first it is off.
type Toggle struct {
	// Inner decides while it is on.
	Inner Injector
	on    atomic.Bool
}

// Set turns it on or off.
func (t *Toggle) Set(on bool) { t.on.Store(on) }

// Inject is the Injector.
func (t *Toggle) Inject(op Op) *Fault {
	if !t.on.Load() {
		return nil
	}
	return t.Inner(op)
}

// Counter counts operations and fails the one whose turn it is, once. It is
// what a loop over all operations needs: Fired says whether the scenario got
// as far as that.
type Counter struct {
	// At is the number of the operation to fail, from 1; 0 for none.
	At int64
	// Only leaves other operations uncounted; nil counts all.
	Only func(Op) bool
	// Fault is how it fails.
	Fault Fault
	// Then, if not nil, is called for the operation instead, which goes on.
	Then  func(Op)
	seen  atomic.Int64
	fired atomic.Bool
}

// Inject is the Injector.
func (c *Counter) Inject(op Op) *Fault {
	if c.Only != nil && !c.Only(op) {
		return nil
	}
	if c.seen.Add(1) != c.At {
		return nil
	}
	c.fired.Store(true)
	if c.Then != nil {
		c.Then(op)
		return nil
	}
	return &c.Fault
}

// Fired reports whether the operation's turn came.
func (c *Counter) Fired() bool { return c.fired.Load() }

// Seen returns how many operations were counted.
func (c *Counter) Seen() int64 { return c.seen.Load() }
