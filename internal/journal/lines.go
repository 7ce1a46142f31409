package journal

// glance is how much is read at once when lines are looked at one by one, in
// bytes: memory that is used again, and stays in the processor's cache.
const glance = 128 << 10

// Liner returns a function that returns the line of entry i as the log holds it,
// like Stored, but valid until its next call only: all are read through one
// window. It is for one goroutine.
func (j *Journal) Liner() func(i int) ([]byte, error) {
	var w pane
	return func(i int) ([]byte, error) {
		j.mu.Lock()
		l := j.loader
		j.mu.Unlock()
		return w.stored(l, i)
	}
}

// A pane is a window whose memory is used again.
type pane struct {
	l    *loader
	buf  []byte // what of the log is in view
	from int64  // where it begins
}

// stored returns the line of entry i as the log holds it.
func (w *pane) stored(l *loader, i int) ([]byte, error) {
	if l != w.l {
		*w = pane{l: l, buf: w.buf[:0]} // the log was read anew
	}
	l.mu.Lock()
	s, ok := l.held.get(i)
	at := l.x.At(i)
	sec := l.src.get()
	l.mu.Unlock()
	switch {
	case ok && s.stored != nil:
		return s.stored, nil
	case ok:
		return s.line, nil
	case sec == nil || at.Off < 0 || at.Len > glance:
		return l.line(i)
	}
	if at.Off < w.from || at.Off+at.Len > w.from+int64(len(w.buf)) {
		if cap(w.buf) < glance {
			w.buf = make([]byte, glance)
		}
		n, _ := sec.ReadAt(w.buf[:glance], at.Off) // see below
		w.buf, w.from = w.buf[:n], at.Off
		if int64(n) < at.Len {
			return l.line(i) // it says what is wrong
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known(i, w.buf[at.Off-w.from:][:at.Len:at.Len])
}
