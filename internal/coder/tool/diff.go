package tool

import (
	"fmt"
	"strings"
)

// A change is what differs between two texts, for screens.
type change struct {
	// Diff is in the unified form, without the names of files; cut where
	// DiffTruncated is set.
	Diff          string `json:"diff"`
	DiffTruncated bool   `json:"diffTruncated,omitzero"`
	// FirstChangedLine is a line of the new text, from 1; 0 for no change.
	FirstChangedLine int `json:"firstChangedLine"`
	Added            int `json:"added"`
	Removed          int `json:"removed"`
}

// The measures of diffs: lines around a change, bytes of a diff, and how many
// lines may differ before it is only said that everything between the first and
// the last of them was replaced.
const (
	diffContext = 3
	diffBytes   = MaxBytes
	diffEffort  = 1000
)

// compare returns how two texts differ, line by line.
func compare(before, after string) change {
	a, b := splitLines(before), splitLines(after)
	top := 0
	for top < len(a) && top < len(b) && a[top] == b[top] {
		top++
	}
	bottom := 0
	for bottom < len(a)-top && bottom < len(b)-top && a[len(a)-1-bottom] == b[len(b)-1-bottom] {
		bottom++
	}
	steps := shortest(a[top:len(a)-bottom], b[top:len(b)-bottom])
	d := &differ{a: a, b: b}
	for range min(top, diffContext) {
		d.steps = append(d.steps, ' ')
	}
	d.steps = append(d.steps, steps...)
	for range min(bottom, diffContext) {
		d.steps = append(d.steps, ' ')
	}
	return d.write(top - min(top, diffContext))
}

// splitLines returns the lines of a text with their ends.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// shortest returns the steps from a to b: ' ' for a line of both, '-' for one of
// a only, '+' for one of b only. It is the greedy algorithm of E. Myers, "An
// O(ND) difference algorithm and its variations" (1986).
func shortest(a, b []string) []byte {
	n, m := len(a), len(b)
	most := min(n+m, diffEffort)
	// far[k+most+1] is how far in a one comes on the diagonal k; paths are its
	// states before each round.
	far := make([]int32, 2*most+3)
	var paths [][]int32
	for d := 0; d <= most; d++ {
		paths = append(paths, append([]int32(nil), far[most-d:most+d+3]...))
		for k := -d; k <= d; k += 2 {
			at := most + 1 + k
			x := far[at-1] + 1
			if k == -d || k != d && far[at-1] < far[at+1] {
				x = far[at+1]
			}
			for int(x) < n && int(x)-k < m && a[x] == b[int(x)-k] {
				x++
			}
			far[at] = x
			if int(x) >= n && int(x)-k >= m {
				return trace(paths, n, m)
			}
		}
	}
	return append(repeat('-', n), repeat('+', m)...)
}

// trace goes back from the end of both to their beginning.
func trace(paths [][]int32, x, y int) []byte {
	var back []byte
	for d := len(paths) - 1; d >= 0; d-- {
		far := paths[d] // of the diagonals -d-1 to d+1
		at := func(k int) int { return int(far[k+d+1]) }
		k := x - y
		from := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			from = k + 1
		}
		px := at(from)
		py := px - from
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py {
			back = append(back, ' ')
			x, y = x-1, y-1
		}
		if x > px {
			back = append(back, '-')
			x--
		} else if y > py {
			back = append(back, '+')
			y--
		}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

func repeat(c byte, n int) []byte { return []byte(strings.Repeat(string(rune(c)), n)) }

// A differ writes a diff.
type differ struct {
	a, b  []string
	steps []byte
	out   strings.Builder
	change
}

// write writes the steps, which begin at the line skip of both texts.
func (d *differ) write(skip int) change {
	i, j := skip, skip
	for at := 0; at < len(d.steps); {
		if d.steps[at] == ' ' && !d.near(at) {
			at, i, j = at+1, i+1, j+1
			continue
		}
		end := at
		for end < len(d.steps) && (d.steps[end] != ' ' || d.near(end)) {
			end++
		}
		i, j = d.hunk(d.steps[at:end], i, j)
		at = end
	}
	d.Diff = clean(d.out.String())
	return d.change
}

// near reports whether a change is so near that a line is shown with it.
func (d *differ) near(at int) bool {
	for _, c := range d.steps[max(0, at-diffContext):min(len(d.steps), at+diffContext+1)] {
		if c != ' ' {
			return true
		}
	}
	return false
}

// hunk writes steps from the line i of a and j of b and returns where they end.
func (d *differ) hunk(steps []byte, i, j int) (int, int) {
	var body strings.Builder
	fromA, fromB := i, j
	changed := false
	for _, c := range steps {
		if c != ' ' {
			changed = true
			if d.FirstChangedLine == 0 {
				d.FirstChangedLine = j + 1
			}
		}
		line := ""
		switch c {
		case ' ':
			line = d.a[i]
			i, j = i+1, j+1
		case '-':
			line = d.a[i]
			i++
			d.Removed++
		case '+':
			line = d.b[j]
			j++
			d.Added++
		}
		if body.Len() > diffBytes {
			d.DiffTruncated = true
			continue
		}
		if len(line) > diffBytes {
			line, d.DiffTruncated = head(line, MaxLine)+"…\n", true
		}
		body.WriteByte(c)
		body.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	if d.DiffTruncated && d.out.Len() > 0 || !changed {
		return i, j
	}
	if d.out.Len()+body.Len() > diffBytes && d.out.Len() > 0 {
		d.DiffTruncated = true
		return i, j
	}
	fmt.Fprintf(&d.out, "@@ -%s +%s @@\n%s", span(fromA, i), span(fromB, j), body.String())
	return i, j
}

// span is lines from one to before another, counted from 0, as diffs name them.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
