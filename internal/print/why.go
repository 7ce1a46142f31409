package print

import (
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
)

// jsonExplained is what is known of a session's place in the lists of its program.
type jsonExplained struct {
	Path    string       `json:"path"`
	Agent   string       `json:"agent"`
	Hidden  bool         `json:"hidden"`
	Reasons []jsonReason `json:"reasons"`
}

type jsonReason struct {
	Hides bool   `json:"hides"`
	What  string `json:"what"`
	Mend  string `json:"mend,omitzero"`
}

// Explained says why a session is not shown by its own program.
func Explained(c *console.Console, e work.Explained) error {
	j := jsonExplained{Path: e.Path, Agent: string(e.Agent), Reasons: []jsonReason{}}
	var text []string
	for _, r := range e.Reasons {
		j.Hidden = j.Hidden || r.Hides
		j.Reasons = append(j.Reasons, jsonReason(r))
		text = append(text, r.What)
		if r.Mend != "" {
			text = append(text, "  "+r.Mend)
		}
	}
	if c.JSON {
		return c.Emit(j)
	}
	if !j.Hidden {
		text = append([]string{"nothing is known that hides it from " + string(e.Agent)}, text...)
	}
	for _, line := range text {
		lines := []string{term.Line(line)}
		if c.TTY {
			lines = term.Wrap(lines[0], c.Cols)
		}
		for _, line := range lines {
			if _, err := c.Out.WriteString(line + "\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
