package replay

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// DefaultRole is the role of the model that answers when no other is named.
const DefaultRole = "default"

// A Model names a model of a provider.
type Model struct{ Provider, ModelID string }

// A RoleModel is the model of one role, as "provider/id".
type RoleModel struct{ Role, Model string }

// A Context is what the model sees at the end of a branch, and the state that
// goes with it. The fields are set by [Build]. A Context is not safe for
// concurrent use.
type Context struct {
	// ThinkingLevel is the level in effect, "off" by default.
	ThinkingLevel string
	// Configured is the level that was chosen, "auto" among them; nil when
	// none was or the dialect does not keep it.
	Configured *string
	// Model is the model in effect, nil when nothing names one.
	Model *Model
	// Models are the models by role, in the order in which the roles came up.
	Models []RoleModel
	// ServiceTier is the tier as JSON, nil when none is set.
	ServiceTier entry.JSON
	// TTSRRules are the rules injected so far, each once, in order.
	TTSRRules []string
	// MCPTools are the tools last selected, if HasMCPSelection.
	MCPTools        []string
	HasMCPSelection bool
	// Mode is the mode, "none" by default, and ModeData what belongs to it as it
	// is stored, a null too; nil when nothing is.
	Mode     string
	ModeData entry.JSON

	list  *entry.List
	path  []int
	rules spelling.Rules

	cut     int // place on the path of the compaction in effect, or -1
	reset   int // place on the path of the last reset, or -1
	summary *summary
	plan    []step
	edits   map[string]edit
	pruned  bool
	// answered are the calls that have a result, once pruned.
	answered map[string]bool
	flagged  []int
}

// Build rebuilds the context of a branch. path holds positions in l from the
// root to the leaf, as package tree gives them; an empty path gives the default
// state. It loads entries that hold settings, the last answer if that names the
// model, and the compaction in effect; no other body. The context keeps l and
// path. The error is that of an entry that cannot be loaded.
func Build[F form](l *entry.List, path []int, rules F) (*Context, error) {
	c := &Context{
		ThinkingLevel: "off", Mode: "none",
		list: l, path: path, rules: rulesOf(rules), cut: -1, reset: -1,
	}
	f := c.survey()
	for _, read := range []func(*found) error{
		c.readThinking, c.readModels, c.readTier, c.readRules, c.readTools, c.readMode,
	} {
		if err := read(f); err != nil {
			return nil, err
		}
	}
	if err := c.choose(); err != nil {
		return nil, err
	}
	if err := c.readEdits(f); err != nil {
		return nil, err
	}
	if err := c.readNotes(f); err != nil {
		return nil, err
	}
	return c, nil
}

// found are the positions of entries with settings on the path.
type found struct {
	thinking, tier, tools, mode int // the last of each, or -1
	models, ttsr, edits, notes  []int
	// firstAnswer is where on the path the first answer stands, or -1.
	firstAnswer int
}

// survey looks over the path without loading anything.
func (c *Context) survey() *found {
	f := &found{thinking: -1, tier: -1, tools: -1, mode: -1, firstAnswer: -1}
	for at, i := range c.path {
		kind := c.list.Kind(i)
		if kind == entry.Message {
			if f.firstAnswer < 0 && c.list.Role(i) == entry.RoleAssistant {
				f.firstAnswer = at
			}
			continue
		}
		if !c.rules.Acts.Has(kind) {
			continue
		}
		switch kind {
		case entry.ThinkingLevelChange:
			f.thinking = i
		case entry.ModelChange:
			f.models = append(f.models, at)
		case entry.ServiceTierChange:
			f.tier = i
		case entry.TTSRInjection:
			f.ttsr = append(f.ttsr, i)
		case entry.MCPToolSelection:
			f.tools = i
		case entry.ModeChange:
			f.mode = i
		case entry.Compaction:
			c.cut = at
		case entry.ResetBoundary:
			c.reset = at
		case entry.ContextEdit:
			f.edits = append(f.edits, at)
		case entry.Custom:
			c.surveyCustom(f, at, i)
		}
	}
	return f
}

func (c *Context) surveyCustom(f *found, at, i int) {
	if c.rules.EditType == "" && c.rules.NotesType == "" {
		return
	}
	switch ref := c.list.Ref(i); {
	case ref == "":
	case ref == c.rules.EditType:
		f.edits = append(f.edits, at)
	case ref == c.rules.NotesType:
		f.notes = append(f.notes, at)
	}
}

// Flagged returns, in ascending order, the positions of entries met so far
// whose content has not the type it must have. It is complete when
// [Context.Messages] has run to its end.
func (c *Context) Flagged() []int {
	slices.Sort(c.flagged)
	c.flagged = slices.Compact(c.flagged)
	return slices.Clone(c.flagged)
}

func (c *Context) flag(i int) { c.flagged = append(c.flagged, i) }

// Cut returns the position of the compaction in effect, or -1.
func (c *Context) Cut() int {
	if c.summary == nil {
		return -1
	}
	return c.summary.at
}

// Leaf returns the position of the last entry of the branch, -1 for none.
func (c *Context) Leaf() int {
	if len(c.path) == 0 {
		return -1
	}
	return c.path[len(c.path)-1]
}

// View returns the entries that the context was built of and the path from the root
// to its leaf, as positions in them. Both stay as they are, and must not be changed.
func (c *Context) View() (list *entry.List, path []int) { return c.list, c.path }

// load returns the line of entry i.
func (c *Context) load(i int) (entry.JSON, error) { return c.list.Load(i) }

// body returns the raw message of message entry i, nil where it has none.
func (c *Context) body(i int) (entry.JSON, error) {
	line, err := c.list.Load(i)
	if err != nil {
		return nil, err
	}
	return c.bodyIn(i, line), nil
}

// bodyIn returns the message in the line of message entry i.
func (c *Context) bodyIn(i int, line entry.JSON) entry.JSON {
	// The index knows where the message stands in the stored line. A line that
	// was migrated or completed on its way here has another length, or is read
	// anew to be sure.
	span := c.list.Body(i)
	if span.End > span.Start && c.list.At(i).Len == int64(len(line)) &&
		span.End < len(line) && line[span.Start] == '{' && line[span.End-1] == '}' {
		return line[span.Start:span.End]
	}
	body, ok := jsonedit.Get(line, "message")
	if !ok || jsonedit.Kind(body) != '{' {
		return nil
	}
	return body
}
