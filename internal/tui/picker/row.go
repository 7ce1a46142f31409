package picker

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	safe "github.com/cambium-dev/cambium/internal/term"
)

// A row is a session in the list.
type row struct {
	Item
	// name is what it is called, on one safe line; project the last part of its
	// directory.
	name, project string
	// lowerName to fields are what is searched: id, title, directory, path and
	// the first message, a line each. They are "" until they are wanted.
	lowerName, lowerProject, lowerFields, fields string

	// What came of the query seq: how much it counts, the terms that are not in
	// what is held of it, and where in name the others are, in bytes.
	seq     int
	score   float64
	missing uint64
	spots   [][2]int

	depth int // in the order by thread
}

// Bounds on what is held of a session, in bytes.
const (
	maxName  = 400
	maxFirst = 4 << 10 // what comes later is found in the texts
)

func newRow(item Item, texts bool) *row {
	r := &row{Item: item, seq: -1}
	info := &r.Info
	if texts && len(info.FirstMessage) > maxFirst {
		info.FirstMessage = strings.Clone(cutBytes(info.FirstMessage, maxFirst))
	}
	info.Text = "" // the texts are searched where they are
	name := strings.TrimSpace(info.Title)
	if name == "" {
		name = strings.TrimSpace(info.FirstMessage)
	}
	if info.Damaged && info.Messages == 0 && info.Detail != "" {
		name = "(" + info.Detail + ")"
	}
	r.name = strings.Join(strings.Fields(safe.Line(cutBytes(name, maxName))), " ")
	r.project = safe.Line(path.Base(info.CWD))
	if info.CWD == "" {
		r.project = ""
	}
	return r
}

// ready makes what is searched.
func (r *row) ready() {
	if r.fields != "" {
		return
	}
	i := &r.Info
	r.fields = i.ID + "\n" + i.Title + "\n" + i.CWD + "\n" + i.Path + "\n" + i.FirstMessage
	r.lowerFields = strings.ToLower(r.fields)
	r.lowerName, r.lowerProject = strings.ToLower(r.name), strings.ToLower(r.project)
}

// spot notes that the bytes from start to end of the name are found.
func (r *row) spot(start, end int) {
	r.spots = append(r.spots, [2]int{start, end})
}

// spotRunes notes that characters of the name are found.
func (r *row) spotRunes(places []int) {
	if utf8.RuneCountInString(r.lowerName) != utf8.RuneCountInString(r.name) {
		return
	}
	slices.Sort(places)
	n := 0
	for at, c := range r.name {
		if len(places) > 0 && places[0] == n {
			r.spot(at, at+utf8.RuneLen(c))
			places = places[1:]
		}
		n++
	}
}

// joined returns the spots in order, those that touch made one.
func (r *row) joined() [][2]int {
	slices.SortFunc(r.spots, func(a, b [2]int) int { return a[0] - b[0] })
	var all [][2]int
	for _, s := range r.spots {
		if n := len(all); n > 0 && s[0] <= all[n-1][1] {
			all[n-1][1] = max(all[n-1][1], s[1])
			continue
		}
		all = append(all, s)
	}
	return all
}

// cutBytes returns at most the first n bytes of s, no character cut in two.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
