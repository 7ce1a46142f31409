package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// How the lock file of another program is waited for: as omp 18.2.3 does.
const (
	sidecarWait  = 500 * time.Millisecond
	sidecarPoll  = 2 * time.Millisecond
	sidecarStale = 500 * time.Millisecond // age of one without a readable owner
)

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
// "PID:MILLISECONDS". The zero value is none.
type sidecar struct {
	fs      vfs.FS
	stuck   *stuckLocks
	path    string
	content []byte
}

// Why a lock file is done without: errKept ends the waiting for it, errStays
// says that it is still the one that was waited for before.
var (
	errStays = errors.New("its owner still keeps it")
	errKept  = errors.New("its owner keeps it")
)

// takeSidecar takes the lock file of the log, if its kind has one. It never
// fails: after half a second, or if the file cannot be made, the writing goes
// on without it, which is reported. One that was waited for in vain is only
// looked at the next time, and not reported again.
func (l *Log) takeSidecar(ctx context.Context) {
	name := l.path()
	path := l.store.opt.Sidecar(name)
	l.sidecar = sidecar{}
	if path == "" {
		return
	}
	s := sidecar{fs: l.store.opt.FS, stuck: &l.store.stuck, path: path}
	err := s.take(ctx)
	if err == errStays {
		return // told before
	}
	if errors.Is(err, fs.ErrNotExist) {
		return // no directory yet, so nobody to keep away
	}
	if err != nil {
		l.store.opt.Report(name, fmt.Errorf("take lock file %q: %w", path, err))
		return
	}
	l.sidecar = s
}

func (s *sidecar) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, sidecarWait, errKept)
	defer cancel()
	var tick *time.Ticker
	for {
		err := s.create()
		if err == nil {
			s.stuck.forget(s.path)
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, content := s.look()
		known, ours := s.stuck.has(s.path, info, content)
		if s.clear(ours) {
			continue
		}
		if known {
			return errStays
		}
		if tick == nil {
			tick = time.NewTicker(sidecarPoll)
			defer tick.Stop()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if err := context.Cause(ctx); err == errKept && info.Ino != 0 {
				s.stuck.note(s.path, stuck{info: info, content: string(content)})
			}
			return lockedError(ctx)
		}
	}
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
	s.content = fmt.Appendf(nil, "%d:%d\n", os.Getpid(), time.Now().UnixMilli())
	_, err = vfs.WriteAll(f, s.content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, s.fs.Remove(s.path))
	}
	return nil
}

// release removes the lock file if it is still ours. An error leaves it there:
// for us it is stale from now on, for others as soon as this process ends.
func (s *sidecar) release() {
	if s.path == "" {
		return
	}
	content, err := vfs.ReadFile(s.fs, s.path, 256)
	if err != nil || bytes.Equal(content, s.content) {
		info, _ := s.fs.Lstat(s.path) // if that fails, too, it is waited for once
		if err != nil || s.fs.Remove(s.path) != nil {
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
		return content, !alive(pid)
	}
	info, err := s.fs.Lstat(s.path)
	age := time.Since(time.Unix(0, info.ModTime))
	return content, err == nil && age > sidecarStale
}
