package agent_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/index"
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
