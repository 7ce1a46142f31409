package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	holders "github.com/cambium-dev/cambium/presence"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Program is what a Holder calls Cambium.
const Program = "cambium"

// Holder is that of package presence.
type Holder = holders.Holder

// PresenceOptions say where a Presence is and what it uses of the machine.
type PresenceOptions struct {
	// Dir is Cambium's state directory, absolute. It is made when a session is
	// entered.
	Dir string
	// FS is the file system; nil means that of the machine.
	FS vfs.FS
	// Env is where other programs are looked for.
	Env layout.Env
	// Terminal is the device that this process runs in, "" for none.
	Terminal string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Presence says which sessions this process has open for writing, and finds
// out who else has. It is advice: nothing is ever refused because of it.
//
// Each session that is open has a file in presence/, locked for as long as its
// process lives. A file that is not locked is somebody's who has gone. It is
// safe for concurrent use.
type Presence struct {
	opt  PresenceOptions
	fs   vfs.FS
	host string

	mu   sync.Mutex
	held map[string]held
}

// held is a session that this process has entered.
type held struct {
	file vfs.File
	is   presence
	link string // its other name, "" for none
}

// presence is what a file in presence/ says.
type presence struct {
	Version  int    `json:"v"`
	PID      int    `json:"pid"`
	Host     string `json:"host"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since"`
	Path     name   `json:"path"`
	Dev      uint64 `json:"dev,omitzero"`
	Ino      uint64 `json:"ino,omitzero"`
	// Left says how the session's file was when the process closed it.
	Left *left `json:"left,omitzero"`

	alive bool
}

// left describes a file as it was left.
type left struct {
	Size    int64 `json:"size"`
	ModTime int64 `json:"modTime"`
}

// NewPresence returns a presence in a state directory. It reads and makes
// nothing.
func NewPresence(opt PresenceOptions) *Presence {
	if opt.FS == nil {
		opt.FS = vfs.OS()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	host, _ := os.Hostname() // "" is as good as any
	return &Presence{opt: opt, fs: opt.FS, host: host, held: map[string]held{}}
}

func (p *Presence) dir() string { return filepath.Join(p.opt.Dir, "presence") }

// real returns the path of the file that a session's path leads to.
func (p *Presence) real(path string) string {
	if target, err := vfs.Resolve(p.fs, path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

// Enter says that this process has the session at path open for writing, until
// Leave is called with the id or the process is no more. The same session may
// be entered several times.
func (p *Presence) Enter(ctx context.Context, path string) (id string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	path = p.real(path)
	is := presence{
		Version: version, PID: os.Getpid(), Host: p.host, Terminal: p.opt.Terminal,
		Since: jsonedit.FormatTime(p.opt.Now().UnixMilli()), Path: name(path),
	}
	if info, err := p.fs.Stat(path); err == nil {
		is.Dev, is.Ino = info.Dev, info.Ino
	}
	f, err := p.claim(path)
	if err != nil {
		return "", fmt.Errorf("enter session %q: %w", path, err)
	}
	if err := put(f, is); err != nil {
		return "", fmt.Errorf("enter session %q: %w", path, errors.Join(err, p.fs.Remove(f.Name()), f.Close()))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id = filepath.Base(f.Name())
	p.held[id] = held{f, is, p.linkInode(f, is)}
	return id, nil
}

// claim makes a presence file and takes its lock. Somebody who looks at it in
// between may hold the lock for a moment, and even take it for a dead one's.
func (p *Presence) claim(path string) (vfs.File, error) {
	dir := p.shard(key(path))
	if _, err := vfs.MkdirAll(p.fs, dir); err != nil {
		return nil, err
	}
	for range 100 {
		name := filepath.Join(dir, key(path)+"."+strings.ToLower(rand.Text()[:10]))
		f, err := p.fs.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ok, err := f.TryLock()
		if err != nil {
			return nil, errors.Join(err, p.fs.Remove(name), f.Close())
		}
		if info, err := f.Stat(); ok && err == nil && info.Nlink > 0 {
			return f, nil
		}
		_ = f.Close() // who looked at it removes it
	}
	return nil, errors.New("others took away each of 100 presence files")
}

// put writes what a presence file says in place of what it said.
func put(f vfs.File, is presence) error {
	raw, err := json.Marshal(is, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if _, err := f.WriteAt(raw, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(raw)))
}

// Leave says that what Enter gave the id for is no longer open. How its file is
// now is remembered for a minute, so that what this process wrote last is not
// taken for another program's doing. An id that was left does nothing.
func (p *Presence) Leave(_ context.Context, id string) error {
	p.mu.Lock()
	h, ok := p.held[id]
	delete(p.held, id)
	p.mu.Unlock()
	if !ok {
		return nil
	}
	if h.link != "" {
		_ = p.fs.Remove(h.link) // who meets it does, if not we
	}
	path := string(h.is.Path)
	info, err := p.fs.Stat(path)
	if err == nil {
		h.is.Left = &left{info.Size, info.ModTime}
		h.is.Dev, h.is.Ino = info.Dev, info.Ino
		err = put(h.file, h.is)
	}
	if err == nil {
		err = p.fs.Rename(h.file.Name(), filepath.Join(p.shard(key(path)), key(path)+leftSuffix))
	}
	if err != nil { // the session is gone, or there is no room: nothing to remember
		err = p.fs.Remove(h.file.Name())
	}
	if err = errors.Join(err, h.file.Close()); err != nil {
		return fmt.Errorf("leave session %q: %w", path, err)
	}
	return nil
}

// Wrote says that this process wrote to the session at path and has done so,
// without having it open: what it wrote is not taken for another program's doing.
// Nothing is noted where it could not be, as of entries that are old.
func (p *Presence) Wrote(ctx context.Context, path string) error {
	path, info, ok := p.stat(path)
	if !ok {
		return nil
	}
	if _, ok := p.grown(path, info, nil); !ok {
		return nil
	}
	id, err := p.Enter(ctx, path)
	if err != nil {
		return err
	}
	return p.Leave(ctx, id)
}

// leftSuffix ends the name of the file that remembers how a session was left.
const leftSuffix = ".left"

// look reads one presence file.
func (p *Presence) look(name string, ours bool) (is presence, ok bool) {
	f, err := p.fs.Open(name, os.O_RDONLY)
	if err != nil {
		return is, false
	}
	defer func() { _ = f.Close() }() // nothing was written
	free, err := f.TryLock()
	if err != nil {
		return is, false
	}
	info, err := f.Stat()
	if err != nil {
		return is, false
	}
	if free && !p.recent(info.ModTime) {
		if ours && presenceName.MatchString(filepath.Base(name)) {
			_ = p.fs.Remove(name) // another time, if not now
		}
		return is, false
	}
	raw := make([]byte, min(info.Size, 64<<10))
	if _, err := f.ReadAt(raw, 0); err != nil {
		return is, false
	}
	if json.Unmarshal(raw, &is, jsontext.AllowInvalidUTF8(true)) != nil {
		return is, false
	}
	// Somebody else who looks at a dead one's file has its lock for a moment.
	is.alive = !free && is.Left == nil && (is.Host != p.host || vfs.Alive(is.PID))
	return is, true
}

// recently is how long ago a change makes a file seem in use.
const recently = time.Minute

// recent reports whether a time, in nanoseconds since 1970, is of the last
// minute. Clocks of two machines may differ by a few seconds.
func (p *Presence) recent(ns int64) bool {
	age := p.opt.Now().Sub(time.Unix(0, ns))
	return age < recently && age > -recently/10
}
