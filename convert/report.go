package convert

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
)

// A Reason says why an entry is in the report.
type Reason string

// An Item is one entry in a report.
type Item struct {
	// Entry is its id, "" for one that has none.
	Entry entry.ID `json:"id"`
	// Position is its place among the entries of the source, from 0.
	Position int `json:"-"`
	// Type is its type in the source.
	Type   string `json:"type"`
	Reason Reason `json:"reason"`
	// Changed reports that its line is not the stored one.
	Changed bool `json:"changed"`
}

// A Report says what a conversion did. It has an item for each entry and reason,
// in the order of the file.
type Report struct {
	From dialect.Name `json:"from"`
	To   dialect.Name `json:"to"`
	// Entries is how many entries the source has, Changed how many of them have
	// another line now, Added how many were added at the end, Dropped how many
	// that an earlier conversion had added were left out.
	Entries int `json:"entries"`
	Changed int `json:"changed"`
	Added   int `json:"added,omitzero"`
	Dropped int `json:"dropped,omitzero"`
	// Counts says how many entries each reason has.
	Counts map[Reason]int `json:"counts"`
	Items  []Item         `json:"items"`
}
