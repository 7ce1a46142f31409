package peers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lossless are the options under which session data passes unharmed: lone
// surrogates, repeated names and spellings stay as they are.
func lossless() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
		jsontext.PreserveRawStrings(true))
}

// A Fault is an error that the program itself raised.
type Fault struct {
	Program Program
	Method  string
	// Message is the text of the program's error, unchanged.
	Message string
}

// Error says which program refused what.
func (f *Fault) Error() string { return fmt.Sprintf("%s %s: %s", f.Program, f.Method, f.Message) }

// A Driver is one running process of a program, with a home folder of its own
// that Close removes, or one that it was given. Calls may come from several goroutines; they are answered
// one after the other.
type Driver struct {
	program Program
	private string // its home
	kept    bool   // whether that stays
	env     []string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  *tail
	closing sync.Once

	mu     sync.Mutex // held for a whole call
	calls  int64
	broken error // set when the process no longer answers
	ended  error // what Close returns
}

// reply is one line of the driver.
type reply struct {
	Ready   string         `json:"ready"`
	Runtime string         `json:"runtime"`
	ID      int64          `json:"id"`
	Value   jsontext.Value `json:"value"`
	Error   *string        `json:"error"`
}

// Start runs the program's driver and waits until it is ready. When ctx ends,
// the process (that one only) is killed and every call returns ctx's error. The
// caller closes the driver. Without an installation the error wraps
// ErrNotInstalled.
func Start(ctx context.Context, program Program) (*Driver, error) {
	private, err := os.MkdirTemp("", "cambium-peer-")
	if err != nil {
		return nil, fmt.Errorf("start peer %q: %w", string(program), err)
	}
	return start(ctx, &Driver{program: program, private: private, stderr: &tail{}})
}

// StartIn is Start with a home folder that stays, and with variables ("NAME=value")
// that the environment has beside.
func StartIn(ctx context.Context, program Program, home string, env ...string) (*Driver, error) {
	return start(ctx, &Driver{program: program, private: home, kept: true, env: env, stderr: &tail{}})
}

// start starts what a driver is to run.
func start(ctx context.Context, d *Driver) (*Driver, error) {
	program := d.program
	root, err := Root()
	if err == nil {
		err = program.Check(root)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.start(ctx, root); err != nil {
		return nil, errors.Join(fmt.Errorf("start peer %q: %w", string(program), err), d.Close())
	}
	return d, nil
}

// start runs the process and reads its first line.
func (d *Driver) start(ctx context.Context, root string) error {
	d.cmd = exec.CommandContext(ctx, d.program.Runtime(root), filepath.Join(root, "interop", "driver.mjs"), string(d.program))
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = d.private, append(Env(d.private), d.env...), d.stderr
	var err error
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	d.stdout = bufio.NewReaderSize(stdout, 1<<16)
	if err := d.cmd.Start(); err != nil {
		return err
	}
	r, err := d.read()
	if err != nil {
		return err
	}
	if r.Ready != string(d.program) {
		return fmt.Errorf("first line names program %q", r.Ready)
	}
	return nil
}

// Program returns which program this is.
func (d *Driver) Program() Program { return d.program }

// Home returns the process's private home folder; it is also where the process
// runs, and is gone after Close, unless it was given.
func (d *Driver) Home() string { return d.private }

// PID returns the number of the process, for who watches or kills it.
func (d *Driver) PID() int { return d.cmd.Process.Pid }

// Call asks the driver for one method of interop/methods.mjs and returns its
// value as JSON, nil when the method gave none. Arguments are any values; a
// jsontext.Value is passed as it is. What the program throws is a *Fault; any
// other error means that the process no longer answers, and is returned by
// every later call too.
func (d *Driver) Call(method string, args ...any) (jsontext.Value, error) {
	request, err := encode(method, args)
	if err != nil {
		return nil, fmt.Errorf("call %s %s: %w", d.program, method, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return nil, d.broken
	}
	d.calls++
	line := fmt.Appendf(nil, `{"id":%d,%s`, d.calls, request)
	if _, err := d.stdin.Write(line); err != nil {
		return nil, d.fail(method, err)
	}
	r, err := d.read()
	if err != nil {
		return nil, d.fail(method, err)
	}
	if r.ID != d.calls {
		return nil, d.fail(method, fmt.Errorf("answer to call %d, want %d", r.ID, d.calls))
	}
	if r.Error != nil {
		return nil, &Fault{Program: d.program, Method: method, Message: *r.Error}
	}
	return r.Value, nil
}

// encode returns the rest of a request line, after the id. Bytes are JSON.
func encode(method string, given []any) ([]byte, error) {
	args := []any{}
	for _, a := range given {
		if raw, ok := a.([]byte); ok {
			a = jsontext.Value(raw)
		}
		args = append(args, a)
	}
	m, err := json.Marshal(method)
	if err != nil {
		return nil, err
	}
	a, err := json.Marshal(args, lossless())
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `"method":%s,"args":%s}`+"\n", m, a), nil
}

// read returns the next line of the process.
func (d *Driver) read() (reply, error) {
	var r reply
	line, err := d.stdout.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r, lossless()); err != nil {
		return r, fmt.Errorf("read answer: %w", err)
	}
	return r, nil
}

// fail remembers that the process is lost, with what it said last.
func (d *Driver) fail(method string, err error) error {
	d.broken = fmt.Errorf("call %s %s: %w: %s", d.program, method, err, d.stderr.String())
	return d.broken
}

// Close ends the process and removes its home, if that is its own. Calling it again returns the
// same result.
func (d *Driver) Close() error {
	d.closing.Do(func() {
		var errs []error
		if d.cmd != nil && d.cmd.Process != nil {
			errs = append(errs, d.stdin.Close())
			if err := d.cmd.Wait(); err != nil {
				errs = append(errs, fmt.Errorf("close peer %q: %w: %s", string(d.program), err, d.stderr.String()))
			}
		}
		if !d.kept {
			errs = append(errs, os.RemoveAll(d.private))
		}
		d.ended = errors.Join(errs...)
	})
	return d.ended
}

// tail keeps the last 8 KB written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// Write keeps p's end.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - 8192; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
