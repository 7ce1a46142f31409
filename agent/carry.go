package agent

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// auto is the thinking level of omp 18.2.3 that the model chooses by itself.
const auto = "auto"

// chooseTier decides which service tier a session gets: its own, else that of
// before where it stays, else that of the settings.
func (a *Agent) chooseTier(t *target, c *replay.Context) entry.JSON {
	switch {
	case says(t.s, entry.ServiceTierChange):
		return c.ServiceTier
	case t.keep:
		return a.place().tier
	}
	return a.opt.Settings.ServiceTier
}

// chooseTools decides which tools a session gets, likewise.
func (a *Agent) chooseTools(t *target, c *replay.Context) []string {
	switch {
	case c.HasMCPSelection && c.MCPTools == nil:
		return []string{}
	case c.HasMCPSelection:
		return c.MCPTools
	case t.keep:
		return a.place().tools
	}
	return a.opt.Settings.Tools
}

// says reports whether the leaf's branch has an entry of a kind that means
// something to its dialect.
func says(s *session.Session, k entry.Kind) bool {
	return spelling.For(s.Dialect()).Replay.Acts.Has(k) && named(s, k)
}

// equip gives the driver the directory and the tools of a session.
func (a *Agent) equip(ctx context.Context, t *target) error {
	if d, ok := a.opt.Driver.(Located); ok {
		dir := a.Dir()
		if err := d.SetDirectory(ctx, dir); err != nil {
			return fmt.Errorf("go to directory %q: %w", dir, err)
		}
	}
	if d, ok := a.opt.Driver.(Toolbox); ok {
		if err := d.SelectTools(ctx, t.plan.tools); err != nil {
			return fmt.Errorf("select tools: %w", err)
		}
		a.put(func(p *place) { p.tools = t.plan.tools })
	}
	return nil
}

func (a *Agent) setTier(ctx context.Context, tier entry.JSON) error {
	d, ok := a.opt.Driver.(Tiered)
	if !ok {
		return nil
	}
	if err := d.SetServiceTier(ctx, tier); err != nil {
		return fmt.Errorf("set service tier %s: %w", tier, err)
	}
	a.put(func(p *place) { p.tier = tier })
	return nil
}

// appendState writes what a session gets when it is gone to: the end of a turn
// that was cut off, the thinking level that it does not name, and, for a new
// session, the service tier and the tools that stay. Should one of them fail, those
// before it stay, and are not written a second time when it is gone to again.
func (a *Agent) appendState(ctx context.Context, t *target) error {
	acts := spelling.For(t.s.Dialect()).Replay.Acts
	var bodies []entry.Body
	if t.plan.cut != nil {
		bodies = append(bodies, t.plan.cut)
	}
	if t.plan.add {
		bodies = append(bodies, levelBody(spelling.For(t.s.Dialect()), t.plan.level))
	}
	if _, tiered := a.opt.Driver.(Tiered); t.keep && tiered && acts.Has(entry.ServiceTierChange) {
		bodies = append(bodies, &entry.ServiceTierChangeBody{ServiceTier: t.plan.tier})
	}
	if _, has := a.opt.Driver.(Toolbox); t.keep && has && t.plan.tools != nil && acts.Has(entry.MCPToolSelection) {
		bodies = append(bodies, &entry.MCPToolSelectionBody{SelectedToolNames: t.plan.tools})
	}
	for _, b := range bodies {
		if _, err := t.s.Append(ctx, b); err != nil {
			return fmt.Errorf("append %s: %w", entry.BodyType(b), err)
		}
	}
	return nil
}

// levelBody returns the entry that says a thinking level. omp writes the one that
// was chosen too, and of "auto" that alone.
func levelBody(d spelling.Dialect, level string) entry.Body {
	b := &entry.ThinkingLevelChangeBody{ThinkingLevel: &level}
	if d.Configured {
		b.Configured = jsonedit.Quoted(level)
		if level == auto {
			b.ThinkingLevel = nil
		}
	}
	return b
}
