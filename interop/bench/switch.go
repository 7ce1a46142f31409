//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/replay"
)

// running is an agent that does nothing: it keeps what it is given.
type running struct{ context *replay.Context }

func (*running) Stop(context.Context) error                   { return nil }
func (*running) SetSessionID(string)                          {}
func (*running) SetModel(context.Context, replay.Model) error { return nil }
func (*running) SetThinking(context.Context, string) error    { return nil }
func (r *running) Remember() func()                           { was := r.context; return func() { r.context = was } }
func (r *running) ReplaceMessages(_ context.Context, c *replay.Context) error {
	r.context = c
	return nil
}

// switching takes an agent that runs with a new session to this one, to go on with
// it: with an index in the directory BENCH_INDEX, if that is said, which the agent
// has open, as it has seen large sessions before. The thinking level that this appends is taken away afterwards.
func (b *bench) switching() (err error) {
	was, err := os.Stat(b.file)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, os.Truncate(b.file, was.Size()), os.Chtimes(b.file, was.ModTime(), was.ModTime()))
	}()
	o := b.options()
	o.ReadOnly = false
	if dir := os.Getenv("BENCH_INDEX"); dir != "" {
		known := index.New(index.Options{Dir: dir})
		o.Memory = known
		defer func() { err = errors.Join(err, known.Close()) }()
		if _, _, err := known.Recall(b.ctx, "another session"); err != nil {
			return err
		}
	}
	a := agent.New(agent.Options{Driver: &running{}, Session: o})
	if err := a.Start(b.ctx, agent.Start{CWD: b.scratch}); err != nil {
		return err
	}
	from := time.Now()
	ok, err := a.Switch(b.ctx, b.file)
	b.out.MS = ms(time.Since(from))
	if err != nil || !ok {
		return errors.Join(err, fmt.Errorf("switch: arrived %v", ok), a.Close(b.ctx))
	}
	s := a.Session()
	if b.out.Entries = s.Len(); s.ReadOnly() {
		err = fmt.Errorf("switch: the session cannot be written: %s", s.ReadOnlyReason())
	}
	return errors.Join(err, a.Close(b.ctx))
}
