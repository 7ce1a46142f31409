package search

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
)

// A limit says how much a session may have cost, in dollars.
type limit struct {
	least, below float64
}

// errLimit says how a limit is written.
var errLimit = errors.New("no such cost: say 5 or >=5 for five dollars or more, >5, <5 or <=5")

// readLimit reads a limit: 5, >=5, >5, <5 or <=5, with or without the sign of the dollar.
func readLimit(text string) (l limit, err error) {
	number := strings.TrimLeft(text, "<>=")
	sign := text[:len(text)-len(number)]
	n, err := strconv.ParseFloat(strings.TrimPrefix(number, "$"), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return limit{}, errLimit
	}
	after := math.Nextafter(n, math.Inf(1))
	switch sign {
	case "", ">=":
		return limit{least: n, below: math.Inf(1)}, nil
	case ">":
		return limit{least: after, below: math.Inf(1)}, nil
	case "<":
		return limit{below: n}, nil
	case "<=":
		return limit{below: after}, nil
	}
	return limit{}, errLimit
}

func (l limit) holds(cost float64) bool { return cost >= l.least && cost < l.below }

// traits are what has: asks whether a session has it.
var traits = map[string]func(*catalog.Info) bool{
	"name":     func(i *catalog.Info) bool { return i.Named },
	"branches": func(i *catalog.Info) bool { return len(i.Tips) > 0 },
	"parent":   func(i *catalog.Info) bool { return i.Parent != "" },
	"pin":      func(i *catalog.Info) bool { return i.Pinned },
	"damage":   func(i *catalog.Info) bool { return i.Damaged },
}

// A bound literal is found only in what a filter lets pass: file names in what was
// said to tools and by them, labels in labels.
type bound struct {
	*literal
	to key
}

func (b *bound) spans(t *passageText, most int) [][2]int {
	if b.to == byFile && len(t.passage.tools) == 0 || b.to == byLabel && t.passage.kind != entry.Label {
		return nil
	}
	return b.literal.spans(t, most)
}

// An either is found where any of its literals is.
type either []*bound

func (e either) spans(t *passageText, most int) (all [][2]int) {
	for _, b := range e {
		all = append(all, b.spans(t, most)...)
	}
	slices.SortFunc(all, func(a, b [2]int) int { return a[0] - b[0] })
	return all[:min(most, len(all))]
}

func (e either) may(folded []byte) bool {
	return slices.ContainsFunc(e, func(b *bound) bool { return b.may(folded) })
}

func (e either) marks() []uint32 {
	if len(e) == 1 {
		return e[0].marks()
	}
	return nil // they need not all be there
}
