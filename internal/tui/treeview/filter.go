package treeview

import "github.com/cambium-dev/cambium/entry"

// A Filter says which kinds of entry are shown. The names and what they mean are
// those of pi 0.87.
type Filter uint8

// The filters.
const (
	// Default shows what was said, and where the story was cut or left;
	// settings, labels and records are hidden.
	Default Filter = iota
	// NoTools is Default without the results of tools.
	NoTools
	// UserOnly shows what the user said.
	UserOnly
	// LabeledOnly shows the entries with a label.
	LabeledOnly
	// All shows every entry.
	All
	filters // how many there are
)

// String returns the name of the filter as pi spells it.
func (f Filter) String() string {
	switch f {
	case NoTools:
		return "no-tools"
	case UserOnly:
		return "user-only"
	case LabeledOnly:
		return "labeled-only"
	case All:
		return "all"
	}
	return "default"
}

// passes reports whether entry i is shown.
func (f Filter) passes(o *Outline, i int) bool {
	switch f {
	case All:
		return true
	case LabeledOnly:
		return o.Label(i) != ""
	case UserOnly:
		return o.index.Role(i) == entry.RoleUser
	case NoTools:
		if o.index.Role(i) == entry.RoleToolResult && i != o.leaf {
			return false
		}
	}
	return said(o.index.Kind(i)) || i == o.leaf || o.Label(i) != ""
}

// said reports whether entries of a kind hold something to read.
func said(k entry.Kind) bool {
	switch k {
	case entry.Message, entry.CustomMessage, entry.BranchSummary, entry.Compaction, entry.ResetBoundary, entry.SessionInit, entry.Unknown:
		return true
	}
	return false
}
