package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// leftOuts are the tests that are left out on Wine: why, by package and name.
type leftOuts map[string]map[string]string

// row is a row of the table: the package, the test, and why it is left out.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `(Test[^`]*|Example[^`]*)` \\| (\\S.*) \\|$")

// leftOut reads the table of a document.
func leftOut(document string) (leftOuts, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	all := leftOuts{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		pkg, test, why := m[1], m[2], m[3]
		if pkg == "." {
			pkg = ""
		}
		if all[pkg] == nil {
			all[pkg] = map[string]string{}
		}
		if all[pkg][test] != "" {
			return nil, fmt.Errorf("%s has %s of %s twice", document, test, pkg)
		}
		all[pkg][test] = why
	}
	return all, nil
}

// rows returns one line for each of some packages.
func (l leftOuts) rows(of map[string]bool) (lines []string) {
	for _, pkg := range slices.Sorted(maps.Keys(l)) {
		if !of[pkg] {
			continue
		}
		for _, test := range slices.Sorted(maps.Keys(l[pkg])) {
			lines = append(lines, fmt.Sprintf("%s %s: %s", pkg, test, l[pkg][test]))
		}
	}
	return lines
}

// pattern matches the names.
func pattern(left map[string]string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(left)) {
		names = append(names, regexp.QuoteMeta(name))
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
