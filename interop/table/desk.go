//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// The size of the terminal, and how long is waited for something to stand on it.
const (
	deskCols = 120
	deskRows = 40
	patience = time.Minute
)

// A desk is a program on a terminal that is emulated.
type desk struct {
	cmd    *exec.Cmd
	master *os.File
	from   time.Time // when the program was started

	mu     sync.Mutex
	screen *vt.Emulator  // guarded by mu
	wrote  time.Time     // when the program wrote last; guarded by mu
	news   chan struct{} // closed and replaced by each output; guarded by mu
	closed bool          // no more output comes; guarded by mu
}

// seat starts a program on a terminal that echoes nothing itself. It works in
// dir; its home is private. The caller leaves it, or ends it.
func (b *bench) seat(home, dir, program string, args ...string) (*desk, error) {
	d := &desk{screen: vt.NewEmulator(deskCols, deskRows), news: make(chan struct{})}
	d.cmd = exec.CommandContext(b.ctx, program, args...)
	d.cmd.Dir = dir
	d.cmd.Env = append(peers.Env(home), "TERM=xterm-256color", "PI_OFFLINE=1", "PWD="+dir)
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = slave.Close() }() // the program has it
	d.master = master
	if err := errors.Join(pty.Setsize(slave, &pty.Winsize{Rows: deskRows, Cols: deskCols}), silence(slave)); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	d.cmd.Stdin, d.cmd.Stdout, d.cmd.Stderr = slave, slave, slave
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	d.from = time.Now()
	if err := d.cmd.Start(); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	go d.answer()
	go d.read()
	return d, nil
}

// silence has a terminal echo nothing: what stands on it the program has written.
func silence(tty *os.File) error {
	t, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, t)
}

// answer gives the program what the emulator answers to its queries.
func (d *desk) answer() {
	part := make([]byte, 1024)
	for {
		n, err := d.screen.Read(part)
		if err != nil {
			return
		}
		if _, err := d.master.Write(part[:n]); err != nil {
			return
		}
	}
}

// read takes in what the program writes until nobody can write any more.
func (d *desk) read() {
	part := make([]byte, 1<<16)
	for {
		n, err := d.master.Read(part)
		at := time.Now()
		d.mu.Lock()
		_, _ = d.screen.Write(part[:n]) // it fails only when it is closed
		d.wrote, d.closed = at, err != nil
		close(d.news)
		d.news = make(chan struct{})
		d.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// rows are the rows of the screen, without blanks at their ends. d.mu is held.
func (d *desk) rows() []string {
	rows := strings.Split(d.screen.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \r")
	}
	return rows
}

// until waits until something holds of the rows of the screen, and returns when
// the program wrote what made it so.
func (d *desk) until(what string, holds func(rows []string) bool) (time.Time, error) {
	late := time.After(patience)
	for {
		d.mu.Lock()
		rows, at, news, closed := d.rows(), d.wrote, d.news, d.closed
		d.mu.Unlock()
		switch {
		case holds(rows):
			return at, nil
		case closed:
			return at, fmt.Errorf("wait for %s: the program has ended:\n%s", what, strings.Join(rows, "\n"))
		}
		select {
		case <-news:
		case <-late:
			return at, fmt.Errorf("wait for %s: it does not come:\n%s", what, strings.Join(rows, "\n"))
		}
	}
}

// shows waits until a text stands on the screen, and returns when it did.
func (d *desk) shows(text string) (time.Time, error) {
	return d.until(strconv.Quote(text), func(rows []string) bool { return holding(rows, text) })
}

// holding reports whether a text stands in one of the rows.
func holding(rows []string, text string) bool {
	for _, row := range rows {
		if strings.Contains(row, text) {
			return true
		}
	}
	return false
}

// types sends keys as a terminal does, and returns when.
func (d *desk) types(keys string) (time.Time, error) {
	at := time.Now()
	_, err := io.WriteString(d.master, keys)
	return at, err
}

// rest waits until the program neither writes nor computes for half a second.
func (d *desk) rest() error {
	const still, steps = 500 * time.Millisecond, 50 * time.Millisecond
	quiet, used := time.Now(), -1
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(steps) {
		now, err := d.ticks()
		if err != nil {
			return err
		}
		d.mu.Lock()
		if now != used || d.wrote.After(quiet) {
			quiet, used = time.Now(), now
		}
		d.mu.Unlock()
		if time.Since(quiet) > still {
			return nil
		}
	}
	return errors.New("wait for rest: the program does not come to it")
}

// ticks is the CPU time of the program, in ticks of the clock.
func (d *desk) ticks() (int, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(d.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, fmt.Errorf("read stat of %d: %d fields", d.cmd.Process.Pid, len(fields))
	}
	u, err := strconv.Atoi(string(fields[user]))
	s, other := strconv.Atoi(string(fields[system]))
	return u + s, errors.Join(err, other)
}

// during does something to the program and leaves it; if that fails, the program
// is killed. It returns its greatest memory in KiB.
func (d *desk) during(f func() error) (int64, error) {
	if err := f(); err != nil {
		d.kill()
		return 0, err
	}
	kb, err := d.peak()
	if err != nil {
		d.kill()
		return 0, err
	}
	return kb, d.leave()
}

// leave ends a program that ends at ctrl+c twice.
func (d *desk) leave() error {
	late := time.AfterFunc(patience, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	if _, err := d.types("\x03\x03"); err != nil {
		return err
	}
	err := d.cmd.Wait()
	d.shut()
	if err != nil {
		return fmt.Errorf("leave %s: %w", filepath.Base(d.cmd.Path), err)
	}
	return nil
}

// kill ends a program, and what it started, however it is.
func (d *desk) kill() {
	_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL) // a session of its own; it may have ended
	_ = d.cmd.Wait()                                      // killed
	d.shut()
}

// shut gives the terminal back.
func (d *desk) shut() {
	_ = d.master.Close() // nothing of it is to be kept
	if c, ok := d.screen.InputPipe().(io.Closer); ok {
		_ = c.Close() // ends answer
	}
}

// peak is the greatest memory of the program until now, in KiB.
func (d *desk) peak() (int64, error) { return peers.PeakKB(d.cmd.Process.Pid) }

// number reads a number of a process out of a file of lines "NAME: NUMBER".
func number(pid int, file, name string) (float64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseFloat(strings.Fields(rest)[0], 64)
		}
	}
	return 0, fmt.Errorf("read %s of %d: no %s", file, pid, name)
}

// installed writes a program anew, as who installs one does. Of a file as the linker
// leaves it the system mapped more than is asked for, up to 8 MB of this one.
func installed(program string) (err error) {
	from, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	if err := os.Remove(program); err != nil {
		return err
	}
	to, err := os.OpenFile(program, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	_, err = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	return err
}
