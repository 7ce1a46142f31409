package cli_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// A screen is a terminal with what it received so far.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// unwrapped returns what was shown, with the rows of a question as one.
func (s *screen) unwrapped() string {
	return strings.ReplaceAll(s.String(), "\r\n… ", "")
}

// await returns when the screen shows a text, wherever the rows of questions end.
func (s *screen) await(ctx context.Context, text string) bool {
	for !strings.Contains(s.unwrapped(), text) {
		select {
		case <-s.more:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// A talk is a command line run on a terminal: answer is typed, or interrupt
// done, when the screen shows the question.
type talk struct {
	question, answer string
	interrupt        bool
	next             *talk // the question behind this one, nil for none
}

// hold has a talk and returns the exit code, what the screen showed with the rows
// of questions as one, and what was started.
func (k talk) hold(t *testing.T, m *machine, args ...string) (code int, shown string, started []cli.Handover) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := &screen{more: make(chan struct{}, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(s, master) // ends with an error when the terminal closes
	}()
	run, stop := context.WithCancel(ctx)
	defer stop()
	if k.question != "" {
		go func() {
			for at := &k; at != nil; at = at.next {
				if !s.await(ctx, at.question) {
					return
				}
				if at.interrupt {
					stop()
					return
				}
				_, _ = io.WriteString(master, at.answer)
			}
		}()
	}
	code = cli.Run(run, args, cli.System{
		Stdin: slave, Stdout: slave, Stderr: slave, Env: m.env, Dir: m.dir,
		Now:    func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
		Random: rand.NewChaCha8([32]byte{1}),
		Start:  func(h cli.Handover) error { started = append(started, h); return nil },
	})
	if k.interrupt || ctx.Err() != nil {
		_, _ = io.WriteString(master, "\n") // who waits for the answer has the terminal open
	}
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	return code, s.unwrapped(), started
}

// withPrograms puts programs on the machine's PATH.
func (m *machine) withPrograms(t *testing.T, names ...string) string {
	t.Helper()
	bin := filepath.Join(m.home, "bin")
	for _, name := range names {
		write(t, filepath.Join(bin, name), []byte("#!/bin/sh\n"))
		chmod(t, filepath.Join(bin, name), 0o755)
	}
	m.env = append(m.env, "PATH="+bin, "TERM=dumb")
	return bin
}

// TestHandover sees which program gets which arguments in which directory, for
// every agent.
func TestHandover(t *testing.T) {
	m := newMachine(t)
	bin := m.withPrograms(t, "pi", "omp", "xcsh")
	sessions := map[string]string{
		"pi":   m.session(t, ".pi/agent/sessions/--w--", "19c0b2f4a1400001", m.dir),
		"omp":  m.session(t, ".omp/agent/sessions/-w", "19c0b2f4a1400002", m.dir),
		"xcsh": m.session(t, ".xcsh/agent/sessions/-w", "19c0b2f4a1400003", m.dir),
	}
	flags := map[string]string{"pi": "--session", "omp": "--resume", "xcsh": "--resume"}
	for agent, path := range sessions {
		t.Run(agent, func(t *testing.T) {
			for _, line := range [][]string{{"resume", path}, {"resume", filepath.Base(path)[25:41]}, {"continue", "--agent", agent}} {
				code, shown, started := talk{}.hold(t, m, line...)
				if code != 0 || len(started) != 1 {
					t.Fatalf("%q: exit code %d, started %v: %s", line, code, started, shown)
				}
				h := started[0]
				want := cli.Handover{Path: filepath.Join(bin, agent), Args: []string{agent, flags[agent], path}, Dir: m.dir, Env: h.Env}
				if diff := cmp.Diff(want, h); diff != "" {
					t.Errorf("%q: %s", line, diff)
				}
				if !slices.Contains(h.Env, "PWD="+m.dir) || !slices.Contains(h.Env, "HOME="+m.home) {
					t.Errorf("environment %q", h.Env)
				}
				if shown != "" {
					t.Errorf("left on the terminal: %q", shown)
				}
			}
		})
	}
}

func TestQuestionOfAnotherProject(t *testing.T) {
	const question = "(l)? [l] "
	tests := []struct {
		name    string
		talk    talk
		code    int
		started bool
		shows   string
	}{
		{"go there", talk{question: question, answer: "g\n", next: &talk{question: "Work there? [y/N] ", answer: "y\n"}}, 0, true, "Go there (g)"},
		{"yes", talk{question: question, answer: "y\n"}, 0, true, ""},
		{"Yes, spelt out", talk{question: question, answer: " YES \n"}, 0, true, ""},
		{"fork", talk{question: question, answer: "f\n"}, 0, true, "Go there (g), fork into current directory (f)"},
		{"no", talk{question: question, answer: "n\n"}, 6, false, "is in another project ("},
		{"nothing", talk{question: question, answer: "\n"}, 6, false, "is in another project ("},
		{"the end of input", talk{question: question, answer: "\x04"}, 6, false, "is in another project ("},
		{"interrupted", talk{question: question, interrupt: true}, 130, false, "interrupted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			m.withPrograms(t, "pi")
			there := filepath.Join(m.home, "there")
			write(t, filepath.Join(there, "x"), nil)
			path := m.session(t, ".pi/agent/sessions/--there--", "19c0b2f4a1400001", there)
			code, shown, started := tt.talk.hold(t, m, "resume", "19c0b2f4")
			if code != tt.code || (len(started) == 1) != tt.started || !strings.Contains(shown, tt.shows) {
				t.Fatalf("exit code %d, started %v: %s", code, started, shown)
			}
			if goes := tt.name == "go there"; tt.started && (goes != (started[0].Dir == there) || goes != (started[0].Args[2] == path)) {
				t.Errorf("started %+v", started[0])
			}
		})
	}
}

func TestBareResumeOnATerminal(t *testing.T) {
	m := newMachine(t)
	m.withPrograms(t, "pi")
	code, shown, _ := talk{}.hold(t, m, "resume")
	if code != 0 || shown != "No sessions found\r\n" {
		t.Errorf("without sessions: exit code %d: %q", code, shown)
	}
	m.session(t, ".pi/agent/sessions/--w--", "19c0b2f4a1400001", m.dir)
	code, shown, started := talk{}.hold(t, m, "resume")
	if code != 2 || len(started) != 0 || !strings.Contains(shown, "first words") || !strings.Contains(shown, "which session?") {
		t.Errorf("exit code %d, started %v: %q", code, started, shown)
	}
}
