package print

import (
	"cmp"
	"fmt"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/work"
)

// jsonDraft is a session that never got its file.
type jsonDraft struct {
	ID           string `json:"id"`
	Path         string `json:"path"` // where its session belongs
	CWD          string `json:"cwd"`
	Agent        string `json:"agent"`
	Entries      int    `json:"entries"`
	Updated      string `json:"updatedAt"`
	FirstMessage string `json:"firstMessage"`
	File         string `json:"draft"`
	Busy         bool   `json:"busy,omitzero"`
	Damaged      bool   `json:"damaged,omitzero"`
}

// Draft prints one draft.
func Draft(c *console.Console, d work.Draft) error {
	said := cmp.Or(d.First, catalog.NoMessages)
	if c.JSON {
		return c.Emit(jsonDraft{
			ID: d.ID, Path: d.Path, CWD: d.CWD, Agent: d.Agent, Entries: d.Entries, Updated: Time(d.Modified),
			FirstMessage: said, File: d.File, Busy: d.Busy, Damaged: d.Damaged,
		})
	}
	note := term.Plural(d.Entries, "entry")
	switch {
	case d.Busy:
		note = "busy"
	case d.Damaged:
		note = "damaged"
	}
	updated := ""
	if !d.Modified.IsZero() {
		updated = when(d.Modified, c.Now())
	}
	line := fmt.Sprintf("%s  %-10s  %-7s  %-10s  %s  %s", d.ID, updated, d.Agent, note, tilde(c, d.CWD), transcript.OneLine(said))
	return c.Line(line)
}

// jsonOperation is something that was done to a session, or taken back.
type jsonOperation struct {
	Op   string `json:"op"`
	ID   string `json:"undoId"`
	Path string `json:"path"`
	At   string `json:"at"`
}

// Operation prints one line about an operation: its id, kind, time, and where
// the session is, or was.
func Operation(c *console.Console, o state.Operation, path string) error {
	if c.JSON {
		return c.Emit(jsonOperation{Op: string(o.Op), ID: o.ID, Path: path, At: Time(o.At)})
	}
	kind := string(o.Op)
	if kind == "" {
		kind = "?"
	}
	_, err := fmt.Fprintf(c.Out, "%s  %-8s  %-10s  %s\n", term.Line(o.ID), term.Line(kind), when(o.At, c.Now()), term.Line(path))
	return err
}
