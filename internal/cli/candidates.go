package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// candidateID is how much of an id is shown of a session to choose: for the ids
// of all programs that is the time to the millisecond, or more.
const candidateID = 13

// candidates returns a line about each of the sessions that an error names, so
// that one can be chosen; nil when it names none.
func (a *app) candidates(err error) []string {
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
		projects = max(projects, term.Width(projectCell(a, info.CWD, candidateProject)))
	}
	var lines []string
	for _, info := range all {
		line := strings.Join([]string{
			clip(info.ID, ids), term.Fit(string(info.Agent), agents), term.PadLeft(theme.Age(info.Modified, a.Now()), 3),
			term.Fit(projectCell(a, info.CWD, candidateProject), projects), rowName(info),
		}, "  ")
		lines = append(lines, term.Cut(term.Line(line), max(a.cols-len("hint: "), 60)))
	}
	return lines
}

// candidateProject is how many cells a project has in such a line.
const candidateProject = 20
