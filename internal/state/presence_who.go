package state

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// Who returns who else has the session at path open for writing, or seems to:
// all but what Enter gave the id own for, those that are known first.
//
// A process of Cambium says so itself. Of another program can be known that it
// holds a descriptor of the file to write to, that it has omp's lock file, that
// the note of a terminal it runs in names the session (package breadcrumb), or,
// when there is none of that, that something was appended in the last minute
// by somebody else than Cambium.
func (p *Presence) Who(ctx context.Context, path, own string) ([]Holder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	target, info, _ := p.stat(path)
	v := p.view(ctx, p.about(target, info))
	return v.who(path, own), nil
}

// A View is who has sessions open at one time. It is not safe for concurrent
// use.
type View struct {
	p       *Presence
	entered map[string]presence
	procs   []process
	notes   []note
	// beside are the names in the directories of sessions that were asked for,
	// nil for a directory of which only one was.
	beside   map[string]map[string]bool
	suspects *suspects // nil until they are asked for
}

// View looks once at all that has sessions open.
func (p *Presence) View(ctx context.Context) *View { return p.view(ctx, p.entered()) }

func (p *Presence) view(ctx context.Context, entered map[string]presence) *View {
	v := &View{p: p, entered: entered, beside: map[string]map[string]bool{}}
	v.procs = processes(ctx)
	v.notes = p.notes()
	return v
}

// Who returns who has the session at path open for writing, or seems to.
func (v *View) Who(path string) []Holder { return v.who(path, "") }

func (v *View) who(path, own string) []Holder {
	path, info, known := v.p.stat(path)
	var all []Holder
	var gone []presence
	self := os.Getpid()
	for id, is := range v.entered {
		switch {
		case id == own || !v.about(is, path, info):
		case is.alive:
			all = append(all, is.holder())
		default:
			gone = append(gone, is)
		}
	}
	slices.SortFunc(all, func(a, b Holder) int { return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) })
	add := func(h Holder) {
		here := func(o Holder) bool { return o.PID == h.PID && o.Host == h.Host }
		if h.PID != self && !slices.ContainsFunc(all, here) {
			h.Host = v.p.host
			all = append(all, h)
		}
	}
	for _, proc := range v.procs {
		if known && proc.writes(info) {
			add(Holder{Host: v.p.host, Program: proc.program(), PID: proc.pid, Terminal: proc.terminal, Why: "has the file open to write to it"})
		}
	}
	if users, err := vfs.Users(info); known && err == nil {
		for _, pid := range users {
			add(Holder{Program: programOf(pid), PID: pid, Why: "has the file open"})
		}
	}
	if pid, since, ok := v.locker(path); ok {
		add(Holder{Host: v.p.host, Program: programOf(pid), PID: pid, Since: since, Why: "holds the lock file of omp"})
	}
	for _, n := range v.notes {
		if proc, ok := n.runs(v); ok && v.p.real(n.path) == path {
			add(Holder{Host: v.p.host, Program: n.agent, PID: proc.pid, Terminal: proc.terminal, Why: "used this session last in its terminal"})
		}
	}
	if ago, ok := v.p.grown(path, info, gone); known && len(all) == 0 && ok {
		all = append(all, Holder{Why: fmt.Sprintf("wrote to it %d s ago", int(ago.Seconds()))})
	}
	return all
}

// about reports whether what was entered is the file at path: it was entered by
// that name, or had another one and was moved there since.
func (v *View) about(is presence, path string, info vfs.Info) bool {
	if string(is.Path) == path {
		return true
	}
	if info.Ino == 0 || is.Ino != info.Ino || is.Dev != info.Dev {
		return false
	}
	_, err := v.p.fs.Lstat(string(is.Path))
	return err != nil
}

func (is presence) holder() Holder {
	h := Holder{Program: Program, PID: is.PID, Host: is.Host, Terminal: is.Terminal, Sure: true, Why: "says so"}
	if ms, ok := jsonedit.ParseTime(is.Since); ok {
		h.Since = time.UnixMilli(ms).UTC()
	}
	return h
}

