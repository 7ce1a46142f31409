package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// How the lock file of another program is waited for: as omp 18.2.3 does.
const (
	sidecarWait  = 500 * time.Millisecond
	sidecarPoll  = 2 * time.Millisecond
	sidecarStale = 500 * time.Millisecond // age of one without a readable owner
	// Writers of ours that wait for each other hand the lock file on for so long,
	// and then leave it free until the other program has tried it twice.
	shareFor = 20 * time.Millisecond
	shareGap = 3 * sidecarPoll
)

// ourMark ends what we write into a lock file. The other program reads over it.
const ourMark = "\t\n"

// stuckLocks remembers lock files that stay: each was waited for in vain, or is
// ours and could not be removed. The zero value remembers none.
type stuckLocks struct {
	mu  sync.Mutex
	all map[string]stuck // by path; guarded by mu
}

// stuck is a lock file as it was found.
type stuck struct {
	info    vfs.Info
	content string
	ours    bool // made by this process, which is done with it
}

// has reports what is remembered of a lock file, if it is still the same one.
func (l *stuckLocks) has(path string, info vfs.Info, content []byte) (known, ours bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.all[path]
	known = ok && s.info.SameFile(info) && s.info.ModTime == info.ModTime && s.content == string(content)
	return known, known && s.ours
}

func (l *stuckLocks) note(path string, s stuck) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[string]stuck)
	}
	l.all[path] = s
}

func (l *stuckLocks) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, path)
}

// sidecar is a lock file that we made: a file created exclusively, which says
// "PID:MILLISECONDS". The zero value is none. Who holds it has the lock of the file
// as well. So one that says it is ours, found under that lock, was left to us.
type sidecar struct {
	fs      vfs.FS
	stuck   *stuckLocks
	path    string
	content []byte
	since   int64 // when it was made by the first of those who share it
}

// Why a lock file is done without: errKept ends the waiting for it, errStays
// says that it is still the one that was waited for before.
var (
	errStays = errors.New("its owner still keeps it")
	errKept  = errors.New("its owner keeps it")
)

// takeSidecar takes the lock file of the log, if its kind has one. It fails only
// where nothing may be waited for: after half a second, or if the file cannot be
// made, the writing goes on without it, which is reported. One that was waited
// for in vain is only looked at the next time, and not reported again.
func (l *log) takeSidecar(ctx context.Context, h *handle) error {
	name := l.path()
	path := l.store.opt.Sidecar(name)
	l.sidecar = sidecar{}
	if path == "" {
		return nil
	}
	s := sidecar{fs: l.store.opt.fs, stuck: &l.store.stuck, path: path}
	err := s.take(ctx, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		_, err := l.look()
		return err == nil && l.h == h
	})
	switch {
	case err == nil:
		l.sidecar = s
	case err == errStays: // told before
	case errors.Is(err, fs.ErrNotExist): // no directory yet, so nobody to keep away
	case errors.Is(err, vfs.ErrHeld) && !errors.Is(err, errKept):
		return storage.AsLocked(err)
	default:
		l.store.opt.Report(name, fmt.Errorf("take lock file %q: %w", path, storage.AsLocked(err)))
	}
	return nil
}

