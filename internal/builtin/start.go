package builtin

import (
	"context"
	"errors"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// A Which says which session the agent goes on with, and how.
type Which struct {
	work.GoOnOptions
	// Nowhere keeps the session in memory.
	Nowhere bool
	// Asks says that a model is asked, so that there has to be one.
	Asks bool
	// Makes says that a new session is made at once, not by the agent.
	Makes bool
	// Hears is told what happens to the session; nil has it noted.
	Hears func(session.Event)
}

// isNew reports whether a session is begun.
func (w *Which) isNew() bool { return !w.Continue && w.Resume == "" && w.Fork == "" }

// Start opens the session and gives it to the agent. The error may be one of
// [work.GoOn], a [*Stays], an [*Error], or a [*work.Error].
func (b *Agent) Start(ctx context.Context, w Which) error {
	b.Dir = b.lib.Dir
	s, err := b.open(ctx, w)
	if err != nil {
		return err
	}
	begin := agent.Start{CWD: b.Dir}
	if s != nil {
		if err := b.chooseIn(ctx, s); err != nil {
			return errors.Join(saving(s.Path(), err), s.Close())
		}
		begin.Session = s
	}
	if err := b.Coder.Agent().Start(ctx, begin); err != nil {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return saving("", err)
	}
	now := b.session()
	b.Path = now.Path()
	if s == nil && w.Asks {
		if err := b.chooseIn(ctx, now); err != nil {
			return errors.Join(saving(b.Path, err), b.Coder.Agent().Close(ctx))
		}
	}
	if _, ok := b.Coder.Model(); !ok && w.Asks {
		return errors.Join(noModel(), b.Coder.Agent().Close(ctx))
	}
	return nil
}

// saving is the error of writing to a session.
func saving(path string, err error) error {
	return &work.Error{Step: work.Saving, Path: path, Err: err}
}

// open opens the session to go on with; nil is a new one.
func (b *Agent) open(ctx context.Context, w Which) (*session.Session, error) {
	if w.Nowhere {
		return session.InMemory(b.lib.Dir, work.Begin(b.lib))
	}
	g, err := work.GoOn(ctx, b.lib, w.GoOnOptions)
	switch {
	case errors.Is(err, work.ErrStays):
		return nil, &Stays{g.Target}
	case err != nil:
		return nil, err
	case g.Path == "" && w.Makes:
		o := work.Begin(b.lib)
		o.OnEvent = w.Hears
		return session.Create(ctx, b.lib.Dir, o)
	case g.Path == "":
		return nil, nil
	}
	b.Dir = g.Dir
	return g.Open(ctx, b.lib, w.Hears)
}

// closing is how long hooks may take to hear of the end of a run that was
// interrupted.
const closing = 2 * time.Second

// Close closes the session. Interrupting it cuts hooks off, and who has done that
// already does not wait long for them.
func (b *Agent) Close(ctx context.Context) error {
	if ctx.Err() != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), closing)
		defer stop()
	}
	return b.Coder.Agent().Close(ctx)
}
