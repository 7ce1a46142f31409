//go:build unix

package tuitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience is how long WaitFor and Wait wait, when nobody says. It never passes
// where nothing is wrong, on a machine with much else to do either.
const patience = 3 * time.Minute

// Options say what is run and on what terminal. The zero value is the test's own
// binary, which calls Main, without arguments on 80 columns and 24 rows.
type Options struct {
	// Program is the file to run; "" for the test's own binary.
	Program string
	// Args are its arguments, without its name.
	Args []string
	// Home is the home directory; "" for a new empty one. The XDG directories
	// lie in it.
	Home string
	// Dir is the working directory; "" for the home directory.
	Dir string
	// Env is added to the environment, which is private: HOME, the XDG
	// directories, PATH, TERM=xterm-256color, TZ=UTC and nothing else.
	Env []string
	// Cols and Rows are the size; 0 for 80 and 24.
	Cols, Rows int
	// Patience is how long is waited for a program that does nothing; 0 for 3
	// minutes.
	Patience time.Duration
}

// A Terminal is a screen with a program on it. Its methods may be called by the
// test's goroutine only.
type Terminal struct {
	t      testing.TB
	wait   time.Duration // the patience
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before *term.State // of the terminal, before the program began
	ended  chan struct{}
	code   int

	mu       sync.Mutex
	screen   *vt.Emulator    // guarded by mu
	modes    map[string]bool // those that are set; guarded by mu
	received []byte          // guarded by mu
	news     chan struct{}   // closed and replaced by each output; guarded by mu
	closed   bool            // no more output comes; guarded by mu
}