// take takes the lock file. named reports whether the file under lock has the name
// that goes with it.
func (s *sidecar) take(ctx context.Context, named func() bool) error {
	var tick *time.Ticker
	var enough <-chan time.Time
	for {
		err := s.create()
		if err == nil {
			s.stuck.forget(s.path)
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, content := s.look()
		if since, ok := handedOn(content); ok && named() && s.takeOver(content, since) {
			return nil
		}
		known, ours := s.stuck.has(s.path, info, content)
		if s.clear(ours) {
			continue
		}
		if known {
			return errStays
		}
		if vfs.PatienceOf(ctx) <= 0 {
			return &vfs.Held{Name: s.path, By: ownerOf(content)}
		}
		if tick == nil {
			tick = time.NewTicker(sidecarPoll)
			defer tick.Stop()
			timer := time.NewTimer(sidecarWait)
			defer timer.Stop()
			enough = timer.C
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &vfs.Held{Name: s.path, By: ownerOf(content), Cause: context.Cause(ctx)}
		case <-enough:
			if info.Ino != 0 {
				s.stuck.note(s.path, stuck{info: info, content: string(content)})
			}
			return &vfs.Held{Name: s.path, By: ownerOf(content), Cause: errKept}
		}
	}
}

// ownerOf returns who a lock file says that it is of.
func ownerOf(content []byte) vfs.Holder {
	owner, _, found := bytes.Cut(content, []byte{':'})
	if pid, err := strconv.Atoi(string(owner)); found && err == nil && pid > 0 {
		h := vfs.Process(pid)
		h.Claimed = true
		return h
	}
	return vfs.Holder{}
}

// look returns the lock file as it is; content is nil when it cannot be read.
func (s *sidecar) look() (vfs.Info, []byte) {
	info, err := s.fs.Lstat(s.path)
	if err != nil {
		return info, nil
	}
	content, err := vfs.ReadFile(s.fs, s.path, 256)
	if err != nil {
		return info, nil
	}
	return info, content
}

func (s *sidecar) create() error {
	f, err := s.fs.Open(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	s.since = time.Now().UnixMilli()
	s.content = s.text()
	_, err = vfs.WriteAll(f, s.content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, s.fs.Remove(s.path))
	}
	return nil
}

func (s *sidecar) text() []byte {
	return fmt.Appendf(nil, "%d:%d"+ourMark, os.Getpid(), s.since)
}

// handedOn returns since when writers of ours share a lock file, false for one that
// is not ours.
func handedOn(content []byte) (since int64, ok bool) {
	text, ok := bytes.CutSuffix(content, []byte(ourMark))
	_, ms, found := bytes.Cut(text, []byte{':'})
	since, err := strconv.ParseInt(string(ms), 10, 64)
	return since, ok && found && err == nil
}

// takeOver has a lock file that was left to us name this process.
func (s *sidecar) takeOver(was []byte, since int64) bool {
	s.since = since
	now := s.text()
	if bytes.Equal(now, was) {
		s.content = now
		return true
	}
	f, err := s.fs.Open(s.path, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it says what it should, or is read again
	there := make([]byte, len(was)+1)
	n, err := f.ReadAt(there, 0)
	if !errors.Is(err, io.EOF) || !bytes.Equal(there[:n], was) {
		return false // the other program took it for a dead one's
	}
	if _, err := f.WriteAt(now, 0); err != nil {
		return false
	}
	if len(now) < len(was) && f.Truncate(int64(len(now))) != nil {
		return false
	}
	content, err := vfs.ReadFile(s.fs, s.path, 256)
	if err != nil || !bytes.Equal(content, now) {
		return false
	}
	s.content = now
	return true
}

// handOn leaves the lock file to a writer of ours that waits for the lock of h, and
// reports whether it did.
func (l *log) handOn(h *handle) bool {
	s := &l.sidecar
	line, ok := h.File.(vfs.InLine)
	if s.path == "" || !ok || !line.Awaited() {
		return false
	}
	if age := time.Now().UnixMilli() - s.since; age < 0 || age >= shareFor.Milliseconds() {
		s.release()
		time.Sleep(shareGap)
		return true
	}
	*s = sidecar{}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tidy == nil {
		l.tidy = time.AfterFunc(shareFor+shareGap, l.tidyUp)
	} else {
		l.tidy.Reset(shareFor + shareGap)
	}
	return true
}

// tidyNow is tidyUp of a log that is closed.
func (l *log) tidyNow() {
	l.mu.Lock()
	due := l.tidy != nil && l.tidy.Stop()
	l.mu.Unlock()
	if due {
		l.tidyUp()
	}
}

// tidyUp removes a lock file that was handed on to nobody, because who waited is
// gone.
func (l *log) tidyUp() {
	ctx := vfs.WithPatience(context.Background(), 0)
	if l.await(ctx) != nil {
		return // whoever has the turn sees to it
	}
	if at, err := l.lockFile(ctx, storage.Mark{}); err == nil {
		l.giveUp(at.h)
	}
	l.endTurn()
}

// release removes the lock file if it is still ours. An error leaves it there:
// for us it is stale from now on, for others as soon as this process ends.
func (s *sidecar) release() {
	if s.path == "" {
		return
	}
	content, err := vfs.ReadFile(s.fs, s.path, 256)
	if err != nil || bytes.Equal(content, s.content) {
		if err != nil || s.fs.Remove(s.path) != nil {
			info, _ := s.fs.Lstat(s.path) // if that fails, too, it is waited for once
			s.stuck.note(s.path, stuck{info: info, content: string(s.content), ours: true})
		}
	}
	*s = sidecar{}
}

// clear takes a lock file away that is stale, or ours, and reports whether it is worth trying
// again at once. The file is renamed first: whoever else clears it gets
// nothing, and if it was a new one by then it is put back.
func (s *sidecar) clear(ours bool) bool {
	content, stale := s.stale()
	if !stale && !ours {
		return false
	}
	aside := s.path + ".stale-" + rand.Text()
	if err := s.fs.Rename(s.path, aside); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	now, err := vfs.ReadFile(s.fs, aside, 256)
	if err != nil || !bytes.Equal(now, content) {
		_ = s.fs.RenameNew(aside, s.path) // if taken by now, ours is the copy to go
	}
	if err := s.fs.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return true
}

// stale reports whether the lock file's owner is dead, or unreadable and old.
// A directory or a device there is nobody's lock, but not ours to remove.
func (s *sidecar) stale() (content []byte, stale bool) {
	content, err := vfs.ReadFile(s.fs, s.path, 256)
	if err != nil {
		return nil, false
	}
	owner, _, found := bytes.Cut(content, []byte{':'})
	pid, err := strconv.Atoi(string(owner))
	if found && err == nil && pid > 0 {
		return content, !vfs.Alive(pid)
	}
	info, err := s.fs.Lstat(s.path)
	age := time.Since(time.Unix(0, info.ModTime))
	return content, err == nil && age > sidecarStale
}
