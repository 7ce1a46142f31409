package journal

import "github.com/cambium-dev/cambium/internal/powers"

// deep is how many windows are read ahead of the one whose lines are asked for, at the
// same time: memory takes longer to copy than a line to look at.
const deep = 3

// ahead are the windows behind the last one, of entries in the order of the log.
type ahead struct {
	windows []*aWindow
	i       int // the first entry that is in none, 0 before the first window
}

// aWindow is bytes of the log on their way.
type aWindow struct {
	off  int64
	buf  []byte        // as many as could be read; to be looked at once done is closed
	done chan struct{} // closed when they are read
}

// take returns the next window and where it begins, once it is read, if what stands
// between off and end is in it; else nil, and the windows are let go of.
func (a *ahead) take(off, end int64) ([]byte, int64) {
	if len(a.windows) > 0 {
		w := a.windows[0]
		a.windows = a.windows[1:]
		if <-w.done; off >= w.off && end <= w.off+int64(len(w.buf)) {
			return w.buf, w.off
		}
	}
	*a = ahead{}
	return nil, 0
}

// readAhead has the windows behind the present one read, which begins with entry i or
// was taken for it. Each begins with an entry. l.mu is held.
func (l *loader) readAhead(sec powers.Section, i int) {
	a := &l.ahead
	if a.i == 0 {
		a.i = l.behind(i, l.off+int64(len(l.buf)))
	}
	for len(a.windows) < deep && a.i < l.x.Len() {
		at := l.x.At(a.i)
		if at.Off < 0 || at.Len > window {
			return // it waits in the queue, or is read alone
		}
		w := &aWindow{off: at.Off, done: make(chan struct{})}
		size := min(window, l.end()-at.Off)
		if size < at.Len {
			return
		}
		a.windows = append(a.windows, w)
		a.i = l.behind(a.i, w.off+size)
		src := l.src.use()
		l.busy.Go(func() {
			defer close(w.done)
			defer src.drop()
			buf := make([]byte, size)
			n, _ := sec.ReadAt(buf, w.off) // what is missing is read again, and told then
			w.buf = buf[:n]
		})
	}
}

// behind returns the first entry from i on that does not end before off.
func (l *loader) behind(i int, off int64) int {
	for ; i < l.x.Len(); i++ {
		if at := l.x.At(i); at.Off+at.Len > off {
			break
		}
	}
	return i
}
