package print

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/repair"
	"github.com/dustin/go-humanize"
)

// jsonFinding is a finding as --json prints it.
type jsonFinding struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Line    int    `json:"line,omitzero"`
	Byte    *int64 `json:"byte,omitzero"`
	Detail  string `json:"detail"`
	Plan    string `json:"plan"`
	Note    bool   `json:"note,omitzero"` // nothing is wrong
	Fixable bool   `json:"fixable"`
	Fixed   bool   `json:"fixed"`
	UndoID  string `json:"undoId,omitzero"`
}

func findingLine(f repair.Finding) jsonFinding {
	j := jsonFinding{
		Path: f.Path, Kind: string(f.Kind), Line: f.Line, Detail: f.Detail, Plan: f.Plan, Note: f.Note,
		Fixable: f.Fixable, Fixed: f.Fixed, UndoID: f.UndoID,
	}
	if f.Byte >= 0 {
		j.Byte = &f.Byte
	}
	return j
}

// Findings prints what was found in a file.
func Findings(c *console.Console, r *repair.Report) error {
	if c.JSON || len(r.Findings) == 0 {
		var err error
		for _, f := range r.Findings {
			err = errors.Join(err, c.Emit(findingLine(f)))
		}
		return err
	}
	lines := []string{term.Line(r.Path)}
	var undo []string
	for _, f := range r.Findings {
		where := string(f.Kind)
		if f.Line > 0 {
			where = fmt.Sprintf("line %d", f.Line)
			if f.Byte >= 0 {
				where += fmt.Sprintf(", byte %d", f.Byte)
			}
			where += ": " + string(f.Kind)
		}
		what := "plan"
		switch {
		case f.Note:
			what = "note"
		case f.Fixed:
			what = "done"
		}
		lines = append(lines, "  "+term.Line(where+": "+f.Detail), "    "+term.Line(what+": "+f.Plan))
		if f.UndoID != "" && (len(undo) == 0 || undo[len(undo)-1] != f.UndoID) {
			undo = append(undo, f.UndoID)
		}
	}
	for _, id := range undo {
		lines = append(lines, "  undo: cambium undo "+id)
	}
	_, err := fmt.Fprintln(c.Out, strings.Join(lines, "\n"))
	return err
}

// jsonUsage is a row of doctor --usage.
type jsonUsage struct {
	Kind       string `json:"kind"`
	Path       string `json:"path"`
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`
	WasteFiles int    `json:"removable"`
	WasteBytes int64  `json:"removableBytes"`
	Policy     string `json:"policy"`
}

// jsonWaste is what doctor --clean takes away.
type jsonWaste struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Why     string `json:"why"`
	Removed bool   `json:"removed"`
}

// Usage prints what something takes.
func Usage(c *console.Console, u state.Usage) error {
	j := jsonUsage{Kind: u.Kind, Path: u.Dir, Files: u.Files, Bytes: u.Bytes, WasteFiles: len(u.Waste), Policy: u.Policy}
	for _, w := range u.Waste {
		j.WasteBytes += w.Bytes
	}
	if c.JSON {
		return c.Emit(j)
	}
	text := fmt.Sprintf("%-10s  %10s in %s", u.Kind, humanize.IBytes(uint64(u.Bytes)), term.Plural(u.Files, "file"))
	if len(u.Waste) > 0 {
		text += fmt.Sprintf("; %s (%d) can go", humanize.IBytes(uint64(j.WasteBytes)), len(u.Waste))
	}
	_, err := fmt.Fprintf(c.Out, "%s\n            %s\n", text, u.Policy)
	return err
}

// Waste prints one thing that is, or would be, taken away.
func Waste(c *console.Console, kind string, w state.Waste, removed bool) error {
	if c.JSON {
		return c.Emit(jsonWaste{Kind: kind, Path: w.Path, Bytes: w.Bytes, Why: w.Why, Removed: removed})
	}
	_, err := fmt.Fprintf(c.Out, "%-10s  %10s  %s  (%s)\n", kind, humanize.IBytes(uint64(w.Bytes)), term.Line(w.Path), term.Line(w.Why))
	return err
}
