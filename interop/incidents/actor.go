//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// An actor is one process of a program that carries out what a recipe says, one
// call after the other. Names of calls and their arguments are the same for all
// programs; child.go has those of cambium, methods.mjs those of the peers.
type actor interface {
	// call returns a *said for what the program refused, any other error when
	// the process does not answer any more.
	call(op string, args ...any) (entry.JSON, error)
	// kill ends the process as SIGKILL does.
	kill()
	// close ends it in good order.
	close() error
	pid() int
	// home is its private home.
	home() string
}

// said is an error that a program raised.
type said struct{ text string }

func (e *said) Error() string { return e.text }

// ended says that a process was ended, or ended itself: a verdict.
type ended struct {
	verdict Verdict
	why     string
}

func (e *ended) Error() string { return string(e.verdict) + ": " + e.why }

// watched is an actor whose calls are bounded in time and memory.
type watched struct {
	actor
	limit  time.Duration
	memory int64 // bytes of resident memory, the peak
	peak   int64
	over   *ended
}

// call is call with the limits. A process beyond them is killed.
func (w *watched) call(op string, args ...any) (entry.JSON, error) {
	if w.over != nil {
		return nil, w.over
	}
	type answer struct {
		value entry.JSON
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := w.actor.call(op, args...)
		done <- answer{v, err}
	}()
	stop := time.NewTimer(w.limit)
	defer stop.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case a := <-done:
			w.measure()
			var s *said
			if a.err != nil && !errors.As(a.err, &s) {
				if w.over == nil {
					w.over = &ended{Crash, firstLine(a.err.Error())}
				}
				return nil, w.over
			}
			if a.err != nil && outOfBounds(a.err.Error()) {
				w.over = &ended{Crash, firstLine(a.err.Error())}
				return nil, w.over
			}
			return a.value, a.err
		case <-stop.C:
			w.measure()
			w.over = &ended{Hang, fmt.Sprintf("%s: no answer for %v, %d MB, killed", op, w.limit, w.peak>>20)}
			w.kill()
		case <-look.C:
			if w.measure(); w.peak > w.memory && w.over == nil {
				w.over = &ended{Crash, fmt.Sprintf("%s: more than %d MB of memory, killed", op, w.memory>>20)}
				w.kill()
			}
		}
	}
}

// outOfBounds reports whether an error is how a JavaScript engine says that it
// has no room for a value: their own command ends with a stack trace there.
func outOfBounds(text string) bool {
	return strings.Contains(text, "Invalid array length") || strings.Contains(text, "Invalid string length") ||
		strings.Contains(text, "Out of memory")
}

// measure notes the greatest resident memory so far.
func (w *watched) measure() {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.pid()))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			w.peak = max(w.peak, kb<<10)
		}
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}

// strings of a JSON array.
func texts(v entry.JSON) []string {
	var all []string
	for e := range jsonedit.Elements(v) {
		s, _ := jsonedit.String(e)
		all = append(all, s)
	}
	return all
}

func number(v entry.JSON) int {
	n, _ := jsonedit.Int(v)
	return int(n)
}
