package coder

import (
	"context"
	"maps"
	"reflect"
	"strings"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/internal/coder/tool"
)

// An equipment is what the model may call in one turn.
type equipment struct {
	tools map[string]tool.Tool
	specs []provider.Tool // in the order in which it is told of them
}

// equip makes an equipment of tools; of two of one name the first counts.
func equip(all []tool.Tool) equipment {
	e := equipment{tools: map[string]tool.Tool{}}
	for _, t := range all {
		spec := t.Spec()
		if _, twice := e.tools[spec.Name]; !twice {
			e.tools[spec.Name] = t
			e.specs = append(e.specs, spec)
		}
	}
	return e
}

// equipment returns that of the present turn.
func (c *Coder) equipment() equipment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools
}

// equipMore takes the tools of Options.More for the turn that begins.
func (c *Coder) equipMore(ctx context.Context) {
	if c.opt.More == nil {
		return
	}
	own := equip(c.opt.Tools)
	e := equip(append(c.opt.Tools[:len(c.opt.Tools):len(c.opt.Tools)], c.opt.More.Tools(ctx)...))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.always = maps.Clone(c.now.always)
	maps.DeleteFunc(c.now.always, func(name string, _ bool) bool { // a person meant the tool, not its name
		return own.tools[name] == nil && !same(c.tools.tools[name], e.tools[name])
	})
	c.tools = e
}

// same reports whether two tools are one.
func same(x, y tool.Tool) bool {
	a, b := reflect.ValueOf(x), reflect.ValueOf(y)
	return a.Kind() == reflect.Pointer && b.Kind() == reflect.Pointer && a.Pointer() == b.Pointer()
}

// toolNames are the names of the tools, for a model.
func (c *Coder) toolNames() string {
	var names []string
	for _, s := range c.equipment().specs {
		names = append(names, s.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
