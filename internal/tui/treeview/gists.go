package treeview

// gistsMost is how many gists are kept; what scrolls by beyond that is asked for
// again.
const gistsMost = 5000

// A gists is what is known of what entries say, in short.
type gists struct {
	known map[int]Gist
	asked map[int]bool // those that are on their way
}

func newGists() gists { return gists{known: map[int]Gist{}, asked: map[int]bool{}} }

// learn keeps some.
func (g *gists) learn(all []Gist) {
	if len(g.known)+len(all) > gistsMost {
		g.known = map[int]Gist{}
	}
	for _, one := range all {
		g.known[one.Entry] = one
		delete(g.asked, one.Entry)
	}
}

// missing reports whether that of an entry is neither known nor on its way.
func (g *gists) missing(at int) bool {
	_, known := g.known[at]
	return !known && !g.asked[at]
}

// ask notes which are on their way.
func (g *gists) ask(entries []int) {
	for _, at := range entries {
		g.asked[at] = true
	}
}
