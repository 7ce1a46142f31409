// Command turn times one turn of the built-in agent, in this fresh process, and
// prints one JSON object as interop/bench does. It is a program of its own because
// the agent brings the libraries of the models' vendors with it, which no other
// measured program has in its memory.
//
// Usage: turn stream FILE COUNT
//
// says something to a model that answers with COUNT pieces of text at once, each
// told as a line of JSON, in a copy of the session: usPerEntry is what an event
// takes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
)

// result is what the turn took; the names are those of interop/bench.
type result struct {
	Op       string  `json:"op"`
	MS       float64 `json:"ms"`
	PerEvent float64 `json:"usPerEntry"`
	Entries  int     `json:"entries"`
	Bytes    int64   `json:"bytes"`
	PeakKB   int64   `json:"rssKb"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "turn:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || args[0] != "stream" {
		return errors.New("usage: turn stream FILE COUNT")
	}
	count, err := strconv.Atoi(args[2])
	if err != nil || count < 1 {
		return fmt.Errorf("read count: %q is none", args[2])
	}
	r, err := streaming(context.Background(), args[1], count)
	if err != nil {
		return err
	}
	if r.PeakKB, err = peers.PeakKB(0); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}

// talkative is a model that answers with so many pieces of text, all of them made
// before it is asked.
type talkative struct{ events []provider.Event }

func newTalkative(pieces int) *talkative {
	t := &talkative{}
	var all strings.Builder
	for i := range pieces {
		piece := fmt.Sprintf("word %d \"of\" them, ", i)
		all.WriteString(piece)
		t.events = append(t.events, provider.Event{Kind: provider.TextDelta, Delta: piece})
	}
	t.events = append(t.events, provider.Event{Kind: provider.TextEnd, Block: &message.TextBlock{Text: all.String()}})
	return t
}

// Stream tells all of it.
func (t *talkative) Stream(ctx context.Context, r provider.Request, tell func(provider.Event)) (*message.Assistant, error) {
	for _, e := range t.events {
		tell(e)
	}
	return &message.Assistant{
		Content: []message.Block{t.events[len(t.events)-1].Block},
		API:     string(r.Model.API), Provider: r.Model.Provider, Model: r.Model.ID,
		Usage: &message.Usage{Cost: &message.Cost{}}, StopReason: message.Stop,
	}, ctx.Err()
}

// known is a registry of one model.
type known struct{ model.Model }

func (k known) Find(string, string) (model.Model, bool) { return k.Model, true }
func (known) Available(replay.Model) bool               { return true }
func (known) Levels(replay.Model) []string              { return nil }
func (known) Key(model.Model) (string, error)           { return "", nil }

// streaming says a prompt in a copy of the session and takes an answer of count
// events, each told as a line of JSON, as --json does: all of a turn but the wire.
// What it appends is taken away with the copy.
func streaming(ctx context.Context, name string, count int) (r result, err error) {
	home, err := os.MkdirTemp("", "turn-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	o := session.Options{
		Env: layout.Env{Home: home, TempDir: "/nowhere", Cwd: home}, Dialect: dialect.Name(os.Getenv("BENCH_DIALECT")), Sync: session.SyncNone,
	}
	file := filepath.Join(home, "s.jsonl")
	if err := copied(name, file); err != nil {
		return r, err
	}
	s, err := session.Open(ctx, file, o)
	if err != nil {
		return r, err
	}
	m := model.Model{Provider: "p", ID: "m", API: model.OpenAIChat}
	lines, bytes := 0, 0
	c := coder.New(coder.Options{
		Session: o, Registry: known{m}, Providers: map[model.API]provider.Provider{m.API: newTalkative(count)},
		Settings: agent.Settings{Model: &replay.Model{Provider: m.Provider, ModelID: m.ID}},
		Tell: func(e coder.Event) {
			lines++
			bytes += len(e.JSON())
		},
	})
	if err := c.Agent().Start(ctx, agent.Start{Session: s}); err != nil {
		return r, errors.Join(err, s.Close())
	}
	from := time.Now()
	out, err := c.Prompt(ctx, "go on")
	took := time.Since(from)
	if err == nil && (out.Stop != message.Stop || lines < count) {
		err = fmt.Errorf("stream: ended with %q after %d events", out.Stop, lines)
	}
	r = result{Op: "stream", MS: float64(took.Microseconds()) / 1000, PerEvent: float64(took.Nanoseconds()) / 1000 / float64(count), Entries: count, Bytes: int64(bytes)}
	return r, errors.Join(err, c.Agent().Close(ctx))
}

// copied copies the session.
func copied(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
