package print

import (
	"maps"
	"slices"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// least is how narrow a column with a width of its own becomes where others need room.
const least = 4

// namable are the columns that can be asked for, by name. Those without a width share what
// the others leave.
func namable(c *console.Console, ids int) map[string]column {
	day := func(at func(catalog.Info) time.Time) func(catalog.Info) string {
		return func(i catalog.Info) string {
			if at(i).IsZero() {
				return ""
			}
			return at(i).In(c.Now().Location()).Format("2006-01-02 15:04")
		}
	}
	number := func(of func(catalog.Info) float64) func(catalog.Info) string {
		return func(i catalog.Info) string { return theme.Number(of(i)) }
	}
	return map[string]column{
		"age":      {title: "AGE", cells: 3, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Age(i.Modified, c.Now()) }},
		"changed":  {title: "CHANGED", cells: 16, style: dim, cell: day(func(i catalog.Info) time.Time { return i.Modified })},
		"created":  {title: "CREATED", cells: 16, style: dim, cell: day(func(i catalog.Info) time.Time { return i.Created })},
		"id":       {title: "ID", cells: ids, cell: func(i catalog.Info) string { return clip(i.ID, ids) }},
		"agent":    {title: "AGENT", cells: 7, style: dim, cell: func(i catalog.Info) string { return string(i.Agent) }},
		"messages": {title: "MSGS", cells: 4, right: true, cell: number(func(i catalog.Info) float64 { return float64(i.Messages) })},
		"size":     {title: "SIZE", cells: 4, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Size(i.Size) }},
		"tokens": {title: "TOKENS", cells: 6, right: true, cell: number(func(i catalog.Info) float64 {
			return i.Usage.Input + i.Usage.Output + i.Usage.CacheRead + i.Usage.CacheWrite
		})},
		"cost":      {title: "COST", cells: 6, right: true, style: dim, cell: func(i catalog.Info) string { return theme.Cost(i.Usage.Cost) }},
		"status":    {title: "STATUS", cells: 11, cell: rowStatus, style: statusStyle},
		"branches":  {title: "BRANCHES", cells: 8, right: true, cell: number(func(i catalog.Info) float64 { return float64(len(i.Tips) + 1) })},
		"directory": {title: "DIRECTORY", style: dim, cell: func(i catalog.Info) string { return tilde(c, i.CWD) }},
		"model":     {title: "MODEL", style: dim, cell: func(i catalog.Info) string { return i.Model }},
		"parent":    {title: "PARENT", style: dim, cell: func(i catalog.Info) string { return tilde(c, i.Parent) }},
		"path":      {title: "PATH", style: dim, cell: func(i catalog.Info) string { return tilde(c, i.Path) }},
		"name":      {title: "NAME", cell: rowName, style: nameStyle},
	}
}

// Columns returns the names of the columns that a table of sessions may have.
func Columns() []string { return slices.Sorted(maps.Keys(namable(&console.Console{}, shortID))) }

// namedColumns are the columns with these names, in this order, as wide as there is room.
func namedColumns(c *console.Console, ids int, names []string) (columns []column) {
	all := namable(c, ids)
	rest, free := width(c)-len(columnGap(c))*(len(names)-1), 0
	for _, name := range names {
		col := all[name]
		if columns = append(columns, col); col.cells == 0 {
			free++
		}
		rest -= col.cells
	}
	for rest < free*least { // the widest gives
		widest := 0
		for i := range columns {
			if columns[i].cells > columns[widest].cells {
				widest = i
			}
		}
		if columns[widest].cells <= least {
			break
		}
		columns[widest].cells--
		rest++
	}
	for i := range columns {
		if columns[i].cells == 0 {
			columns[i].cells = max(rest/free, least)
			rest -= rest / free
			free--
		}
	}
	sum := 0
	for i, col := range columns { // what has no room at all is not there
		if sum += col.cells; sum > width(c) {
			return columns[:i]
		}
		sum += len(columnGap(c))
	}
	return columns
}
