package compaction

import (
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// A Cut is where a branch is cut.
type Cut struct {
	// First is the position of the first entry to keep, Turn that of the entry
	// at which the turn begins that the cut splits; -1 for none.
	First, Turn int
}

// CutAt returns where the branch is cut to keep about so many tokens of what is
// newest. First is the oldest entry that is not compacted away when there is no
// point to cut at.
func (r Rules) CutAt(l *entry.List, path []int, keep int) (Cut, error) {
	v, err := r.look(l, path)
	if err != nil || len(v.items) == 0 {
		return Cut{-1, -1}, err
	}
	c := v.cut(keep)
	out := Cut{First: v.items[c.first].entry, Turn: -1}
	if c.turn >= 0 {
		out.Turn = v.items[c.turn].entry
	}
	return out, nil
}

// cut is a Cut by numbers of items.
type cut struct {
	point, first int // the cut point, and what the kept part begins with
	turn         int // where the split turn begins, or -1
}

func (v *view) cut(keep int) cut {
	points := v.points()
	if len(points) == 0 {
		return cut{turn: -1}
	}
	var point int
	if v.rules.cutting.groups {
		point = v.walkGroups(points, keep)
	} else {
		point = v.walk(points, keep)
	}
	c := cut{point: point, first: v.back(point)}
	at := c.first
	if v.rules.cutting.atPoint {
		at = c.point
	}
	c.turn = v.turn(at)
	return c
}

// points returns the numbers of the items at which to cut, in order.
func (v *view) points() []int {
	var points []int
	for k := range v.items {
		it := &v.items[k]
		if it.named && it.gives && (it.kind != entry.Message || v.rules.cutting.points.has(it.role)) {
			points = append(points, k)
		}
	}
	return points
}

// counts reports whether the tokens of an item count.
func (v *view) counts(it *item) bool {
	return it.gives && (it.kind == entry.Message || !v.rules.cutting.entries)
}

// walk adds up from the newest item until the budget is reached and returns the
// first point from there on (pi 0.87.1, xcsh 17.4.4).
func (v *view) walk(points []int, keep int) int {
	total := 0
	for k := len(v.items) - 1; k >= 0; k-- {
		it := &v.items[k]
		if !v.counts(it) || it.tokens == 0 {
			continue
		}
		if total += it.tokens; total < keep {
			continue
		}
		point := -1
		for _, p := range points {
			if p >= k {
				point = p
				break
			}
		}
		switch {
		case point >= 0:
		case v.rules.cutting.last:
			point = points[len(points)-1]
		default:
			point = points[0]
		}
		if v.rules.cutting.omitted && v.omitted(point+1) {
			point++
		}
		return point
	}
	return points[0]
}

// walkGroups keeps whole groups while they fit, and the newest always
// (omp 18.2.3).
func (v *view) walkGroups(points []int, keep int) int {
	next := len(points) - 1
	point, total := points[next], 0
	for k := len(v.items) - 1; k >= 0 && next >= 0; k-- {
		if v.counts(&v.items[k]) {
			total += v.items[k].tokens
		}
		if k != points[next] {
			continue
		}
		if total > keep {
			break
		}
		point = k
		next--
	}
	return point
}

// omitted reports whether the items from k on are nothing but answers that edits
// took away, at least one, and what the model never sees (pi 0.87.1).
func (v *view) omitted(k int) bool {
	gone := map[string]bool{}
	answer := false
	for _, it := range v.items[min(k, len(v.items)):] {
		if it.kind == entry.Compaction || it.gives {
			return false
		}
		if it.kind == entry.Message || it.kind == entry.CustomMessage {
			id, _ := v.list.ID(it.entry)
			gone[id] = true
			answer = answer || v.list.Role(it.entry) == entry.RoleAssistant
		}
	}
	if !answer {
		return false
	}
	for _, it := range v.items[k:] {
		if it.kind != entry.ContextEdit {
			continue
		}
		line, err := v.list.Load(it.entry)
		if err != nil {
			return false
		}
		target, _ := jsonedit.Text(line, "targetId")
		if with, _ := jsonedit.Get(line, "replacement"); !jsonedit.IsNull(with) && !gone[target] {
			return false
		}
	}
	return v.items[k].named
}

// back moves a cut back over entries that give no message, settings and labels,
// which then stand with what they were made for.
func (v *view) back(point int) int {
	for point > 0 {
		prev := &v.items[point-1]
		if prev.kind == entry.Compaction || prev.kind == entry.ResetBoundary || !prev.named {
			break
		}
		if v.rules.cutting.backOver && prev.kind == entry.Message || !v.rules.cutting.backOver && prev.gives {
			break
		}
		point--
	}
	return point
}

// turn returns where the turn begins that a cut at item k splits, -1 for none.
func (v *view) turn(k int) int {
	it := &v.items[k]
	if split := v.rules.cutting.split; split != 0 {
		if it.kind == entry.Message && split.has(it.role) {
			return -1
		}
	} else if v.starts(it) {
		return -1
	}
	for ; k >= 0; k-- {
		if v.starts(&v.items[k]) {
			return k
		}
	}
	return -1
}

// starts reports whether an item begins a turn.
func (v *view) starts(it *item) bool {
	return it.gives && (it.kind != entry.Message || v.rules.cutting.starts.has(it.role))
}

// tokens returns the estimates of all messages that count.
func (v *view) tokens() int {
	n := 0
	for k := range v.items {
		if v.counts(&v.items[k]) {
			n += v.items[k].tokens
		}
	}
	return n
}

// lastPrompt returns how many tokens the request had to which the last answer on
// the path belongs that ended well, compacted or not; 0 for none.
func (v *view) lastPrompt() (int, error) {
	for at := len(v.path) - 1; at >= 0; at-- {
		i := v.path[at]
		if v.list.Kind(i) != entry.Message || v.list.Role(i) != entry.RoleAssistant {
			continue
		}
		line, err := v.list.Load(i)
		if err != nil {
			return 0, err
		}
		body, _ := jsonedit.Get(line, "message")
		if usage := usageOf(replay.Message{Role: entry.RoleAssistant, JSON: body}); usage != nil {
			return promptTokens(usage), nil
		}
	}
	return 0, nil
}

// keep returns how many tokens to keep: fewer where the provider counts more
// than is estimated, as its count includes what no entry holds.
func (v *view) keep(s compact.Settings) (int, error) {
	keep := keepTokens(s)
	if !v.rules.scaled {
		return keep, nil
	}
	prompt, err := v.lastPrompt()
	if err != nil {
		return 0, err
	}
	if estimate := v.tokens(); estimate > 0 && prompt > estimate {
		keep = max(1, int(float64(keep)/(float64(prompt)/float64(estimate))))
	}
	return keep, nil
}
