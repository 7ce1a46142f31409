package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// Choose has the agent go on with another model, where m is not nil, and on
// another thinking level, where level is not "", and appends what the branch does
// not say already. The level is clamped to the model; a model that has not the
// present one gets what comes nearest. What runs goes on: the model is asked from
// the next turn on. A model that cannot be used is refused. On an error the driver
// is as it was, and what was appended until then stays.
func (a *Agent) Choose(ctx context.Context, m *replay.Model, level string) (err error) {
	ctx, at, done, err := a.attached(ctx)
	if err != nil {
		return err
	}
	defer done()
	if m != nil && !a.opt.Models.Available(*m) {
		return fmt.Errorf("choose model %q: it is not known, or its key is not there", m.Provider+"/"+m.ModelID)
	}
	c, err := at.s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return fmt.Errorf("read session %q: %w", at.s.Path(), err)
	}
	chosen := at.model
	if m != nil {
		chosen = m
	}
	if level == "" {
		level = at.level
	}
	has := levels()
	if chosen != nil {
		has = a.opt.Models.Levels(*chosen)
	}
	level = Clamp(level, has)
	defer func() {
		if err != nil { // not by Remember: what runs goes on saying things
			err = errors.Join(err, a.setModel(ctx, at.model), a.setThinking(ctx, at.level))
		}
	}()
	if err := errors.Join(a.setModel(ctx, m), a.setThinking(ctx, level)); err != nil {
		return err
	}
	var bodies []entry.Body
	if m != nil && (c.Model == nil || *c.Model != *m) {
		bodies = append(bodies, at.s.Dialect().ModelBody(m.Provider, m.ModelID, ""))
	}
	if level != at.level || !named(at.s, entry.ThinkingLevelChange) {
		bodies = append(bodies, levelBody(at.s.Dialect(), level))
	}
	for _, b := range bodies {
		if _, err := at.s.Append(ctx, b); err != nil {
			return fmt.Errorf("append %s: %w", b.Type(), err)
		}
	}
	return nil
}
