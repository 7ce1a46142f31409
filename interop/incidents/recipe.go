//go:build linux

package main

import (
	"slices"
	"strings"
)

// A Recipe is one of the 67 cases: what is done, how it came out when it was
// recorded, and the doing.
type Recipe struct {
	// ID is M01 to M67; What says in words what is done.
	ID, What string
	// Run carries it out and notes what it finds in the case. It is the same for
	// every program.
	Run func(c *Case)
	// Only names the programs on which it can be carried out; nil is all. The
	// others' cells are as recorded.
	Only []string
}

// on reports whether a recipe can be carried out on a program.
func (r Recipe) on(who string) bool { return r.Only == nil || slices.Contains(r.Only, who) }

// Recipes returns all 67, in the order of the published table.
func Recipes() []Recipe {
	all := slices.Concat(links(), headers(), damages(), contents(), specials(), changes(), writers(), kills(), failures(), rest())
	slices.SortFunc(all, func(a, b Recipe) int { return strings.Compare(a.ID, b.ID) })
	return all
}
