package journal

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
)

// Duplicates lists the ids of several entries, in the order of their first.
func Duplicates(list *entry.List) []defects.Duplicate {
	var all []defects.Duplicate
	at := map[string]int{}
	for i := range list.Len() {
		twin := list.Twin(i)
		if twin < 0 {
			continue
		}
		id, _ := list.ID(i)
		n, ok := at[id]
		if !ok {
			n = len(all)
			at[id] = n
			all = append(all, defects.Duplicate{ID: id, Lines: []int{list.At(twin).Line}})
		}
		all[n].Lines = append(all[n].Lines, list.At(i).Line)
	}
	return all
}