// Start runs a program on a new terminal. The test's end kills it, if it still
// runs then.
func Start(t testing.TB, o Options) *Terminal {
	t.Helper()
	if o.Cols == 0 {
		o.Cols, o.Rows = 80, 24
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	m := &Terminal{t: t, wait: o.Patience, modes: map[string]bool{}, news: make(chan struct{}), ended: make(chan struct{})}
	var err error
	if m.master, m.slave, err = pty.Open(); err != nil {
		t.Fatalf("open a pseudo terminal: %v", err)
	}
	if err = pty.Setsize(m.slave, &pty.Winsize{Rows: uint16(o.Rows), Cols: uint16(o.Cols)}); err != nil {
		t.Fatalf("set the size of the terminal: %v", err)
	}
	if m.before, err = term.GetState(int(m.slave.Fd())); err != nil {
		t.Fatalf("read the state of the terminal: %v", err)
	}
	m.screen = vt.NewEmulator(o.Cols, o.Rows)
	m.screen.SetCallbacks(vt.Callbacks{
		EnableMode:  func(mode ansi.Mode) { m.modes[modeName(mode)] = true },
		DisableMode: func(mode ansi.Mode) { delete(m.modes, modeName(mode)) },
	})
	m.cmd = command(t, o)
	m.cmd.Stdin, m.cmd.Stdout, m.cmd.Stderr = m.slave, m.slave, m.slave
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := m.cmd.Start(); err != nil {
		t.Fatalf("start %q: %v", m.cmd.Path, err)
	}
	go m.answer()
	go m.read()
	go m.reap()
	t.Cleanup(m.end)
	return m
}

// command returns the command to run.
func command(t testing.TB, o Options) *exec.Cmd {
	t.Helper()
	env := o.Env
	if o.Program == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		o.Program, env = self, append(AsCommand(), env...)
	}
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.Dir == "" {
		o.Dir = o.Home
	}
	cmd := exec.Command(o.Program, o.Args...)
	cmd.Dir = o.Dir
	cmd.Env = append([]string{
		"HOME=" + o.Home, "XDG_STATE_HOME=" + filepath.Join(o.Home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(o.Home, ".cache"), "XDG_CONFIG_HOME=" + filepath.Join(o.Home, ".config"),
		"PATH=" + os.Getenv("PATH"), "PWD=" + o.Dir, "TERM=xterm-256color", "TZ=UTC",
	}, env...)
	return cmd
}

// answer gives the program what the emulator answers to its queries.
func (m *Terminal) answer() {
	defer m.noAnswers()
	buf := make([]byte, 1024)
	for {
		n, err := m.screen.Read(buf)
		if err == nil && n > 0 { // see read
			_, err = m.master.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// noAnswers ends answer. Close of the emulator is not for two goroutines.
func (m *Terminal) noAnswers() {
	if c, ok := m.screen.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// read takes in what the program writes until nobody can write any more.
func (m *Terminal) read() {
	buf := make([]byte, 1<<15)
	for {
		n, err := m.master.Read(buf)
		m.mu.Lock()
		_, _ = m.screen.Write(buf[:n]) // it fails only when it is closed
		// What is asked in it is answered before anybody sees it: nothing is read by
		// answer before it has handed over what it read last.
		_, _ = m.screen.InputPipe().Write(nil)
		m.received = append(m.received, buf[:n]...)
		m.closed = err != nil
		close(m.news)
		m.news = make(chan struct{})
		m.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// reap waits for the end of the program.
func (m *Terminal) reap() {
	err := m.cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		m.code = exit.ExitCode()
	case err != nil:
		m.code = -1
	}
	close(m.ended)
}

// end stops the program, where it still runs, and gives the terminal back.
func (m *Terminal) end() {
	select {
	case <-m.ended:
	default:
		_ = m.cmd.Process.Kill() // it may have ended just now
		<-m.ended
	}
	_ = m.slave.Close() // Wait may have closed it
	_ = m.master.Close()
	m.noAnswers()
}

// WaitFor waits until what is wanted stands on the screen: of a string [Shows] is
// asked, however the program broke it into rows; a func(string) bool is asked about Screen whenever
// something was written. The test ends when it does not come.
func (m *Terminal) WaitFor(what any) {
	m.t.Helper()
	switch w := what.(type) {
	case string:
		m.await(fmt.Sprintf("%q", w), shown(w))
	case func(string) bool:
		m.await("what was wanted", w)
	default:
		m.t.Fatalf("tuitest: wait for a %T", what)
	}
}

// WaitGone waits until none of the texts is shown, as [Shows] says. The test ends
// when one stays.
func (m *Terminal) WaitGone(texts ...string) {
	m.t.Helper()
	var still []func(string) bool
	for _, text := range texts {
		still = append(still, shown(text))
	}
	m.await(fmt.Sprintf("the end of %q", texts), func(screen string) bool {
		return !slices.ContainsFunc(still, func(is func(string) bool) bool { return is(screen) })
	})
}

// await waits until something holds of the screen.
func (m *Terminal) await(what string, holds func(string) bool) {
	m.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), m.wait)
	defer stop()
	for {
		m.mu.Lock()
		screen, news, closed := m.text(), m.news, m.closed
		m.mu.Unlock()
		if holds(screen) {
			return
		}
		if closed {
			m.t.Fatalf("waited for %s; the program has ended; the screen:\n%s", what, screen)
		}
		select {
		case <-news:
		case <-m.ended:
			// What it wrote last comes before the end of the output.
			_ = m.slave.Close()
			<-news
		case <-ctx.Done():
			m.t.Fatalf("waited for %s in vain; the screen:\n%s", what, screen)
		}
	}
}

// Wait waits for the end of the program, takes in all that it wrote and returns
// its exit code, -1 when a signal ended it.
func (m *Terminal) Wait() int {
	m.t.Helper()
	late := time.AfterFunc(m.wait, func() { _ = m.cmd.Process.Kill() })
	<-m.ended
	if !late.Stop() {
		m.t.Fatalf("the program does not end; the screen:\n%s", m.Screen())
	}
	if err := m.restoredLine(); err != nil {
		m.t.Errorf("after the program: %v", err)
	}
	_ = m.slave.Close() // WaitFor may have closed it
	for {
		m.mu.Lock()
		news, closed := m.news, m.closed
		m.mu.Unlock()
		if closed {
			return m.code
		}
		<-news
	}
}

// Kill ends the program at once and waits for its end. The terminal stays as it is
// then.
func (m *Terminal) Kill() {
	m.t.Helper()
	m.Signal(os.Kill)
	<-m.ended
}

// Signal sends the program a signal.
func (m *Terminal) Signal(sig os.Signal) {
	m.t.Helper()
	if err := m.cmd.Process.Signal(sig); err != nil {
		m.t.Fatalf("send %v: %v", sig, err)
	}
}

// Resize changes the size of the terminal, of which the program is told.
func (m *Terminal) Resize(cols, rows int) {
	m.t.Helper()
	m.mu.Lock()
	m.screen.Resize(cols, rows)
	m.mu.Unlock()
	if err := pty.Setsize(m.master, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}); err != nil {
		m.t.Fatalf("resize the terminal: %v", err)
	}
}
