package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/process"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is what leads to a server: a program that runs, or an address.
type link struct {
	transport sdk.Transport
	program   *program // nil for an address
}

// reach starts the program of a server, or makes sense of its address.
func (s *server) reach() (*link, error) {
	if s.URL == "" {
		p, err := start(s.Server, s.o)
		if err != nil {
			return nil, err
		}
		return &link{&sdk.IOTransport{Reader: metered{p.out, &s.meter, true}, Writer: p.in}, p}, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("its address %q is none of http or https", s.URL)
	}
	web := &http.Client{Transport: &near{scheme: u.Scheme, host: u.Host, header: s.Header, m: &s.meter}}
	if s.Events {
		return &link{transport: &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: web}}, nil
	}
	return &link{transport: &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: web}}, nil
}

// ended is closed when the program has ended; nil for an address.
func (l *link) ended() <-chan struct{} {
	if l.program == nil {
		return nil
	}
	return l.program.ended
}

// why says why a server is not there, with how its program ended, if it has, and the
// last that it said.
func (l *link) why(err error) string {
	text := "it hung up"
	if err != nil {
		text = jsonedit.CutText(oneLine(err.Error()), 300)
	}
	if l.program == nil {
		return text
	}
	select {
	case <-l.program.ended:
		if state := l.program.cmd.ProcessState; state != nil && !state.Success() && !l.program.stopped() {
			text = "its program ended, " + state.String()
		}
	default:
	}
	if said := l.program.said.String(); said != "" {
		text += "; it said: " + said
	}
	return text
}

// end ends the connection, if there is one, and the program.
func (l *link) end(session *sdk.ClientSession) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if session != nil {
			_ = session.Close() // it is over whatever that says
		}
	}()
	if l.program != nil {
		l.program.end()
	}
	t := time.NewTimer(killGrace)
	defer t.Stop()
	select {
	case <-closed:
	case <-t.C:
	}
}

// A program is a server that was started.
type program struct {
	cmd   *exec.Cmd
	kin   *process.Family
	in    *os.File // what it reads
	out   *os.File // what it writes
	said  *tail
	ended chan struct{}

	mu   sync.Mutex
	told bool // guarded by mu; by a signal, to end
}

// start starts the program of a server, in a group of its own.
func start(s Server, o Options) (*program, error) {
	if strings.TrimSpace(s.Command) == "" {
		return nil, errors.New("it has no command")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	p := &program{in: in, out: out, said: &tail{}, ended: make(chan struct{})}
	p.cmd = exec.Command(s.Command, s.Args...)
	p.cmd.Dir, p.cmd.Env = o.Dir, append(append([]string{}, o.Environ...), s.Env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, p.said
	p.cmd.WaitDelay = farewell // for others who have its standard error
	p.kin = &process.Family{Cmd: p.cmd}
	err = p.kin.Start()
	_ = theirIn.Close() // the program has its own
	_ = theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // ProcessState says it
	}()
	return p, nil
}

// end asks the program to end, and kills what is left of its group.
func (p *program) end() {
	_ = p.in.Close() // by which it knows
	for _, tell := range []func(){nil, func() { p.kin.Ask() }, p.kin.Kill} {
		wait := farewell
		if tell != nil {
			p.mu.Lock()
			p.told = true
			p.mu.Unlock()
			tell()
			wait = killGrace
		}
		t := time.NewTimer(wait)
		select {
		case <-p.ended:
		case <-t.C:
			continue
		}
		t.Stop()
		break
	}
	p.kin.Kill() // what it started and left behind
	<-p.ended
	p.kin.Done()
	_ = p.out.Close()
}

// stopped reports whether the program had to be told to end.
func (p *program) stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

// A tail keeps the end of what a program says.
type tail struct {
	mu  sync.Mutex
	end []byte // guarded by mu
}

// maxSaid is how much of it is kept, in bytes.
const maxSaid = 500

// Write takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p[max(len(p)-maxSaid, 0):]...)
	if n := len(t.end) - maxSaid; n > 0 {
		t.end = append(t.end[:0], t.end[n:]...)
	}
	return len(p), nil
}

// String returns the end on one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return oneLine(string(bytes.ToValidUTF8(t.end, nil)))
}

// oneLine is a text without line ends, control characters and those that nobody
// sees.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) }), " ")
}

// unseen reports a character that is a command or invisible.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
