package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// DefaultThinking is the thinking level where neither session nor settings name
// one (pi 0.87.1).
const DefaultThinking = "medium"

// levels are the thinking levels, least first.
func levels() []string {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// Models says which models there are.
type Models interface {
	// Available reports whether a model is in the registry and can be used: its
	// provider has a key, or needs none.
	Available(m replay.Model) bool
	// Levels returns the thinking levels that a model has, in any order; none
	// for a model that does not think.
	Levels(m replay.Model) []string
}

// allModels takes every model to be there and to have every level.
type allModels struct{}

func (allModels) Available(replay.Model) bool  { return true }
func (allModels) Levels(replay.Model) []string { return levels() }

// Settings are what holds where a session says nothing.
type Settings struct {
	// Model is the default model; nil means none.
	Model *replay.Model
	// ThinkingLevel is the default level; "" means DefaultThinking.
	ThinkingLevel string
	// ServiceTier is the tier of service, as a session has it; nil for none.
	ServiceTier entry.JSON
	// Tools are the tools from outside that are selected; nil for those that the
	// driver begins with.
	Tools []string
	// Compaction says when to compact and what to keep.
	Compaction compact.Settings
	// NoPrune keeps a compaction by Threshold from cutting long results of tools
	// before it sums up. [Agent.Prune] cuts them all the same.
	NoPrune bool
}

// Clamp returns the level among those that a model has which comes nearest to
// the one that is asked for: that one, else the next higher, else the next lower
// (pi 0.87.1). Without any it is "off". A level that is not known, such as
// "auto", is passed on if the model has it, and counts as DefaultThinking
// otherwise.
func Clamp(level string, has []string) string {
	if slices.Contains(has, level) {
		return level
	}
	all := levels()
	at := slices.Index(all, level)
	if at < 0 {
		at = slices.Index(all, DefaultThinking)
	}
	for _, l := range all[at:] {
		if slices.Contains(has, l) {
			return l
		}
	}
	for _, l := range slices.Backward(all[:at]) {
		if slices.Contains(has, l) {
			return l
		}
	}
	return "off"
}

// candidates returns the models that a session wants, the one that it wants most
// first: its default one; for omp before it that of the role that was chosen last,
// unless that only stood in for another.
func candidates(s *session.Session, c *replay.Context) ([]replay.Model, error) {
	var wanted []replay.Model
	if s.Dialect() == dialect.Omp {
		role, err := lastRole(s)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(c.Models, func(m replay.RoleModel) bool { return m.Role == role })
		if role != replay.DefaultRole && role != "fallback" && at >= 0 {
			if provider, id, ok := strings.Cut(c.Models[at].Model, "/"); ok && provider != "" {
				wanted = append(wanted, replay.Model{Provider: provider, ModelID: id})
			}
		}
	}
	if c.Model != nil {
		wanted = append(wanted, *c.Model)
	}
	return wanted, nil
}

// lastRole returns the role of the last model_change on the leaf's branch.
func lastRole(s *session.Session) (string, error) {
	list, path := s.Snapshot()
	for _, i := range slices.Backward(path) {
		if list.Kind(i) != entry.ModelChange {
			continue
		}
		line, err := list.Load(i)
		if err != nil {
			return "", err
		}
		if role, _ := jsonedit.Text(line, "role"); role != "" {
			return role, nil
		}
		break
	}
	return replay.DefaultRole, nil
}

// chooseModel decides which model a session gets: the first it wants that is
// available, else that of the settings, with a line that says so. nil leaves the driver's as
// it is; first is that there is none yet.
func (a *Agent) chooseModel(wanted []replay.Model, first bool) (m *replay.Model, said string) {
	ready := func(m *replay.Model) bool { return m != nil && a.opt.Models.Available(*m) }
	for i := range wanted {
		if ready(&wanted[i]) {
			return &wanted[i], ""
		}
	}
	fallback := a.opt.Settings.Model
	if len(wanted) == 0 {
		if first && ready(fallback) {
			return fallback, ""
		}
		return nil, ""
	}
	want := wanted[0]
	switch {
	case ready(fallback):
		return fallback, fmt.Sprintf("Could not restore model %s/%s. Using %s/%s.", want.Provider, want.ModelID, fallback.Provider, fallback.ModelID)
	}
	return nil, fmt.Sprintf("Could not restore model %s/%s. No default model is available; the model stays as it is.", want.Provider, want.ModelID)
}

// chooseLevel decides which thinking level a session gets, and whether that is
// appended: a branch that names one has it, as far as the model does; another
// gets wish, and an entry that says so (published P3).
func (a *Agent) chooseLevel(s *session.Session, c *replay.Context, m *replay.Model, wish string) (level string, add bool) {
	has := levels()
	if m != nil {
		has = a.opt.Models.Levels(*m)
	}
	if !named(s, entry.ThinkingLevelChange) {
		return Clamp(wish, has), true
	}
	if c.Configured != nil && slices.Contains(has, *c.Configured) {
		return *c.Configured, false
	}
	return Clamp(c.ThinkingLevel, has), false
}

// named reports whether the leaf's branch has an entry of a kind.
func named(s *session.Session, k entry.Kind) bool {
	list, path := s.Snapshot()
	for _, i := range path {
		if !list.Has(k) {
			break
		}
		if list.Kind(i) == k {
			return true
		}
	}
	return false
}

// setModel gives the driver a model; nil leaves it.
func (a *Agent) setModel(ctx context.Context, m *replay.Model) error {
	if m == nil {
		return nil
	}
	if err := a.opt.Driver.SetModel(ctx, *m); err != nil {
		return fmt.Errorf("set model %q: %w", m.Provider+"/"+m.ModelID, err)
	}
	a.put(func(p *place) { p.model = m })
	return nil
}

// Use has the driver go on with another model, where m is not nil, and on another
// thinking level, where level is not "". Nothing is written: who wants the
// session to say so appends it.
func (a *Agent) Use(ctx context.Context, m *replay.Model, level string) error {
	if err := a.setModel(ctx, m); err != nil || level == "" {
		return err
	}
	return a.setThinking(ctx, level)
}

func (a *Agent) setThinking(ctx context.Context, level string) error {
	if err := a.opt.Driver.SetThinking(ctx, level); err != nil {
		return fmt.Errorf("set thinking level %q: %w", level, err)
	}
	a.put(func(p *place) { p.level = level })
	return nil
}
