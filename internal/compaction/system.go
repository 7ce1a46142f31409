package compaction

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/message"
)

// system is the system message that a sequence of them comes to (pi 0.87.1): texts
// follow each other, sections replace those of their name, tools are added and
// removed by name.
type system struct {
	seen     bool
	texts    []string
	sections []message.Section
	tools    []tool
}

type tool struct {
	name string
	json entry.JSON
}

func (s *system) add(msg entry.JSON) {
	m, err := message.Decode(msg)
	sys, ok := m.(*message.System)
	if err != nil || !ok {
		return
	}
	s.seen = true
	if text := message.Text(&message.User{Content: sys.Content}); text != "" {
		s.texts = append(s.texts, text)
	}
	for _, section := range sys.Sections {
		at := slices.IndexFunc(s.sections, func(old message.Section) bool { return old.Name == section.Name })
		switch {
		case section.Removed && at >= 0:
			s.sections = slices.Delete(s.sections, at, at+1)
		case section.Removed:
		case at >= 0:
			s.sections[at] = section
		default:
			s.sections = append(s.sections, section)
		}
	}
	for _, gone := range sys.ToolsRemoved {
		name, _ := jsonedit.Text(gone, "name")
		s.tools = slices.DeleteFunc(s.tools, func(t tool) bool { return t.name == name })
	}
	for _, added := range sys.ToolsAdded {
		name, _ := jsonedit.Text(added, "name")
		if at := slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name }); at >= 0 {
			s.tools[at].json = added
			continue
		}
		s.tools = append(s.tools, tool{name, added})
	}
}

// message returns the system message with the given timestamp, nil if there was
// none.
func (s *system) message(time int64) entry.JSON {
	if !s.seen {
		return nil
	}
	var o jsonedit.Object
	o.String("role", entry.RoleSystem.String()).String("content", strings.Join(s.texts, "\n\n"))
	if len(s.sections) > 0 {
		var sections jsonedit.Object
		for _, section := range s.sections {
			sections.String(section.Name, section.Text)
		}
		o.Add("sections", sections.Value())
	}
	if len(s.tools) > 0 {
		var tools jsonedit.Array
		for _, t := range s.tools {
			tools.Add(t.json)
		}
		o.Add("toolsAdded", tools.Value())
	}
	return o.Int("timestamp", time).Value()
}
