package tool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// occurrences counts where a text is in another, overlapping ones too.
func occurrences(text, part string) int {
	n := 0
	for i := range len(text) - len(part) + 1 {
		if strings.HasPrefix(text[i:], part) {
			n++
		}
	}
	return n
}

// TestApplyModel applies edits to files of every kind of lines, and to a model
// that has the text in pieces.
func TestApplyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "é", " ", "\n", "\t", "x1", "\n\n", "\xff"}), 0, 12).Draw(t, name), "")
		}
		// Pieces take turns: what stays, what is replaced.
		var before, after strings.Builder
		var edits []replacement
		n := rapid.IntRange(1, 5).Draw(t, "edits")
		for i := range n {
			stays, oldText, newText := text("stays"), text("old"), text("new")
			// Most old texts are unique.
			if rapid.IntRange(0, 9).Draw(t, "mark it") > 0 {
				oldText += fmt.Sprintf("<%d>", i)
			}
			before.WriteString(stays + oldText)
			after.WriteString(stays + newText)
			edits = append(edits, replacement{oldText, newText})
		}
		rest := text("rest")
		before.WriteString(rest)
		after.WriteString(rest)
		possible := before.String() != after.String()
		for _, e := range edits {
			possible = possible && e.OldText != "" && occurrences(before.String(), e.OldText) == 1
		}
		edits = rapid.Permutation(edits).Draw(t, "order")

		original, want := before.String(), after.String()
		if rapid.Bool().Draw(t, "windows") && strings.Contains(original, "\n") {
			original, want = strings.ReplaceAll(original, "\n", "\r\n"), strings.ReplaceAll(want, "\n", "\r\n")
			if rapid.Bool().Draw(t, "given as such") {
				for i, e := range edits {
					edits[i] = replacement{strings.ReplaceAll(e.OldText, "\n", "\r\n"), strings.ReplaceAll(e.NewText, "\n", "\r\n")}
				}
			}
		}
		if rapid.Bool().Draw(t, "mark") {
			original, want = byteOrderMark+original, byteOrderMark+want
		}
		got, err := apply(original, edits)
		if possible != (err == nil) {
			t.Fatalf("apply(%q, %q): %v", original, edits, err)
		}
		if possible && got != want {
			t.Fatalf("apply(%q, %q)\n got %q\nwant %q", original, edits, got, want)
		}
	})
}

// TestApplyMixed edits lines with mixed ends: all but the edited stay.
func TestApplyMixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\r\n"}), 1, 8).Draw(t, "ends")
		at := rapid.IntRange(0, len(ends)-1).Draw(t, "line")
		var before, after strings.Builder
		for i, end := range ends {
			fmt.Fprintf(&before, "line %d.%s", i, end)
			if i == at {
				fmt.Fprintf(&after, "new%sline.%s", end, end)
			} else {
				fmt.Fprintf(&after, "line %d.%s", i, end)
			}
		}
		got, err := apply(before.String(), []replacement{{fmt.Sprintf("line %d.\n", at), "new\nline.\n"}})
		if err != nil || got != after.String() {
			t.Fatalf("got %q, %v, want %q", got, err, after.String())
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "a", "x", "c", "y")
	f.Add("\ufeffa\r\nb\r\n", "a\r\nb", "x\n", "\n", "")
	f.Add("aaa", "aa", "", "a", "b")
	f.Add("a\r\nb\n", "\r\n", "\n", "b\n", "\r")
	f.Add("", "", "", "", "")
	f.Add("\xff\r\n\r", "\r", "\r\n", "\xff", "\ufeff")
	f.Fuzz(func(t *testing.T, original, old1, new1, old2, new2 string) {
		edits := []replacement{{old1, new1}, {old2, new2}}
		one, err := apply(original, edits)
		slices.Reverse(edits)
		other, err2 := apply(original, edits)
		if one != other || (err == nil) != (err2 == nil) {
			t.Fatalf("the order matters: %q, %v; %q, %v", one, err, other, err2)
		}
		if err != nil {
			return
		}
		if c := compare(original, one); c.FirstChangedLine == 0 || c.Diff == "" {
			t.Fatalf("no change from %q to %q: %+v", original, one, c)
		}
		if strings.ContainsRune(original, '\r') || strings.ContainsRune(old1+new1+old2+new2, '\r') || strings.Contains(original, byteOrderMark) {
			return
		}
		i, j := strings.Index(original, old1), strings.Index(original, old2)
		first, second := replacement{old1, new1}, replacement{old2, new2}
		if i > j {
			i, j, first, second = j, i, second, first
		}
		want := original[:i] + first.NewText + original[i+len(first.OldText):j] + second.NewText + original[j+len(second.OldText):]
		if one != want {
			t.Fatalf("got %q, want %q", one, want)
		}
	})
}

// patch does what a diff says.
func patch(t *rapid.T, before, diff string) string {
	lines := splitLines(before)
	var out strings.Builder
	at := 0
	steps := splitLines(diff)
	for i := 0; i < len(steps); i++ {
		line := steps[i]
		if strings.HasPrefix(line, "@@ -") {
			from, n, _ := strings.Cut(strings.Fields(line)[1][1:], ",")
			start, err := strconv.Atoi(from)
			if err != nil {
				t.Fatalf("hunk %q: %v", line, err)
			}
			if n != "0" {
				start--
			}
			out.WriteString(strings.Join(lines[at:start], ""))
			at = start
			continue
		}
		text := line[1:]
		if i+1 < len(steps) && strings.HasPrefix(steps[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
			i++
		}
		if line[0] != '+' {
			if lines[at] != text {
				t.Fatalf("the diff has %q at line %d, the text %q", text, at+1, lines[at])
			}
			at++
		}
		if line[0] != '-' {
			out.WriteString(text)
		}
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String()
}

func TestCompareModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "d\r\n"}), 0, 40).Draw(t, name)
			return strings.Join(lines, "") + rapid.SampledFrom([]string{"", "", "e"}).Draw(t, name+" ends in")
		}
		before, after := text("before"), text("after")
		c := compare(before, after)
		if got := patch(t, before, c.Diff); got != after {
			t.Fatalf("%q to %q by\n%s\ngives %q", before, after, c.Diff, got)
		}
		if d := len(splitLines(after)) - len(splitLines(before)); c.Added-c.Removed != d {
			t.Fatalf("%d added, %d removed, but %d more", c.Added, c.Removed, d)
		}
	})
}

// TestCompareLarge compares what is too different to look for the shortest diff,
// and what is too long for one.
func TestCompareLarge(t *testing.T) {
	var before, after strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&before, "old %d\n", i)
		fmt.Fprintf(&after, "new %d\n", i)
	}
	c := compare("same\n"+before.String()+"same\n", "same\n"+after.String()+"same\n")
	if c.Added != 5000 || c.Removed != 5000 || c.FirstChangedLine != 2 || !c.DiffTruncated || len(c.Diff) > diffBytes+100 {
		t.Errorf("%d added, %d removed, first %d, %d bytes", c.Added, c.Removed, c.FirstChangedLine, len(c.Diff))
	}
	c = compare("a\n"+strings.Repeat("x", 1<<20), "b\n"+strings.Repeat("x", 1<<20))
	if !c.DiffTruncated || len(c.Diff) > 2*MaxLine {
		t.Errorf("%d bytes, cut: %v", len(c.Diff), c.DiffTruncated)
	}
}
