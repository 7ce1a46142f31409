package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// progressAfter is how long something may take in silence.
	progressAfter = 500 * time.Millisecond
	// progressEvery is the shortest time between two drawings.
	progressEvery = 100 * time.Millisecond
	// eraseLine clears from the cursor to the end of the line.
	eraseLine = "\x1b[K"
)

// ProgressOptions say what a Progress shows and where it stands.
type ProgressOptions struct {
	// Label says what is going on, "read sessions"; it goes through Line.
	Label string
	// Terminal says whether the writer is a terminal; nothing is drawn if not.
	Terminal bool
	// Cols is the terminal's width; below 1: UsualCols.
	Cols int
	// Bytes shows the amounts as bytes; else as plain numbers.
	Bytes bool
	// Now is the clock. It must not be nil.
	Now func() time.Time
}

// Progress is one line on a terminal that says how far something has come. It
// appears when half a second has passed, is drawn anew at most ten times a
// second, only inside Step, and disappears with Close. It is safe for concurrent
// use; a nil *Progress does nothing.
type Progress struct {
	opt   ProgressOptions
	start time.Time

	mu    sync.Mutex
	w     io.Writer // guarded by mu
	last  time.Time // guarded by mu: of the last drawing
	drawn bool      // guarded by mu: the line is on the screen
	done  bool      // guarded by mu: closed
}

// NewProgress returns a Progress that writes to w; the time counts from now.
func NewProgress(w io.Writer, opt ProgressOptions) *Progress {
	if !opt.Terminal {
		return nil
	}
	if opt.Cols < 1 {
		opt.Cols = UsualCols
	}
	opt.Label = Line(opt.Label)
	return &Progress{opt: opt, start: opt.Now(), w: w}
}

// Step says how much of the total is done; a total below 1 is not known.
func (p *Progress) Step(done, total int64) {
	if p == nil {
		return
	}
	now := p.opt.Now()
	if now.Sub(p.start) < progressAfter {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || p.drawn && now.Sub(p.last) < progressEvery {
		return
	}
	// The last column stays free: some terminals go to the next line with it.
	p.write("\r" + Cut(p.text(done, total), p.opt.Cols-1) + eraseLine)
	p.last, p.drawn = now, true
}

// Clear takes the line off the screen, for a message to be written; the next
// Step draws it again.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Close takes the line off the screen for good.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.done = true
}

func (p *Progress) clear() {
	if p.drawn {
		p.write("\r" + eraseLine)
	}
	p.drawn = false
}

// write drops errors: work does not stop because nobody sees how far it is.
func (p *Progress) write(s string) { _, _ = io.WriteString(p.w, s) }

func (p *Progress) text(done, total int64) string {
	amount := func(n int64) string { return fmt.Sprint(n) }
	if p.opt.Bytes {
		amount = Bytes
	}
	if total < 1 {
		return fmt.Sprintf("%s: %s", p.opt.Label, amount(done))
	}
	percent := 100 * float64(min(done, total)) / float64(total)
	return fmt.Sprintf("%s: %3.0f%% (%s of %s)", p.opt.Label, percent, amount(done), amount(total))
}

// Bytes returns a number of bytes as people read it, in powers of 1,024 with one
// digit behind the point below ten: "812 B", "1.4 KB", "23 MB".
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	// 1023.5 would be rounded to 1024 of the smaller unit.
	for value >= 1023.5 && unit < 5 {
		value /= 1024
		unit++
	}
	name := []string{"B", "KB", "MB", "GB", "TB", "PB"}[unit]
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, name)
	}
	return fmt.Sprintf("%.0f %s", value, name)
}
