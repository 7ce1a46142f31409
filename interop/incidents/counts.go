//go:build linux

package main

import (
	"bytes"
	"fmt"
)

// verdicts are those that a cell can have, in the order of the counts.
func verdicts() []Verdict {
	return []Verdict{OK, Ref, Silent, Opaque, Dead, Lost, Hang, Crash, NotRun}
}

// counts is how often each verdict came.
func counts(table map[string]map[string]Result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "| of %d |", len(table))
	for _, who := range columns() {
		fmt.Fprintf(&b, " %s |", version(who))
	}
	b.WriteString("\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, v := range verdicts() {
		cells, any := "", 0
		for _, who := range columns() {
			n := count(table, who, v)
			any += n
			cells += fmt.Sprintf(" %d |", n)
		}
		if any > 0 {
			fmt.Fprintf(&b, "| %s |%s\n", meaning(v), cells)
		}
	}
	b.WriteString("| **OK or REF** |")
	for _, who := range columns() {
		good, _, _ := score(table, who)
		fmt.Fprintf(&b, " **%d** |", good)
	}
	b.WriteByte('\n')
	return b.Bytes()
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
