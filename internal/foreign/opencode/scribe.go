package opencode

import (
	"context"
	"path/filepath"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

var _ foreign.Scribe = (*program)(nil)

// Write returns a file for `opencode import`, which lies in the working directory: the
// database is OpenCode's. It has the branch of the leaf; OpenCode has no others.
func (p *program) Write(ctx context.Context, s foreign.Sheet) (foreign.Written, error) {
	at, parents := map[string]int{}, make([]string, len(s.Lines))
	for n, line := range s.Lines {
		id, _ := jsonedit.Text(line, "id")
		parents[n], _ = jsonedit.Text(line, "parentId")
		at[id] = n
	}
	way := make([]bool, len(s.Lines))
	for id := s.Leaf; ; {
		n, ok := at[id]
		if !ok || way[n] {
			break
		}
		way[n] = true
		id = parents[n]
	}
	var lines [][]byte
	var places []int
	left := map[int]convert.Reason{}
	for n, line := range s.Lines {
		if !way[n] {
			left[n] = foreign.Elsewhere
			continue
		}
		lines, places = append(lines, line), append(places, n)
	}
	list, err := entry.NewList(lines)
	if err != nil {
		return foreign.Written{}, err
	}
	branch := make([]entry.Entry, len(lines))
	for n := range branch {
		if branch[n], err = list.Entry(n); err != nil {
			return foreign.Written{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return foreign.Written{}, err
	}
	now, _ := jsonedit.ParseTime(s.Time)
	text, report := Write(entry.Header{ID: s.ID, Timestamp: s.Time, CWD: s.CWD, Title: s.Title}, branch, Options{Now: now})
	for _, item := range report.Items {
		if n := places[item.Position]; left[n] == "" {
			left[n] = item.Reason
		}
	}
	raw, _ := jsonedit.Path(text, "info", "id")
	id, _ := jsonedit.String(raw)
	return foreign.Written{ID: id, Name: filepath.Join(s.Env.Cwd, id+".json"), Text: append(text, '\n'), Left: left}, nil
}
