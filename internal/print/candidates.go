package print

import (
	"errors"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// candidateID is how much of an id is shown of a session to choose: for the ids
// of all programs that is the time to the millisecond, or more.
const candidateID = 13

// Candidates returns a line about each of the sessions that an error names, so
// that one can be chosen; nil when it names none.
func Candidates(c *console.Console, err error) []string {
	var (
		several *catalog.Ambiguous
		none    *catalog.NotFound
		all     []catalog.Info
	)
	switch {
	case errors.As(err, &several):
		all = several.Candidates
	case errors.As(err, &none):
		all = none.Like
	}
	ids := max(candidateID, idCells(slices.Values(all)))
	var agents, projects int
	for _, info := range all {
		agents = max(agents, len(info.Agent))
		projects = max(projects, term.Width(projectCell(c, info.CWD, candidateProject)))
	}
	var lines []string
	for _, info := range all {
		line := strings.Join([]string{
			clip(info.ID, ids), term.Fit(string(info.Agent), agents), term.PadLeft(theme.Age(info.Modified, c.Now()), 3),
			term.Fit(projectCell(c, info.CWD, candidateProject), projects), rowName(info),
		}, "  ")
		lines = append(lines, term.Cut(term.Line(line), max(c.Cols-len("hint: "), 60)))
	}
	return lines
}

// candidateProject is how many cells a project has in such a line.
const candidateProject = 20
