package replay

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// readThinking reads the last thinking level; null is "off".
func (c *Context) readThinking(f *found) error {
	if f.thinking < 0 {
		return nil
	}
	line, err := c.load(f.thinking)
	if err != nil {
		return err
	}
	level, isLevel := c.text(f.thinking, line, "thinkingLevel")
	if isLevel {
		c.ThinkingLevel = level
	}
	if !c.rules.ConfiguredThinking {
		return nil
	}
	if chosen, ok := c.text(f.thinking, line, "configured"); ok {
		c.Configured = &chosen
	} else if isLevel {
		c.Configured = &level
	}
	return nil
}

// text returns a string member, false when it is absent or null, and flags the
// entry when it is anything else.
func (c *Context) text(i int, obj entry.JSON, key string) (string, bool) {
	raw, ok := jsonedit.Get(obj, key)
	if !ok || jsonedit.IsNull(raw) {
		return "", false
	}
	s, ok := jsonedit.String(raw)
	if !ok {
		c.flag(i)
	}
	return s, ok
}

// readModels reads the model changes on the path, in either spelling ("model"
// with "role", or "provider" with "modelId"), and the last answer where that
// counts.
func (c *Context) readModels(f *found) error {
	explicit := -1 // place on the path of the last change of the default
	var model *Model
	for _, at := range f.models {
		if f.firstAnswer >= 0 && f.firstAnswer < at {
			c.keepPlace()
		}
		line, err := c.load(c.path[at])
		if err != nil {
			return err
		}
		role, name, parts := c.modelChange(c.path[at], line)
		if name == "" {
			continue
		}
		c.setModel(role, name)
		if role == DefaultRole {
			explicit, model = at, parts
		}
	}
	if f.firstAnswer >= 0 && (explicit < 0 || c.rules.Model == spelling.LastModel) {
		c.keepPlace()
		parts, err := c.answerModel(explicit)
		if err != nil {
			return err
		}
		if parts != nil {
			c.setModel(DefaultRole, parts.Provider+"/"+parts.ModelID)
			model = parts
		}
	}
	c.Models = slices.DeleteFunc(c.Models, func(m RoleModel) bool { return m.Model == "" })
	c.Model = model
	if model != nil && !c.rules.SingleModel {
		c.Model = splitModel(model.Provider + "/" + model.ModelID)
	}
	return nil
}

// modelChange reads one model_change, with an empty name for one that names no
// model. The parts are nil when the name has no provider.
func (c *Context) modelChange(i int, line entry.JSON) (role, name string, parts *Model) {
	role, ok := c.text(i, line, "role")
	if !ok {
		role = DefaultRole
	}
	if name, ok := c.text(i, line, "model"); ok {
		return role, name, splitModel(name)
	}
	provider, okP := jsonedit.Text(line, "provider")
	id, okM := jsonedit.Text(line, "modelId")
	if !okP || !okM {
		c.flag(i)
		return role, "", nil
	}
	return role, provider + "/" + id, &Model{provider, id}
}

// answerModel returns the model of the last answer after place after on the
// path that names one.
func (c *Context) answerModel(after int) (*Model, error) {
	for at := len(c.path) - 1; at > after; at-- {
		i := c.path[at]
		if c.list.Kind(i) != entry.Message || c.list.Role(i) != entry.RoleAssistant {
			continue
		}
		body, err := c.body(i)
		if err != nil {
			return nil, err
		}
		provider, okP := jsonedit.Text(body, "provider")
		id, okM := jsonedit.Text(body, "model")
		if okP && okM {
			return &Model{provider, id}, nil
		}
		c.flag(i)
	}
	return nil, nil
}

func (c *Context) setModel(role, model string) {
	for n := range c.Models {
		if c.Models[n].Role == role {
			c.Models[n].Model = model
			return
		}
	}
	c.Models = append(c.Models, RoleModel{role, model})
}

// keepPlace gives the default role its place among the roles: an answer came
// first.
func (c *Context) keepPlace() {
	for _, m := range c.Models {
		if m.Role == DefaultRole {
			return
		}
	}
	c.Models = append(c.Models, RoleModel{Role: DefaultRole})
}

// splitModel splits "provider/id" at the first slash, nil where that leaves no
// provider.
func splitModel(name string) *Model {
	provider, id, ok := strings.Cut(name, "/")
	if !ok || provider == "" {
		return nil
	}
	return &Model{provider, id}
}

// readRules collects the injected rules, each at its first place.
func (c *Context) readRules(f *found) error {
	seen := map[string]bool{}
	for _, i := range f.ttsr {
		line, err := c.load(i)
		if err != nil {
			return err
		}
		for _, name := range c.strings(i, line, "injectedRules") {
			if !seen[name] {
				seen[name] = true
				c.TTSRRules = append(c.TTSRRules, name)
			}
		}
	}
	return nil
}

// readTools reads the last selection of tools.
func (c *Context) readTools(f *found) error {
	if f.tools < 0 {
		return nil
	}
	line, err := c.load(f.tools)
	if err != nil {
		return err
	}
	c.MCPTools, c.HasMCPSelection = c.strings(f.tools, line, "selectedToolNames"), true
	return nil
}

// strings returns the strings of an array member; whatever else is there is
// passed over and flagged.
func (c *Context) strings(i int, obj entry.JSON, key string) []string {
	raw, _ := jsonedit.Get(obj, key)
	if jsonedit.Kind(raw) != '[' {
		c.flag(i)
		return nil
	}
	var all []string
	for e := range jsonedit.Elements(raw) {
		if s, ok := jsonedit.String(e); ok {
			all = append(all, s)
		} else {
			c.flag(i)
		}
	}
	return all
}

// readMode reads the last change of mode.
func (c *Context) readMode(f *found) error {
	if f.mode < 0 {
		return nil
	}
	line, err := c.load(f.mode)
	if err != nil {
		return err
	}
	if mode, ok := c.text(f.mode, line, "mode"); ok {
		c.Mode = mode
	}
	if data, ok := jsonedit.Get(line, "data"); ok {
		c.ModeData = slices.Clone(data)
	}
	return nil
}

// readTier reads the last service tier.
func (c *Context) readTier(f *found) error {
	if f.tier < 0 {
		return nil
	}
	line, err := c.load(f.tier)
	if err != nil {
		return err
	}
	tier, ok := jsonedit.Get(line, "serviceTier")
	switch {
	case !ok || jsonedit.IsNull(tier):
	case c.rules.Tier == spelling.TierByFamily:
		c.ServiceTier = tierByFamily(tier)
	default:
		c.ServiceTier = slices.Clone(tier)
	}
	return nil
}

// tierByFamily reads a tier as an object with a member for each family of
// models, nil where nothing of it is a tier (omp 18.2.3). The single words are
// those of older sessions.
func tierByFamily(tier entry.JSON) entry.JSON {
	families := []string{"openai", "anthropic", "google"}
	of := map[string]string{}
	if word, ok := jsonedit.String(tier); ok {
		switch word {
		case "priority":
			for _, family := range families {
				of[family] = word
			}
		case "openai-only":
			of["openai"] = "priority"
		case "claude-only":
			of["anthropic"] = "priority"
		case "auto", "default", "flex", "scale":
			of["openai"] = word
		}
	}
	var o jsonedit.Object
	for _, family := range families {
		word, ok := of[family]
		if !ok {
			word, _ = jsonedit.Text(tier, family)
		}
		switch word {
		case "auto", "default", "flex", "scale", "priority":
			o.String(family, word)
			of[family] = word
		}
	}
	if len(of) == 0 {
		return nil
	}
	return o.Value()
}
