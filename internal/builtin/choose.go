package builtin

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// choose finds the models that the wishes and the settings name.
func (b *Agent) choose(w Wishes) error {
	level, err := b.named(b.set.Model, true, &b.Usual)
	if err != nil {
		return err
	}
	if level != "" && b.set.ThinkingLevel == "" {
		b.set.ThinkingLevel = level
	}
	if b.Level, err = b.named(w.Model, false, &b.Model); err != nil {
		return err
	}
	if b.Model != nil {
		b.Usual = b.Model
	}
	if b.Usual == nil {
		b.Usual = b.first()
	}
	if w.Thinking != "" {
		b.Level = w.Thinking
	}
	if b.Level == "" {
		return nil
	}
	if level, err = coder.Level(b.Level, everyLevel{b.Models}, replay.Model{}); err != nil {
		return &Error{What: BadLevel, Err: err}
	}
	b.Level = level
	return nil
}

// named finds the model of a name, and the level behind it; "" names none.
func (b *Agent) named(name string, settings bool, into **replay.Model) (level string, err error) {
	if name == "" {
		return "", nil
	}
	m, level, err := b.Models.Resolve(name)
	var none *model.ResolveError
	if errors.As(err, &none) {
		return "", &Error{What: UnknownModel, Settings: settings, Err: err}
	}
	if err != nil {
		return "", err
	}
	*into = &replay.Model{Provider: m.Provider, ModelID: m.ID}
	return level, nil
}

// first returns the first model that can be asked, nil for none.
func (b *Agent) first() *replay.Model {
	for _, m := range b.Models.All() {
		if known := (replay.Model{Provider: m.Provider, ModelID: m.ID}); b.Models.Available(known) {
			return &known
		}
	}
	return nil
}

// everyLevel is a registry whose models have all levels: which one it is to be is
// not known before the session is.
type everyLevel struct{ *model.Registry }

// Levels returns all.
func (everyLevel) Levels(replay.Model) []string { return coder.Levels() }

// Usable reports why the model that was named, or for a new session the usual one,
// cannot be asked. The error is an [*Error].
func (b *Agent) Usable(w Which) error {
	m := b.Model
	if m == nil && w.isNew() {
		if m = b.Usual; m == nil {
			return noModel()
		}
	}
	if m == nil {
		return nil
	}
	known, _ := b.Models.Find(m.Provider, m.ModelID)
	if _, err := b.Models.Key(known); err != nil {
		return &Error{What: NoKey, Err: err}
	}
	return nil
}

// chooseIn notes in a session what the wishes say of model and thinking level.
func (b *Agent) chooseIn(ctx context.Context, s *session.Session) error {
	level := b.Level
	if level != "" {
		m := b.Model
		if m == nil {
			c, err := s.Context(ctx, session.ContextOptions{})
			if err != nil {
				return err
			}
			if m = c.Model; m == nil || !b.Models.Available(*m) {
				m = b.Usual
			}
		}
		if m != nil {
			level = agent.Clamp(level, b.Models.Levels(*m))
		}
	}
	return coder.Choose(ctx, s, b.Model, level)
}
