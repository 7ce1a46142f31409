//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
)

// chatting is the group of rows about the conversation on the terminal.
const chatting = "cambium chat: whole processes on a terminal of 120 by 40"

// chatting measures the chat.
func (b *bench) chatting() (rows []row, err error) {
	for _, measure := range []func() ([]row, error){b.prompted, b.switched, b.resting, b.scrolled, b.typed} {
		more, err := measure()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for i := range rows {
		rows[i].file = chatting
	}
	return rows, nil
}

// lastWords is what the last message of the sessions that are shown says.
const lastWords = "These are the last words of all."

// spoken writes a session of a kind and size, changed an hour ago, whose last
// message says lastWords.
func (b *bench) spoken(name, kind string, size int) (path string, err error) {
	path = filepath.Join(b.dir, name+".jsonl")
	if _, err := b.output(nil, "corpus", kind, strconv.Itoa(size), path); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	const most = 1 << 20 // no line is as long
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	part := make([]byte, min(end, most))
	if _, err := f.ReadAt(part, end-int64(len(part))); err != nil {
		return "", err
	}
	part = bytes.TrimSuffix(part, []byte("\n"))
	id, _, ok := strings.Cut(strings.TrimPrefix(string(part[bytes.LastIndexByte(part, '\n')+1:]), `{"type":"message","id":"`), `"`)
	if !ok {
		return "", fmt.Errorf("write %s: its last line has no id", path)
	}
	if _, err := fmt.Fprintf(f, `{"type":"message","id":"ffffffff","parentId":%q,"timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"user","content":%q,"timestamp":1772355602000}}`+"\n", id, lastWords); err != nil {
		return "", err
	}
	return path, aged(path)
}

// aged sets the time of change of a file back: what was written just now is not
// remembered.
func aged(path string) error {
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	return os.Chtimes(path, at, at)
}

// restored runs f, and makes a session as it was before then.
func restored(path string, f func() error) error {
	was, err := os.Stat(path)
	if err != nil {
		return err
	}
	err = f()
	return errors.Join(err, os.Truncate(path, was.Size()), os.Chtimes(path, was.ModTime(), was.ModTime()))
}

// chat starts the chat in a home that was made by models, and waits until it hears
// keys.
func (b *bench) chat(home string, args ...string) (*desk, error) {
	d, err := b.seat(home, "/", b.command, append([]string{"chat", "--model", "local/m"}, args...)...)
	if err != nil {
		return nil, err
	}
	if _, err := d.shows("m · "); err != nil { // the line at the bottom
		d.kill()
		return nil, err
	}
	return d, nil
}

// switched measures how long the chat takes from the key that sends it to a large
// session until the last message of that stands on the screen, beside the opening
// of the programs.
func (b *bench) switched() (rows []row, err error) {
	for _, f := range []struct {
		name, kind   string
		bytes        int
		first, again float64
	}{
		{"110 MB", "big", 110_000_000, 1, 20},
		{"110 MB dense", "dense", 110_000_000, 1, 1},
		{"117 MB small", "small", 117_000_000, 1, 1},
	} {
		first, again := "switch to "+f.name+" for the first time, to its last message on the screen", "switch to "+f.name+" through the index"
		if !b.wants(first) && !b.wants(again) {
			continue
		}
		more, err := b.switchedTo(f.kind, f.bytes, []row{{name: first, wanted: f.first}, {name: again, wanted: f.again}})
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// switchedTo measures a session that the index does not know, and then that
// session as it does.
func (b *bench) switchedTo(kind string, size int, rows []row) (_ []row, err error) {
	path, err := b.spoken("spoken", kind, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	home, err := b.models("http://127.0.0.1:9/v1") // nothing is said
	if err != nil {
		return nil, err
	}
	var measured []row
	for i, r := range rows {
		ours := func() (peers.Measurement, error) { return b.switching(home, path) }
		if i == 0 {
			ours = func() (m peers.Measurement, err error) {
				if err := os.RemoveAll(filepath.Join(home, ".cache")); err != nil {
					return m, err
				}
				return b.switching(home, path)
			}
		} else if _, err := ours(); err != nil { // fills the index
			return nil, err
		}
		if !b.wants(r.name) {
			continue
		}
		one := []measure{ours}
		for _, p := range both() {
			one = append(one, func() (peers.Measurement, error) { return peers.Measure(b.ctx, p, "open", path, 0) })
		}
		took, err := b.row(one, false)
		if err != nil {
			return nil, err
		}
		took.name, took.wanted = r.name, r.wanted
		measured = append(measured, took)
	}
	return measured, nil
}

// switching starts a chat and takes it to a session. The memory is that of the
// chat when it has come to rest, and left.
func (b *bench) switching(home, path string) (m peers.Measurement, err error) {
	err = restored(path, func() error {
		d, err := b.chat(home)
		if err != nil {
			return err
		}
		m.PeakKB, err = d.during(func() error {
			if _, err := d.types("/resume " + path); err != nil {
				return err
			}
			if _, err := d.shows(filepath.Base(path)); err != nil {
				return err
			}
			from, err := d.types("\r")
			if err != nil {
				return err
			}
			at, err := d.shows(lastWords)
			m.Milliseconds = milliseconds(at.Sub(from))
			return errors.Join(err, d.rest())
		})
		return err
	})
	return m, err
}

// milliseconds is a time as the table has it.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// resting measures what the chat holds when a session is open in it and nothing is
// done, against 60 MB in the column of pi.
func (b *bench) resting() (rows []row, err error) {
	const most = 60 << 10 // KiB
	for _, f := range []struct{ name, kind string }{{"large", "big"}, {"small", "small"}} {
		idle := fmt.Sprintf("10 MB of %s entries open: first screen, and memory at rest (beside 60 MB)", f.name)
		peak := fmt.Sprintf("10 MB of %s entries open: memory at its peak", f.name)
		if !b.wants(idle) && !b.wants(peak) {
			continue
		}
		path, err := b.spoken("resting", f.kind, 10_000_000)
		if err != nil {
			return nil, err
		}
		var times, rest, peaks []float64
		for range b.repeat {
			first, kb, most, err := b.rested(path)
			if err != nil {
				return nil, err
			}
			times, rest, peaks = append(times, first), append(rest, kb), append(peaks, most)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		rows = append(rows,
			row{name: idle, wantedMemory: 1, cells: [3]cell{{median(times), median(rest)}, {0, most}, {}}},
			row{name: peak, cells: [3]cell{{0, median(peaks)}, {}, {}}})
	}
	return rows, nil
}

// rested opens a session in a chat that never saw it. It returns when its last
// message stood on the screen, in ms, what the chat held at rest and at most, in
// KiB.
func (b *bench) rested(path string) (first, rest, most float64, err error) {
	home, err := b.models("http://127.0.0.1:9/v1") // nothing is said
	if err != nil {
		return 0, 0, 0, err
	}
	err = restored(path, func() error {
		d, err := b.seat(home, "/", b.command, "chat", "--model", "local/m", path)
		if err != nil {
			return err
		}
		peak, err := d.during(func() error {
			at, err := d.shows(lastWords)
			if err != nil {
				return err
			}
			first = milliseconds(at.Sub(d.from))
			if err := d.rest(); err != nil {
				return err
			}
			rest, err = number(d.cmd.Process.Pid, "status", "VmRSS")
			return err
		})
		most = float64(peak)
		return err
	})
	return first, rest, most, errors.Join(err, os.RemoveAll(home))
}
