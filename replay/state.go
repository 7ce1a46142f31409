package replay

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Shape is a form of the state as JSON.
type Shape uint8

const (
	// OwnShape has the members that the dialect's program returns from
	// buildSessionContext, absent where that leaves them undefined.
	OwnShape Shape = iota
	// FullShape has the same members for every dialect: thinkingLevel, model
	// (an object or null), models, injectedTtsrRules, mode and modeData (null
	// when there is none), and further state where the branch sets it.
	FullShape
)

// AppendState appends the state, without the messages, as members of a JSON
// object: "thinkingLevel":"off","model":null and so on, without braces.
func (c *Context) AppendState(dst []byte, shape Shape) []byte {
	var o jsonedit.Object
	if shape == FullShape {
		c.fullState(&o)
	} else {
		c.ownState(&o)
	}
	text := o.Value()
	return append(dst, text[1:len(text)-1]...)
}

func (c *Context) ownState(o *jsonedit.Object) {
	acts := c.rules.Acts.Has
	o.String("thinkingLevel", c.ThinkingLevel)
	if c.Configured != nil {
		o.String("configuredThinkingLevel", *c.Configured)
	}
	o.Add("serviceTier", c.ServiceTier)
	if c.rules.SingleModel {
		c.addModel(o)
	} else {
		o.Add("models", c.models())
	}
	if acts(entry.TTSRInjection) {
		o.Add("injectedTtsrRules", jsonedit.Strings(c.TTSRRules...))
	}
	if acts(entry.MCPToolSelection) {
		o.Add("selectedMCPToolNames", jsonedit.Strings(c.MCPTools...))
		o.Bool("hasPersistedMCPToolSelection", c.HasMCPSelection)
	}
	if acts(entry.ModeChange) {
		o.String("mode", c.Mode)
		o.Add("modeData", c.ModeData)
	}
}

func (c *Context) fullState(o *jsonedit.Object) {
	o.String("thinkingLevel", c.ThinkingLevel)
	c.addModel(o)
	o.Add("models", c.models())
	o.Add("injectedTtsrRules", jsonedit.Strings(c.TTSRRules...))
	o.String("mode", c.Mode)
	if c.ModeData != nil {
		o.Add("modeData", c.ModeData)
	} else {
		o.Null("modeData")
	}
	if c.Configured != nil {
		o.String("configuredThinkingLevel", *c.Configured)
	}
	o.Add("serviceTier", c.ServiceTier)
	if c.HasMCPSelection {
		o.Add("selectedMCPToolNames", jsonedit.Strings(c.MCPTools...))
		o.Bool("hasPersistedMCPToolSelection", true)
	}
}

func (c *Context) addModel(o *jsonedit.Object) {
	if c.Model == nil {
		o.Null("model")
		return
	}
	var m jsonedit.Object
	o.Add("model", m.String("provider", c.Model.Provider).String("modelId", c.Model.ModelID).Value())
}

func (c *Context) models() entry.JSON {
	var o jsonedit.Object
	for _, m := range c.Models {
		o.String(m.Role, m.Model)
	}
	return o.Value()
}
