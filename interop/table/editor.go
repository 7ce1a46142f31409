//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// editing is the group of rows about the agent of an editor. pi has none.
const editing = "cambium acp and omp acp: whole processes at the other end of a pipe"

// editing measures the agents of editors.
func (b *bench) editing() (rows []row, err error) {
	for _, measure := range []func() ([]row, error){b.greeted, b.listedThere, b.loaded} {
		more, err := measure()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for i := range rows {
		rows[i].file = editing
	}
	return rows, nil
}

// greeted measures the time from the start of the process until it has answered
// initialize.
func (b *bench) greeted() ([]row, error) {
	const name = "from start to the answer of initialize"
	if !b.wants(name) {
		return nil, nil
	}
	return b.answered(name, 5, func(string) error { return nil }, func(a *aide) (time.Duration, error) {
		return a.greeting, nil
	})
}

// listedThere measures the first page of 2,000 sessions, which were listed before.
func (b *bench) listedThere() ([]row, error) {
	const name, count = "session/list, the first page of 2,000 sessions, listed before", 2000
	if !b.wants(name) {
		return nil, nil
	}
	fill := func(home string) error {
		_, err := b.output(nil, "corpus", "store", strconv.Itoa(count*smallSession), home, strconv.Itoa(count), "omp")
		return err
	}
	return b.answered(name, 1, fill, func(a *aide) (time.Duration, error) {
		took, answer, err := a.call("session/list", map[string]any{})
		var page struct {
			Sessions []jsontext.Value `json:"sessions"`
		}
		if err == nil {
			err = json.Unmarshal(answer, &page)
		}
		if err == nil && len(page.Sessions) == 0 {
			err = errors.New("session/list: nothing is listed")
		}
		return took, err
	})
}

// loaded measures the whole history of a session, told message by message, until
// the answer behind it.
func (b *bench) loaded() ([]row, error) {
	const name = "session/load of 110 MB, all of it told"
	if !b.wants(name) {
		return nil, nil
	}
	id := ""
	fill := func(home string) error {
		path, err := b.spoken("loaded", "big", 110_000_000)
		if err != nil {
			return err
		}
		if id, err = named(path); err != nil {
			return err
		}
		to := filepath.Join(home, ".omp/agent/sessions/-/2026-01-01T09-00-00-000Z_"+id+".jsonl")
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(path, to))
	}
	rows, err := b.answered(name, 5, fill, func(a *aide) (time.Duration, error) {
		took, _, err := a.call("session/load", map[string]any{"sessionId": id, "cwd": "/", "mcpServers": []any{}})
		return took, err
	})
	if err != nil {
		return nil, err
	}
	path, err := b.spoken("piped", "big", 110_000_000)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(path) }() // the directory goes anyway
	piped, err := b.operations("", path, []operation{{"the machine: 110 MB through a pipe", "pipe", "", 0, 0, 0, nil, nil}}, perRun)
	return append(rows, piped...), err
}

// named reads the id of the session at a path out of its header.
func named(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil {
		return "", err
	}
	var header struct {
		ID string `json:"id"`
	}
	err = json.Unmarshal(line, &header)
	return header.ID, err
}

// answered measures a call in each of the two programs, in homes with the same in
// them.
func (b *bench) answered(name string, wanted float64, fill func(home string) error, call func(*aide) (time.Duration, error)) (_ []row, err error) {
	one := []measure{nil, nil, nil}
	if err := peers.Omp.Check(b.root); err != nil {
		return nil, err
	}
	omp := filepath.Join(b.root, "interop/omp/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js")
	for at, args := range map[int][]string{
		0: {b.command, "acp", "--model", "local/m"},
		2: {peers.Omp.Runtime(b.root), omp, "acp", "--model", "local/m"},
	} {
		home, stop, err := b.served(http.NotFoundHandler())
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, stop(), os.RemoveAll(home)) }()
		if err := fill(home); err != nil {
			return nil, err
		}
		one[at] = func() (peers.Measurement, error) { return b.assisted(home, args, call) }
		if _, err := one[at](); err != nil { // makes what it needs in the home
			return nil, err
		}
	}
	r, err := b.row(one, false)
	r.name, r.wanted, r.wantedMemory = name, wanted, 1
	return []row{r}, err
}

// An aide is the agent of an editor, and a process.
type aide struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	calls    int
	greeting time.Duration // from the start until it has answered initialize
}

// assisted starts an aide, greets it and calls it.
func (b *bench) assisted(home string, args []string, call func(*aide) (time.Duration, error)) (m peers.Measurement, err error) {
	a := &aide{cmd: exec.CommandContext(b.ctx, args[0], args[1:]...)}
	a.cmd.Dir, a.cmd.Env = filepath.Join(home, "work"), append(peers.Env(home), "PI_OFFLINE=1")
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var complaints bytes.Buffer
	a.cmd.Stderr = &complaints
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return m, err
	}
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return m, err
	}
	a.out = bufio.NewReaderSize(out, 1<<20)
	from := time.Now()
	if err := a.cmd.Start(); err != nil {
		return m, err
	}
	defer func() {
		kb, failed := peers.PeakKB(a.cmd.Process.Pid)
		m.PeakKB, err = kb, errors.Join(err, failed)
		_ = syscall.Kill(-a.cmd.Process.Pid, syscall.SIGKILL) // a session of its own; what it holds is not kept
		_ = a.cmd.Wait()                                      // killed
		if err != nil {
			err = fmt.Errorf("run %s acp: %w: %s", filepath.Base(args[0]), err, complaints.Bytes())
		}
	}()
	if _, _, err = a.call("initialize", map[string]any{
		"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	}); err != nil {
		return m, err
	}
	a.greeting = time.Since(from)
	took, err := call(a)
	m.Milliseconds = milliseconds(took)
	return m, err
}

// call calls a method and returns the answer, and how long it took. What is told
// until then is passed over.
func (a *aide) call(method string, params map[string]any) (took time.Duration, answer jsontext.Value, err error) {
	a.calls++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.calls, "method": method, "params": params})
	if err != nil {
		return 0, nil, err
	}
	from := time.Now()
	if _, err := a.in.Write(append(text, '\n')); err != nil {
		return 0, nil, err
	}
	for {
		line, err := a.line()
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", method, err)
		}
		if bytes.Contains(line[:min(len(line), 64)], []byte(`"method":"session/update"`)) {
			continue
		}
		var m struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
			Result jsontext.Value `json:"result"`
			Error  jsontext.Value `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return 0, nil, fmt.Errorf("%s: read answer: %w", method, err)
		}
		switch {
		case m.Method != "" || string(m.ID) != strconv.Itoa(a.calls):
		case m.Error != nil:
			return 0, nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return time.Since(from), m.Result, nil
		}
	}
}

// line reads a line, of which no more than the first 1 MiB is kept.
func (a *aide) line() (line []byte, err error) {
	line, err = a.out.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		_, err = a.out.ReadSlice('\n')
	}
	return line, err
}
