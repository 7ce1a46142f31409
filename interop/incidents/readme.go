package main

import (
	"bytes"
	"fmt"
	"os"
)

// Marks in README.md between which the table of verdicts stands.
const (
	readmeBegin = "<!-- Made by `make incidents`: begin -->\n"
	readmeEnd   = "<!-- Made by `make incidents`: end -->\n"
)

// verdicts are those that a cell can have, in the order of the counts.
func verdicts() []Verdict {
	return []Verdict{OK, Ref, Silent, Opaque, Dead, Lost, Hang, Crash, NotRun}
}

// refresh writes the table of verdicts between the marks of a page.
func refresh(page string, table map[string]map[string]Result) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(data, []byte(readmeBegin))
	_, after, found2 := bytes.Cut(rest, []byte(readmeEnd))
	if !found || !found2 {
		return fmt.Errorf("refresh %q: the marks of the table are not in it", page)
	}
	data = bytes.Join([][]byte{before, []byte(readmeBegin), brief(table), []byte(readmeEnd), after}, nil)
	return os.WriteFile(page, data, 0o644)
}

// brief is the table of verdicts without remarks: how often each, and all.
func brief(table map[string]map[string]Result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "| of %d |", len(table))
	for _, who := range columns() {
		fmt.Fprintf(&b, " %s |", version(who))
	}
	b.WriteString("\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, v := range verdicts() {
		counts, any := "", 0
		for _, who := range columns() {
			n := count(table, who, v)
			any += n
			counts += fmt.Sprintf(" %d |", n)
		}
		if any > 0 {
			fmt.Fprintf(&b, "| %s |%s\n", meaning(v), counts)
		}
	}
	b.WriteString("| **OK or REF** |")
	for _, who := range columns() {
		good, _, _ := score(table, who)
		fmt.Fprintf(&b, " **%d** |", good)
	}
	b.WriteString("\n\n<details>\n<summary>All of them</summary>\n\n| | | cambium | pi | omp | xcsh |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range Recipes() {
		if row, ok := table[r.ID]; ok {
			fmt.Fprintf(&b, "| %s | %s |", r.ID, r.What)
			for _, who := range columns() {
				fmt.Fprintf(&b, " %s |", row[who].short())
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n</details>\n")
	return b.Bytes()
}

// short is a result without its remark.
func (r Result) short() string {
	if r.Verdict == "" {
		return "–"
	}
	if r.Recorded {
		return string(r.Verdict) + "\\*"
	}
	return string(r.Verdict)
}

// count counts the cells of a program with a verdict.
func count(table map[string]map[string]Result, who string, v Verdict) int {
	n := 0
	for _, row := range table {
		if r, ok := row[who]; ok && r.Verdict == v {
			n++
		}
	}
	return n
}

// meaning is a verdict in words.
func meaning(v Verdict) string {
	words := map[Verdict]string{
		OK: "nothing lost, usable", Ref: "refused with a clear error, file untouched",
		Silent: "part silently hidden, or a hazard passed on", Opaque: "unusable, opaque error, file untouched",
		Dead: "stops saving", Lost: "bytes or entries gone or altered", Hang: "never ends", Crash: "dies",
		NotRun: "could not be carried out",
	}
	return string(v) + ": " + words[v]
}
