package vfs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Patience is how long a lock is waited for.
const Patience = 5 * time.Second

// ErrHeld is what every [*Held] is.
var ErrHeld = errors.New("another has the lock")

// Held is the error of a Lock that another held for too long.
type Held struct {
	// Name is the file whose lock it is.
	Name string
	// By is who holds it, as far as that is known.
	By Holder
	// Cause says why the waiting ended: the cause of the context's end, or nil
	// when patience ran out.
	Cause error
}

// A Holder is the process that holds a lock. The zero value is one that is not
// known.
type Holder struct {
	// PID is its number, Program its name; 0 and "" when they are not known.
	PID     int
	Program string
	// Stopped says that it does not run at present: by SIGSTOP, Ctrl+Z, a debugger.
	Stopped bool
	// Claimed says that only the content of a lock file names it, which others can
	// write: no command against it is proposed.
	Claimed bool
}

// String says who it is: `pid 7 (cambium), which is stopped`.
func (h Holder) String() string {
	text := "another process"
	if h.PID > 0 {
		text = fmt.Sprintf("pid %d", h.PID)
	}
	if h.Program != "" {
		text += " (" + h.Program + ")"
	}
	if h.Claimed {
		text += ", by what its lock file says,"
	}
	if h.Stopped {
		text += ", which is stopped,"
	}
	return text
}

// Todo says what can be done about a lock that it holds.
func (h Holder) Todo() string {
	switch {
	case h.Claimed: // anybody may have written it
	case h.Stopped:
		return fmt.Sprintf("`kill -CONT %d` lets it go on; or end it, and try again", h.PID)
	case h.PID > 0:
		return fmt.Sprintf("try again when it is done; if it hangs, end it (`kill %d`)", h.PID)
	}
	return "try again when it is done"
}

// Error says which lock it is and who holds it.
func (h *Held) Error() string {
	text := fmt.Sprintf("%s holds the lock of %q", h.By, filepath.Base(h.Name))
	if h.Cause != nil {
		text += ": " + h.Cause.Error()
	}
	return text
}

// Is makes it ErrHeld.
func (h *Held) Is(target error) bool { return target == ErrHeld }

// Unwrap returns why the waiting ended, nil when patience ran out.
func (h *Held) Unwrap() error { return h.Cause }

type patienceKey struct{}

// WithPatience returns a context in which locks are waited for as long as d
// says instead of Patience. With 0 nothing is waited for.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

// PatienceOf returns how long locks are waited for in a context.
func PatienceOf(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return d
	}
	return Patience
}

// Await waits for the lock of a file as wait does, which ends with its context,
// for as long as the patience of ctx lasts. It is for those that implement File.
func Await(ctx context.Context, name string, wait func(context.Context) error) error {
	d := PatienceOf(ctx)
	if d <= 0 {
		return &Held{Name: name}
	}
	patient, cancel := context.WithTimeoutCause(ctx, d, ErrHeld)
	defer cancel()
	err := wait(patient)
	if err == nil || patient.Err() == nil {
		return err
	}
	held := &Held{Name: name}
	if ctx.Err() != nil {
		held.Cause = context.Cause(ctx)
	}
	return held
}

// named returns a program's name without what would drive a terminal.
func named(program string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, program)
}

// lockPoll is how often a lock is tried where no call of the system may wait for it.
const lockPoll = 2 * time.Millisecond

// pollLock takes the lock of a file by trying, within d.
func pollLock(ctx context.Context, d time.Duration, f *osFile) error {
	patience, tick := time.NewTimer(d), time.NewTicker(lockPoll)
	defer patience.Stop()
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if ok, err := f.TryLock(); ok || err != nil {
				return err
			}
		case <-ctx.Done():
			return f.held(context.Cause(ctx))
		case <-patience.C:
			return f.held(nil)
		}
	}
}

// held is the error that says who has the lock.
func (f *osFile) held(cause error) error {
	h := &Held{Name: f.name, Cause: cause}
	if info, err := f.Stat(); err == nil {
		h.By = LockHolder(info)
	}
	return h
}
