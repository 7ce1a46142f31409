package catalog

import (
	"iter"
	"slices"
)

// fewItems is how many items are put in order by comparing them.
const fewItems = 256

// order puts items in order, the greatest key first, and those with equal keys by
// sooner.
func order(all []item, sooner func(a, b *item) int) {
	if len(all) <= fewItems {
		slices.SortFunc(all, func(a, b item) int {
			switch {
			case a.key > b.key:
				return -1
			case a.key < b.key:
				return 1
			}
			return sooner(&a, &b)
		})
		return
	}
	byKey(all)
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end].key == all[start].key {
			end++
		}
		if end-start > 1 {
			slices.SortFunc(all[start:end], func(a, b item) int { return sooner(&a, &b) })
		}
		start = end
	}
}

// byKey distributes items by each 11 bits of their keys, from the last to the
// first.
func byKey(all []item) {
	const bits, mask = 11, 1<<11 - 1
	from, to := all, make([]item, len(all))
	swapped := false
	for shift := 0; shift < 64; shift += bits {
		var at [mask + 1]int32
		// The greatest comes first, and of the sign the other way round.
		digit := func(key int64) int { return int(^(uint64(key)^1<<63)>>shift) & mask }
		for i := range from {
			at[digit(from[i].key)]++
		}
		if at[digit(from[0].key)] == int32(len(from)) {
			continue // they do not differ here
		}
		sum := int32(0)
		for d, n := range at {
			at[d], sum = sum, sum+n
		}
		for i := range from {
			d := digit(from[i].key)
			to[at[d]] = from[i]
			at[d]++
		}
		from, to, swapped = to, from, !swapped
	}
	if swapped {
		copy(all, from)
	}
}

// sooner orders the items of a look whose files changed at the same time.
func (l *look) sooner(a, b *item) int {
	d, e := &l.folders[a.folder], &l.folders[b.folder]
	return comparePaths(e.dir, e.name(b.at), d.dir, d.name(a.at))
}

// inOrder puts the items in the order in which files are read: the one changed
// last first.
func (l *look) inOrder() { order(l.items, l.sooner) }

// newest yields the files as inOrder orders them, without putting more in order
// than is asked for.
func (l *look) newest() iter.Seq[file] {
	less := func(a, b *item) bool { return a.key > b.key || a.key == b.key && l.sooner(a, b) < 0 }
	return func(yield func(file) bool) {
		heap := l.items // each comes before those at 2i+1 and 2i+2
		down := func(at int) {
			for {
				next := 2*at + 1
				if next >= len(heap) {
					return
				}
				if next+1 < len(heap) && less(&heap[next+1], &heap[next]) {
					next++
				}
				if !less(&heap[next], &heap[at]) {
					return
				}
				heap[at], heap[next] = heap[next], heap[at]
				at = next
			}
		}
		for at := len(heap)/2 - 1; at >= 0; at-- {
			down(at)
		}
		for len(heap) > 0 {
			first := heap[0]
			if !yield(l.folders[first.folder].file(first.at)) {
				return
			}
			last := len(heap) - 1
			heap[0], heap = heap[last], heap[:last]
			down(0)
		}
	}
}
