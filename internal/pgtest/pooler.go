//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Pooler is PgBouncer in front of a server: a process of its own, which may be
// killed and started again. It is not safe for concurrent use.
type Pooler struct {
	// Port is where it listens on 127.0.0.1.
	Port int

	server *Server
	dir    string
	cmd    *exec.Cmd
	gone   chan struct{} // closed when cmd has ended
}

// Pooler makes a PgBouncer (Debian's package; .ci/postgres installs it) in dir,
// and starts it. mode is its pool_mode; it has conns connections to a database of
// the server at most. settings are more lines of its configuration.
func (s *Server) Pooler(dir, mode string, conns int, settings ...string) (*Pooler, error) {
	if err := Own(dir); err != nil {
		return nil, fmt.Errorf("make pooler: %w", err)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &Pooler{Port: port, server: s, dir: dir}
	lines := append([]string{
		"[databases]", fmt.Sprintf("* = host=127.0.0.1 port=%d", s.Port),
		"[pgbouncer]", "listen_addr = 127.0.0.1", "listen_port = " + strconv.Itoa(port), "unix_socket_dir =",
		"auth_type = scram-sha-256", "auth_file = " + filepath.Join(dir, "users"),
		"pool_mode = " + mode, "default_pool_size = " + strconv.Itoa(conns), "server_login_retry = 0",
	}, settings...)
	for name, text := range map[string]string{
		"pgbouncer.ini": strings.Join(lines, "\n") + "\n", "users": fmt.Sprintf("%q %q\n", User, Password),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		if err := ownFile(path); err != nil {
			return nil, err
		}
	}
	return p, p.Start()
}

// URL is where database is through the pooler, for the user.
func (p *Pooler) URL(database string) string {
	return strings.Replace(p.server.URL(database), fmt.Sprintf(":%d/", p.server.Port), fmt.Sprintf(":%d/", p.Port), 1)
}

// Start starts the pooler and waits until the server answers through it.
func (p *Pooler) Start() error {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // not on everybody's path
	}
	args := unprivileged(program, filepath.Join(p.dir, "pgbouncer.ini"))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = "/"
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start pooler: %w (.ci/postgres installs it)", err)
	}
	p.cmd, p.gone = cmd, make(chan struct{})
	go func(gone chan struct{}) {
		_ = cmd.Wait() // it is killed in the end
		close(gone)
	}(p.gone)
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if err = p.ping(); err == nil {
			return nil
		}
		select {
		case <-p.gone:
			return fmt.Errorf("start pooler: it ended: %s", log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.Join(fmt.Errorf("start pooler: %w", err), p.Kill())
}

func (p *Pooler) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.URL("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "select 1", pgx.QueryExecModeSimpleProtocol)
	return errors.Join(err, conn.Close(ctx))
}

// Kill kills the pooler.
func (p *Pooler) Kill() error {
	if p.cmd == nil {
		return nil
	}
	err := p.cmd.Process.Signal(syscall.SIGKILL)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-p.gone
	p.cmd = nil
	return err
}
