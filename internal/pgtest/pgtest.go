//go:build unix

// Package pgtest starts PostgreSQL servers for tests: each a process of its own
// in a temporary directory, which may be killed, frozen and started again. It
// needs Debian's postgresql package (.ci/postgres installs it), or its programs
// on the path. CAMBIUM_TEST_POSTGRES names the directory with the programs initdb
// and postgres of another version, which everybody must be able to reach. For root
// the servers run as nobody: they refuse root.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// User and Password are those of the only user, who may do anything.
const (
	User     = "tester"
	Password = "s3cret word" // with a space, to be escaped
)

// patience is how long a server may take to start.
const patience = 60 * time.Second

// A Server is one running, or stopped. It is not safe for concurrent use.
type Server struct {
	// Dir is the directory with everything of it, Port where it listens on
	// 127.0.0.1.
	Dir  string
	Port int

	ssl  string // the mode in which a client connects
	args []string
	cmd  *exec.Cmd
	gone chan struct{} // closed when cmd has ended
}

// programs returns the directory of the server's programs, which
// CAMBIUM_TEST_POSTGRES names; else those of Debian, the newest version first.
func programs() (string, error) {
	if dir := os.Getenv("CAMBIUM_TEST_POSTGRES"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("find PostgreSQL: CAMBIUM_TEST_POSTGRES=%q is no absolute path", dir)
		}
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			return "", fmt.Errorf("find PostgreSQL in CAMBIUM_TEST_POSTGRES: %w", err)
		}
		return dir, nil
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is good
	slices.Reverse(dirs)
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("find PostgreSQL: no initdb; .ci/postgres installs it")
	}
	return filepath.Dir(path), nil
}

// command is one of the server's programs, run as a user who may.
func command(name string, args ...string) (*exec.Cmd, error) {
	dir, err := programs()
	if err != nil {
		return nil, err
	}
	args = unprivileged(append([]string{filepath.Join(dir, name)}, args...)...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "HOME=/", "LC_ALL=C.UTF-8", "PGPASSWORD="+Password)
	return cmd, nil
}

// unprivileged is a command of a user whom the programs accept.
func unprivileged(args ...string) []string {
	if os.Getuid() != 0 {
		return args
	}
	return append([]string{"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"}, args...)
}

func run(name string, args ...string) error {
	cmd, err := command(name, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// Own makes a directory that the servers' user owns.
func Own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return ownFile(dir)
}

// ownFile gives a file to the servers' user.
func ownFile(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		return err
	}
	return os.Chown(path, uid, -1)
}

// New makes a cluster in dir, which need not exist, and does not start it. dir
// must be short, and may be reached by everybody up to its parent. settings are
// lines of postgresql.conf ("fsync = off").
func New(dir string, settings ...string) (*Server, error) {
	if err := Own(dir); err != nil {
		return nil, fmt.Errorf("make server: %w", err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(Password+"\n"), 0o644); err != nil {
		return nil, fmt.Errorf("make server: %w", err)
	}
	s := &Server{Dir: dir, ssl: "disable"}
	if err := run("initdb", "-D", s.data(), "-U", User, "-A", "scram-sha-256", "--auth-local=trust",
		"--pwfile="+secret, "-E", "UTF8", "-N"); err != nil {
		return nil, err
	}
	return s, s.configure(settings)
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// configure chooses a port and adds settings to what the cluster has.
func (s *Server) configure(settings []string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	s.Port = port
	settings = append([]string{
		"listen_addresses = '127.0.0.1'", "port = " + strconv.Itoa(port),
		"unix_socket_directories = '" + s.Dir + "'", "max_connections = 100", "log_min_messages = fatal",
	}, settings...)
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(settings, "\n") + "\n")
	return errors.Join(err, f.Close())
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// URL is where database is, for the user.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s?sslmode=%s",
		User, strings.ReplaceAll(Password, " ", "%20"), s.Port, database, s.ssl)
}

// Start starts the server and waits until it answers.
func (s *Server) Start() error {
	until := time.Now().Add(patience)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.start(until)
		if err == nil || time.Now().After(until) {
			return err
		}
		<-again.C // what was killed may still hold its memory
	}
}

func (s *Server) start(until time.Time) error {
	cmd, err := command("postgres", append([]string{"-D", s.data()}, s.args...)...)
	if err != nil {
		return err
	}
	log := new(bytes.Buffer)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.gone = cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed in the end
		close(s.gone)
	}()
	for time.Now().Before(until) {
		if err = s.Exec("postgres", "select 1"); err == nil {
			return nil
		}
		select {
		case <-s.gone:
			return fmt.Errorf("start server: it ended: %s", bytes.TrimSpace(log.Bytes()))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.Join(fmt.Errorf("start server: %w", err), s.Kill())
}

// Exec runs statements in a database.
func (s *Server) Exec(database, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

// processes returns the server's processes, the first one first.
func (s *Server) processes() []int {
	parent := s.cmd.Process.Pid
	pids := []int{parent}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *Server) signal(sig syscall.Signal) error {
	if s.cmd == nil {
		return nil
	}
	for _, pid := range s.processes() {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Kill kills the server and all its processes, as a power cut does but for what
// the system has not written yet.
func (s *Server) Kill() error {
	if s.cmd == nil {
		return nil
	}
	err := s.signal(syscall.SIGKILL)
	<-s.gone
	s.cmd = nil
	return err
}

// Freeze stops all processes of the server; Thaw lets them go on.
func (s *Server) Freeze() error { return s.signal(syscall.SIGSTOP) }

// Thaw undoes Freeze.
func (s *Server) Thaw() error { return s.signal(syscall.SIGCONT) }

// Stop ends the server in order, cutting all connections.
func (s *Server) Stop() error {
	if s.cmd == nil {
		return nil
	}
	err := s.cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-s.gone:
		s.cmd = nil
		return err
	case <-time.After(patience):
		return errors.Join(err, s.Kill())
	}
}

// Promote makes a primary of a standby and waits until it takes writes.
func (s *Server) Promote() error {
	return s.Exec("postgres", "select pg_promote(true, 60)")
}
