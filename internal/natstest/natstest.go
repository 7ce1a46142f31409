// Package natstest starts NATS servers for tests: each a process of its own in
// a directory of its own, which may be killed, frozen and started again. The
// program is built of the Go module in .ci/nats, once for a machine, and kept in
// the temporary folder; CAMBIUM_NATS_SERVER names another one.
package natstest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// User and Password are those of the only user of a server, who may do anything.
const (
	User     = "tester"
	Password = "s3cret+word"
)

// patience is how long a server may take to start.
const patience = 60 * time.Second

// Program returns the path of the server's program, built if it is not there.
func Program() (string, error) {
	if path := os.Getenv("CAMBIUM_NATS_SERVER"); path != "" {
		return path, nil
	}
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	sums, err := os.Stat(filepath.Join(module, "go.sum"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("cambium-nats-%d", os.Getuid()))
	path := filepath.Join(dir, "nats-server")
	if built, err := os.Stat(path); err == nil && built.ModTime().After(sums.ModTime()) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	mine := path + "." + strconv.Itoa(os.Getpid())
	cmd := exec.Command("go", "build", "-o", mine, "github.com/nats-io/nats-server/v2")
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nats-server: %w: %s", err, bytes.TrimSpace(out))
	}
	return path, os.Rename(mine, path)
}

// moduleDir finds .ci/nats above the working directory.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		module := filepath.Join(dir, ".ci", "nats")
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return module, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("find .ci/nats: not in a folder of the module")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// A Server is one running, or stopped. It is not safe for concurrent use.
type Server struct {
	// Dir is the directory with everything of it; Port, Monitor and Route are
	// where it listens on 127.0.0.1.
	Dir                  string
	Port, Monitor, Route int

	name string
	tls  []nats.Option // that a client needs
	cmd  *exec.Cmd
	gone chan struct{} // closed when cmd has ended
}

// Config says what differs from a usual server.
type Config struct {
	// Lines are added to the configuration, JetStream to the block of that
	// name. NoJetStream leaves that out.
	Lines, JetStream []string
	NoJetStream      bool
	// CA is a file with the certificate that the server's is checked with, if
	// Lines have it speak TLS; Cert and Key are those of its user. AnyHost does
	// without that the certificate is that of the host.
	CA, Cert, Key string
	AnyHost       bool
	// TLSMonitor has the monitoring speak TLS as well.
	TLSMonitor bool
	// NoAuth leaves out the usual user, for servers with accounts of their own.
	// They need one of the usual name and password, too.
	NoAuth bool
}

// client is what a client needs to speak TLS.
func (c Config) client() (options []nats.Option) {
	if c.AnyHost {
		return []nats.Option{nats.Secure(&tls.Config{InsecureSkipVerify: true})}
	}
	if c.CA != "" {
		options = append(options, nats.RootCAs(c.CA))
	}
	if c.Cert != "" {
		options = append(options, nats.ClientCert(c.Cert, c.Key))
	}
	return options
}

// New makes a server with a directory, and does not start it.
func New(dir string, c Config) (*Server, error) {
	list, err := servers(dir, 1, c)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Cluster makes n servers that know of each other, and does not start them.
func Cluster(dir string, n int, c Config) ([]*Server, error) { return servers(dir, n, c) }

func servers(dir string, n int, c Config) ([]*Server, error) {
	ports, err := freePorts(3 * n)
	if err != nil {
		return nil, err
	}
	list := make([]*Server, n)
	var routes []string
	for i := range list {
		list[i] = &Server{
			Dir: filepath.Join(dir, "s"+strconv.Itoa(i)), name: "s" + strconv.Itoa(i), tls: c.client(),
			Port: ports[3*i], Monitor: ports[3*i+1], Route: ports[3*i+2],
		}
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", list[i].Route))
	}
	for _, s := range list {
		if err := s.configure(routes, c); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Server) configure(routes []string, c Config) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	lines := []string{
		"server_name: " + s.name, fmt.Sprintf("listen: \"127.0.0.1:%d\"", s.Port),
		fmt.Sprintf("%s: \"127.0.0.1:%d\"", map[bool]string{false: "http", true: "https"}[c.TLSMonitor], s.Monitor),
	}
	if !c.NoAuth {
		lines = append(lines, fmt.Sprintf("authorization { user: %q, password: %q }", User, Password))
	}
	if !c.NoJetStream {
		lines = append(lines, "jetstream {", "  store_dir: "+strconv.Quote(filepath.Join(s.Dir, "data")))
		lines = append(append(lines, c.JetStream...), "}")
	}
	if len(routes) > 1 {
		lines = append(lines, "cluster {", "  name: test", fmt.Sprintf("  listen: \"127.0.0.1:%d\"", s.Route),
			"  routes: ["+strings.Join(routes, ", ")+"]", "}")
	}
	lines = append(lines, c.Lines...)
	return os.WriteFile(s.config(), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

func (s *Server) config() string { return filepath.Join(s.Dir, "nats.conf") }

// freePorts returns ports that nobody listens on.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, lerr := net.Listen("tcp", "127.0.0.1:0")
		if lerr != nil {
			return nil, errors.Join(err, lerr)
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// URL is where the server is, for the user.
func (s *Server) URL() string { return URLTo(s.Port) }

// URLTo is the URL of whatever leads to a server from a port.
func URLTo(port int) string { return fmt.Sprintf("nats://%s:%s@127.0.0.1:%d", User, Password, port) }

// Start starts the server and waits until it takes connections.
func (s *Server) Start() error {
	program, err := Program()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "-c", s.config())
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	if err := errors.Join(err, log.Close()); err != nil {
		return err
	}
	s.cmd, s.gone = cmd, make(chan struct{})
	go func(gone chan struct{}) {
		_ = cmd.Wait() // it is killed in the end
		close(gone)
	}(s.gone)
	for until := time.Now().Add(patience); time.Now().Before(until); {
		var nc *nats.Conn
		if nc, err = nats.Connect(s.URL(), s.tls...); err == nil {
			nc.Close()
			return nil
		}
		select {
		case <-s.gone:
			text, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return fmt.Errorf("start nats-server: it ended: %s", bytes.TrimSpace(text))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.Join(fmt.Errorf("start nats-server: %w", err), s.Kill())
}

// Name is what the server calls itself.
func (s *Server) Name() string { return s.name }

// Kill kills the server, as a power cut does but for what the system has not
// written yet.
func (s *Server) Kill() error {
	if s.cmd == nil {
		return nil
	}
	err := s.cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-s.gone
	s.cmd = nil
	return err
}
