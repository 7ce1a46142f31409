//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
)

// printing is the group of rows about a prompt without a screen.
const printing = "a prompt without a screen"

// event is what a turn may cost for each event that is streamed, in µs.
const event = 5

// printing measures how long the programs need from their start to the first
// request of a model, each in a private home, all on the same server; and what a
// turn costs in Cambium beside the wire, for each event of 10,000.
func (b *bench) printing() (rows []row, err error) {
	const asked, streamed = "from start to the first request on the wire", "a turn of 10,000 events, each (beside 5 µs)"
	if b.wants(asked) {
		r, err := b.asked()
		if err != nil {
			return nil, err
		}
		r.name = asked
		rows = append(rows, r)
	}
	if b.wants(streamed) {
		path := filepath.Join(b.dir, "session.jsonl")
		if _, err := b.output(nil, "corpus", "big", "1000000", path); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.Remove(path)) }()
		r, err := b.row([]measure{func() (peers.Measurement, error) { return b.measured(b.turn, nil, "stream", path, 10_000) }, nil, nil}, true)
		if err != nil {
			return nil, err
		}
		r.name, r.wanted, r.cells[1].time = streamed, 1, event
		rows = append(rows, r)
	}
	for i := range rows {
		rows[i].file = printing
	}
	return rows, nil
}

// asked is the row of the first request.
func (b *bench) asked() (r row, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return row{}, err
	}
	o := &oracle{came: make(chan time.Time, 100)}
	web := &http.Server{Handler: o}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	defer func() {
		if failed := errors.Join(web.Close(), <-served); !errors.Is(failed, http.ErrServerClosed) {
			err = errors.Join(err, failed)
		}
	}()
	base := fmt.Sprintf("http://%s/v1", l.Addr())
	home, err := b.models(base)
	if err != nil {
		return row{}, err
	}
	one := []measure{func() (peers.Measurement, error) {
		return b.first(o, home, b.command, "run", "--model", "local/m", "-p", "hi")
	}, nil, nil}
	for i, args := range [][]string{
		{"pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js", "--offline", "--provider", "local", "--model", "m", "-p", "hi"},
		{"omp/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js", "--model", "local/m", "-p", "hi"},
	} {
		p := both()[i]
		if err := p.Check(b.root); err != nil {
			return row{}, err
		}
		args[0] = filepath.Join(b.root, "interop", args[0])
		one[1+i] = func() (peers.Measurement, error) { return b.first(o, home, p.Runtime(b.root), args...) }
	}
	for _, run := range one { // the first start of each makes what it needs in the home
		if _, err := run(); err != nil {
			return row{}, err
		}
	}
	r, err = b.row(one, false)
	r.wanted, r.wantedMemory = 5, 1
	return r, err
}

// models makes a home in which each program knows the model local/m at an address.
func (b *bench) models(base string) (home string, err error) {
	if home, err = os.MkdirTemp(b.dir, "home-"); err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		".config/cambium/settings.json": `{"providers":{"local":{"baseUrl":"BASE","models":[{"id":"m"}]}}}`,
		".pi/agent/models.json":         `{"providers":{"local":{"baseUrl":"BASE","api":"openai-completions","apiKey":"x","models":[{"id":"m"}]}}}`,
		".omp/agent/models.yml":         "providers:\n  local:\n    baseUrl: BASE\n    api: openai-completions\n    apiKey: x\n    models:\n      - id: m\n",
	} {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "BASE", base)), 0o600); err != nil {
			return "", err
		}
	}
	return home, nil
}

// first runs a program until it has ended, and says how long after its start its
// first request came.
func (b *bench) first(o *oracle, home, program string, args ...string) (m peers.Measurement, err error) {
	for len(o.came) > 0 {
		<-o.came // of a program before
	}
	out, r, err := b.run(home, program, args...)
	if err != nil {
		return m, err
	}
	if !strings.Contains(string(out), greeting) || len(o.came) == 0 {
		return m, fmt.Errorf("run %s: it did not ask: %s", filepath.Base(program), out)
	}
	m.Milliseconds, m.PeakKB = milliseconds((<-o.came).Sub(r.from)), r.kb
	return m, nil
}

// An oracle answers Chat Completions with a greeting, and notes when each request
// came: its headers are read then.
type oracle struct{ came chan time.Time }

const greeting = "Well met."

// ServeHTTP answers one request.
func (o *oracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r) // a list of models, say
		return
	}
	select {
	case o.came <- at:
	default: // nobody counts that many
	}
	w.Header().Set("Content-Type", "text/event-stream")
	const chunk = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]%s}`
	for _, part := range []string{
		fmt.Sprintf(chunk, `{"role":"assistant","content":"`+greeting+`"}`, "null", ""),
		fmt.Sprintf(chunk, "{}", `"stop"`, `,"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`),
		"[DONE]",
	} {
		fmt.Fprintf(w, "data: %s\n\n", part)
	}
}
