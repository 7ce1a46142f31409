package agent_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// largeFile writes a session of about 110 MB, 9,100 messages, last changed an
// hour ago.
func largeFile(b *testing.B, dir string) string {
	b.Helper()
	path := filepath.Join(dir, "large.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	_, err = sessiongen.Big(f, rand.New(rand.NewPCG(1, 2)), 110_000_000)
	at := time.Now().Add(-time.Hour)
	if err = errors.Join(err, f.Close(), os.Chtimes(path, at, at)); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkSwitch takes a running agent from a small session to one of 110 MB,
// whose file is in the system's cache, and back, the way back not counted. Read
// reads the whole file, Remembered asks an index that has seen it, Looking the
// same without the thinking level that is appended.
func BenchmarkSwitch(b *testing.B) {
	for _, way := range []struct {
		name                 string
		remembered, readOnly bool
	}{{"Read", false, false}, {"Remembered", true, false}, {"Looking", true, true}} {
		b.Run(way.name, func(b *testing.B) { benchSwitch(b, way.remembered, way.readOnly) })
	}
}

func benchSwitch(b *testing.B, remembered, readOnly bool) {
	dir := b.TempDir()
	large := largeFile(b, dir)
	small := filepath.Join(dir, "small.jsonl")
	if err := os.WriteFile(small, []byte(header("small")+"\n"+says("u1", "", "hi")+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	o := session.Options{ReadOnly: readOnly, Env: layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}}
	if remembered {
		known := index.New(index.Options{Dir: filepath.Join(dir, "cache")})
		defer known.Close()
		o.Memory = known
		s, err := session.Open(ctx, large, o)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil { // which waits for what is remembered
			b.Fatal(err)
		}
	}
	a := agent.New(agent.Options{Driver: &idle{}, Session: o})
	if err := a.Start(ctx, agent.Start{Path: small}); err != nil {
		b.Fatal(err)
	}
	defer a.Close(ctx)
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := a.Switch(ctx, large); !ok || err != nil {
			b.Fatal(ok, err)
		}
		b.StopTimer()
		if ok, err := a.Switch(ctx, small); !ok || err != nil {
			b.Fatal(ok, err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/switch")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDue asks before a turn how full the window is, in a session of 110 MB.
func BenchmarkDue(b *testing.B) {
	dir := b.TempDir()
	a := agent.New(agent.Options{
		Driver: &idle{}, Models: windowed{window: 200_000},
		Session: session.Options{Env: layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}},
	})
	if err := a.Start(ctx, agent.Start{Path: largeFile(b, dir)}); err != nil {
		b.Fatal(err)
	}
	defer a.Close(ctx)
	for b.Loop() {
		if fill, _, err := a.Due(ctx); err != nil || fill.Entry < 0 {
			b.Fatal(fill, err)
		}
	}
}

// events is how many pieces of an answer are streamed in a turn.
const events = 10_000

// BenchmarkStream is a turn of 10,000 streamed events: what hears the driver asks
// the agent for its session at each, and appends the message when it is whole, as
// durable as messages are by default. It reports what that costs an event, the
// building of the message included.
func BenchmarkStream(b *testing.B) {
	dir := b.TempDir()
	var listener func(kind, text string)
	var a *agent.Agent
	o := agent.Options{
		Driver:  &idle{},
		Session: session.Options{Env: layout.Env{Home: dir, Cwd: dir, Getenv: func(string) string { return "" }}},
		Connect: func() func() {
			var text strings.Builder
			listener = func(kind, piece string) {
				s := a.Session()
				if kind != "end" {
					text.WriteString(piece)
					return
				}
				message := new(jsonedit.Object).String("role", "assistant").String("content", text.String()).Value()
				text.Reset()
				if _, err := s.Append(ctx, &entry.MessageBody{Message: message}); err != nil {
					b.Fatal(err)
				}
			}
			return func() { listener = nil }
		},
	}
	a = agent.New(o)
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(header("s")+"\n"+says("u1", "", "hi")+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := a.Start(ctx, agent.Start{Path: path}); err != nil {
		b.Fatal(err)
	}
	defer a.Close(ctx)
	for b.Loop() {
		for range events - 1 {
			listener("text_delta", "a few words of it ")
		}
		listener("end", "")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
	b.ReportMetric(0, "ns/op")
}

// idle is a driver that keeps its context and reads nothing of it.
type idle struct{ context *replay.Context }

func (*idle) Stop(context.Context) error                   { return nil }
func (*idle) SetSessionID(string)                          {}
func (*idle) SetModel(context.Context, replay.Model) error { return nil }
func (*idle) SetThinking(context.Context, string) error    { return nil }
func (i *idle) Remember() func()                           { was := i.context; return func() { i.context = was } }
func (i *idle) ReplaceMessages(_ context.Context, c *replay.Context) error {
	i.context = c
	return nil
}
