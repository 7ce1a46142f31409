package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// headSize is how much of a log Look reads at first, in bytes: more than the headers
// of all programs take.
const headSize = 64 << 10

// A Thing is what is at the name of a log.
type Thing int

// What may be there.
const (
	Session   Thing = iota // a log with a header
	Nothing                // no log of that name
	Blank                  // no bytes, or blank lines only: a session begins there
	Torn                   // the beginning of a header, and nothing else
	Headless               // entries without a header
	Foreign                // neither: another program's
	Directory              // a directory
	Pipe                   // a named pipe
	Socket                 // a socket
	Device                 // a device
	Irregular              // something else that is no regular file
)

// thing says what a log is in which that was found.
func (f Found) thing() Thing {
	switch f {
	case Missing:
		return Nothing
	case Empty:
		return Blank
	case NoHeader:
		return Headless
	case NotASession:
		return Foreign
	}
	return Session
}

// ThingOf says what a name is that is no regular file, by its mode.
func ThingOf(mode fs.FileMode) Thing {
	switch {
	case mode.IsDir():
		return Directory
	case mode&fs.ModeNamedPipe != 0:
		return Pipe
	case mode&fs.ModeSocket != 0:
		return Socket
	case mode&fs.ModeDevice != 0:
		return Device
	}
	return Irregular
}

// A ThingError is the error of opening what is no session. It wraps the cause.
type ThingError struct {
	// Path is where it is, "" if Err says that. Thing is what it is.
	Path  string
	Thing Thing
	Err   error
}

// Error says what cannot be opened, and why.
func (e *ThingError) Error() string {
	what, do := "", "name the session file itself"
	if e.Path == "" {
		return e.Err.Error()
	}
	switch e.Thing {
	case Directory:
		what, do = "a directory", "name a session file in it"
	case Pipe:
		what = "a named pipe"
	case Socket:
		what = "a socket"
	case Device:
		what = "a device"
	default:
		return fmt.Sprintf("open session %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("open session %q: it is %s, %v; %s", e.Path, what, e.Err, do)
}

// Unwrap returns the cause.
func (e *ThingError) Unwrap() error { return e.Err }

// Look says what a log is, and the header of a session. It reads no further than the
// header, if that is where programs write it, and the log whole otherwise. A log that
// does not exist is no error. Of the options Store, Name and ParseSlot count.
func Look(ctx context.Context, opt Options) (t Thing, h entry.Header, err error) {
	log, err := opt.Store.Open(ctx, opt.Name, storage.Read)
	if errors.Is(err, storage.ErrNotExist) {
		return Nothing, h, nil
	}
	if err != nil {
		return t, h, fmt.Errorf("open %q: %w", opt.Name, err)
	}
	defer func() { _ = log.Close() }() // nothing was written
	if t, h, err = look(ctx, log, opt); err != nil {
		return t, h, fmt.Errorf("open %q: %w", opt.Name, err)
	}
	return t, h, nil
}

// look reads as much of an open log as tells what it is.
func look(ctx context.Context, log storage.Log, opt Options) (t Thing, h entry.Header, err error) {
	sec, size, _, err := powers.OpenSection(ctx, log)
	if errors.Is(err, errors.ErrUnsupported) {
		return lookLines(ctx, log, opt)
	}
	if err != nil {
		return t, h, err
	}
	defer func() { _ = sec.Close() }() // nothing was written through it
	if size > headSize {
		p := newPart(true)
		if err := p.stretch(ctx, sec, 0, headSize, true); err != nil {
			return t, h, err
		}
		if t, h, err = headOf(p, opt); err != nil || t == Session {
			return t, h, err
		}
	}
	p, err := scanBytes(ctx, sec, size, 1)
	if err != nil {
		return t, h, err
	}
	t, h, err = headOf(p, opt)
	if t == Foreign && tornHeader(sec, size) {
		t = Torn
	}
	return t, h, err
}

// lookLines is look for a store that has no bytes.
func lookLines(ctx context.Context, log storage.Log, opt Options) (t Thing, h entry.Header, err error) {
	p := newPart(true)
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return t, h, err
		}
		p.line(line.Bytes, line.Pos, line.LF)
		if !p.open {
			break // the header has been seen
		}
	}
	if err := p.end(true); err != nil {
		return t, h, err
	}
	return headOf(p, opt)
}

// headOf is what a part that was read tells.
func headOf(p *part, opt Options) (Thing, entry.Header, error) {
	j := Journal{opt: Options{ParseSlot: opt.ParseSlot}, p: p}
	err := j.fold()
	return j.found.thing(), j.header, err
}

// tornHeader reports whether a log holds the beginning of a session's header and
// nothing else.
func tornHeader(sec powers.Section, size int64) bool {
	if sec == nil || size > headSize {
		return false
	}
	data := make([]byte, size)
	n, _ := sec.ReadAt(data, 0) // what cannot be read is no header
	data = data[:n]
	return bytes.HasPrefix(data, []byte(`{"type":"session"`)) && !bytes.Contains(bytes.TrimSpace(data), []byte{'\n'})
}

// Thing says what was there when the log was read.
func (j *Journal) Thing() Thing {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.found.thing()
	if t == Foreign && tornHeader(j.loader.src.get(), j.size) {
		t = Torn
	}
	return t
}