// stat returns the file that a path leads to, and its state if it has one.
func (p *Presence) stat(path string) (target string, info vfs.Info, ok bool) {
	info, err := p.fs.Lstat(path)
	if err == nil && info.Regular() {
		return filepath.Clean(path), info, true
	}
	target = p.real(path)
	info, err = p.fs.Stat(target)
	return target, info, err == nil
}

// locker returns the living process that has omp's lock file of a session
// (content "PID:MILLISECONDS"; omp 18.2.3).
func (v *View) locker(path string) (pid int, since time.Time, ok bool) {
	lock := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	if !v.there(lock) {
		return 0, since, false
	}
	raw, err := vfs.ReadFile(v.p.fs, lock, 256)
	if err != nil {
		return 0, since, false
	}
	owner, ms, _ := strings.Cut(strings.TrimSpace(string(raw)), ":")
	pid, err = strconv.Atoi(owner)
	if n, err := strconv.ParseInt(ms, 10, 64); err == nil {
		since = time.UnixMilli(n).UTC()
	}
	return pid, since, err == nil && vfs.Alive(pid)
}

// there reports whether there may be a file. From the second that is asked for
// in a directory on, the directory is read once for all of them.
func (v *View) there(name string) bool {
	dir := filepath.Dir(name)
	names, asked := v.beside[dir]
	switch {
	case !asked:
		v.beside[dir] = nil
		return true
	case names == nil:
		all, err := v.p.fs.Names(dir)
		if err != nil {
			return true
		}
		names = make(map[string]bool)
		for _, n := range all {
			if n[0] == '.' { // as all that is asked for
				names[n] = true
			}
		}
		v.beside[dir] = names
	}
	return names[filepath.Base(name)]
}

// A note says which session a program used last in a terminal.
type note struct{ agent, terminal, path string }

// notes returns those of the living programs.
func (p *Presence) notes() []note {
	var all []note
	for _, agent := range places.Names() {
		dir := places.For(agent, p.opt.Env, layout.Overrides{}).Breadcrumbs
		if dir == "" || agent == Program || p.opt.Env.Home == "" {
			continue
		}
		names, err := p.fs.Names(dir)
		if err != nil {
			continue
		}
		for _, name := range names {
			if c, ok := breadcrumb.Read(p.fs, filepath.Join(dir, name)); ok {
				all = append(all, note{agent, name, c.Path})
			}
		}
	}
	return all
}

// runs returns the process of the note's program in the note's terminal.
func (n note) runs(v *View) (process, bool) {
	for _, proc := range v.procs {
		if proc.terminal == "" {
			continue
		}
		id, ok := places.TerminalID(n.agent, proc.terminal, layout.Env{})
		if ok && id == n.terminal && proc.program() == n.agent {
			return proc, true
		}
	}
	return process{}, false
}

// tailBytes is how much of the end of a session is read to find its last time.
const tailBytes = 64 << 10

// grown reports how long ago somebody else than Cambium appended to a file, if
// that was in the last minute: the file changed, holds an entry of that time,
// and is not as a process of Cambium left it.
func (p *Presence) grown(path string, info vfs.Info, gone []presence) (time.Duration, bool) {
	if !info.Regular() || !p.recent(info.ModTime) {
		return 0, false
	}
	for _, is := range gone {
		// Of one that was killed it is not known what it wrote.
		if is.Left == nil || *is.Left == (left{info.Size, info.ModTime}) {
			return 0, false
		}
	}
	f, err := p.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }() // nothing was written
	tail := make([]byte, min(info.Size, tailBytes))
	if n, err := f.ReadAt(tail, info.Size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, false
	} else {
		tail = tail[:n]
	}
	stamp := []byte(`"timestamp":"`)
	for {
		at := bytes.LastIndex(tail, stamp)
		if at < 0 {
			return 0, false
		}
		text, _, _ := bytes.Cut(tail[at+len(stamp):], []byte{'"'})
		if ms, ok := jsonedit.ParseTime(string(text)); ok && p.recent(ms*int64(time.Millisecond)) {
			return max(0, p.opt.Now().Sub(time.Unix(0, info.ModTime))), true
		}
		tail = tail[:at]
	}
}
