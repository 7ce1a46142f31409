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

// What is streamed while somebody types, and what a key may take.
const (
	streamEvents = 1000
	streamPace   = 5 * time.Millisecond
	typedKeys    = 100
	typedPace    = 45 * time.Millisecond
	keySoon      = 100 // ms, until a person sees that they wait
)

// typed measures how long a key takes to its echo while an answer is streamed,
// against 100 ms in the column of pi. A key that is lost or comes out of order is
// an error.
func (b *bench) typed() (rows []row, err error) {
	name := fmt.Sprintf("200 events a second for %d s: a key to its echo, 0 of %d lost", int(streamEvents*streamPace/time.Second), typedKeys)
	longest := "200 events a second: the longest of these"
	if !b.wants(name) && !b.wants(longest) {
		return nil, nil
	}
	home, stop, err := b.served(paced{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var medians, most, memory []float64
	for range b.repeat {
		times, kb, err := b.typing(home)
		if err != nil {
			return nil, err
		}
		medians = append(medians, median(times)) // it sorts them
		most, memory = append(most, times[len(times)-1]), append(memory, float64(kb))
	}
	return []row{
		{name: name + " (beside 100 ms)", wanted: 1, cells: [3]cell{{median(medians), median(memory)}, {keySoon, 0}, {}}},
		{name: longest + " (beside 100 ms)", wanted: 1, cells: [3]cell{{median(most), 0}, {keySoon, 0}, {}}},
	}, nil
}

// typing says something in a chat, types while the answer comes, and returns how
// long each key took.
func (b *bench) typing(home string) (times []float64, kb int64, err error) {
	d, err := b.chat(home)
	if err != nil {
		return nil, 0, err
	}
	kb, err = d.during(func() error {
		if _, err := d.types("hello"); err != nil {
			return err
		}
		if _, err := d.shows("› hello"); err != nil {
			return err
		}
		if _, err := d.types("\r"); err != nil {
			return err
		}
		if _, err := d.shows("word 10 "); err != nil {
			return err
		}
		times, err = d.keys()
		if err != nil {
			return err
		}
		d.mu.Lock()
		done := holding(d.rows(), pacedEnd)
		d.mu.Unlock()
		if done {
			return errors.New("type beside a stream: it ended before the last key")
		}
		_, err := d.shows(pacedEnd)
		return errors.Join(err, d.rest())
	})
	return times, kb, err
}

// keys types one key after the other, whether its echo is there or not, and returns
// how long after it was typed each stood in the editor behind those before it, in
// ms.
func (d *desk) keys() ([]float64, error) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz"
	text := strings.Repeat(alphabet, typedKeys/len(alphabet)+1)[:typedKeys]
	typed := make([]time.Time, typedKeys)
	failed := make(chan error, 1)
	begun := make(chan struct{}, typedKeys)
	go func() {
		next := time.NewTicker(typedPace)
		defer next.Stop()
		for i := range typedKeys {
			<-next.C
			typed[i] = time.Now()
			begun <- struct{}{} // typed[i] may be read
			if _, err := d.types(text[i : i+1]); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	var times []float64
	for len(times) < typedKeys {
		shown := 0
		at, err := d.until(fmt.Sprintf("key %d", len(times)+1), func(rows []string) bool {
			shown = echoed(rows, text)
			return shown > len(times)
		})
		if err != nil {
			return nil, err
		}
		for len(times) < shown {
			<-begun
			times = append(times, milliseconds(at.Sub(typed[len(times)])))
		}
	}
	return times, <-failed
}

// echoed returns how much of a text stands in the editor, which holds nothing else.
func echoed(rows []string, text string) int {
	for _, row := range rows {
		if rest, ok := strings.CutPrefix(row, "› "); ok && strings.HasPrefix(text, rest) {
			return len(rest)
		}
	}
	return 0
}

// paced answers Chat Completions with an event every streamPace.
type paced struct{}

// pacedEnd is the last that it says.
const pacedEnd = "That is all."

// ServeHTTP answers one request.
func (paced) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r) // a list of models, say
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	from := time.Now()
	for i := range streamEvents {
		time.Sleep(time.Until(from.Add(time.Duration(i) * streamPace)))
		word := fmt.Sprintf("word %d ", i)
		if i%20 == 19 {
			word = fmt.Sprintf("`word` **%d**\\n\\n- ", i)
		}
		fmt.Fprintf(w, "data: "+chunk+"\n\n", `{"role":"assistant","content":"`+word+`"}`, "null", "")
		if flush.Flush() != nil {
			return // the client has gone
		}
	}
	fmt.Fprintf(w, "data: "+chunk+"\n\n", `{"content":"\n\n`+pacedEnd+`"}`, "null", "")
	fmt.Fprintf(w, "data: "+chunk+"\n\ndata: [DONE]\n\n", "{}", `"stop"`, `,"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`)
}

// chunk is an event of Chat Completions.
const chunk = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]%s}`

// prompted measures how long the programs take from their start until what is typed
// meanwhile stands in their editor, each in a home of its own.
func (b *bench) prompted() (rows []row, err error) {
	const name = "from start to the first key on the screen"
	if !b.wants(name) {
		return nil, nil
	}
	home, stop, err := b.served(http.NotFoundHandler())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	one := []measure{func() (peers.Measurement, error) { return b.prompting(home, b.command, "chat", "--model", "local/m") }}
	for i, args := range [][]string{
		{"pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js", "--offline", "--provider", "local", "--model", "m"},
		{"omp/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js", "--model", "local/m"},
	} {
		p := both()[i]
		if err := p.Check(b.root); err != nil {
			return nil, err
		}
		args[0] = filepath.Join(b.root, "interop", args[0])
		one = append(one, func() (peers.Measurement, error) { return b.prompting(home, p.Runtime(b.root), args...) })
	}
	for _, run := range one { // the first start of each makes what it needs in the home
		if _, err := run(); err != nil {
			return nil, err
		}
	}
	r, err := b.row(one, false)
	r.name, r.wanted, r.wantedMemory = name, 5, 1
	return []row{r}, err
}

// typedFirst is what is typed then: it stands on no screen else.
const typedFirst = "§"

// prompting starts a program, types at once and again and again, as somebody does
// who waits, and returns when it stood on the screen first.
func (b *bench) prompting(home, program string, args ...string) (m peers.Measurement, err error) {
	d, err := b.seat(home, filepath.Join(home, "work"), program, args...)
	if err != nil {
		return m, err
	}
	const again = 20 * time.Millisecond
	shown, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		next := time.NewTicker(again)
		defer next.Stop()
		for {
			if _, err := d.types(typedFirst); err != nil {
				ended <- err
				return
			}
			select {
			case <-shown:
				ended <- nil
				return
			case <-next.C:
			}
		}
	}()
	at, err := d.shows(typedFirst)
	close(shown)
	err = errors.Join(err, <-ended)
	m.Milliseconds = milliseconds(at.Sub(d.from))
	kb, failed := d.peak()
	m.PeakKB = kb
	d.kill()
	return m, errors.Join(err, failed)
}

// served serves the models of a home that it makes, until stop is called.
func (b *bench) served(h http.Handler) (home string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	web := &http.Server{Handler: h}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	stop = func() error {
		if failed := errors.Join(web.Close(), <-ended); !errors.Is(failed, http.ErrServerClosed) {
			return failed
		}
		return nil
	}
	if home, err = b.models(fmt.Sprintf("http://%s/v1", l.Addr())); err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(home, "work"), 0o700),
			os.WriteFile(filepath.Join(home, ".omp/agent/config.yml"), []byte("startup:\n  checkUpdate: false\n  setupWizard: false\n"), 0o600))
	}
	if err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return home, stop, nil
}
