package rpc

import (
	"fmt"
	"slices"
	"strings"
)

// Members returns, as Markdown, what each method answers, and of every object all
// members and when they are absent: what the table says, for doc/rpc.md.
func Members() string {
	var b strings.Builder
	b.WriteString("\n| method | answers |\n| --- | --- |\n")
	for _, m := range methods() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.name, m.gives.words())
	}
	for _, s := range slices.Concat(shapes(), faultData()) {
		describe(&b, s)
	}
	for _, e := range events() {
		describe(&b, e)
	}
	b.WriteByte('\n')
	return b.String()
}

// describe writes one shape.
func describe(b *strings.Builder, s shape) {
	fmt.Fprintf(b, "\n**`%s`**: %s", s.name, s.says)
	if s.open {
		b.WriteString(" It may have further members, as they are stored.")
	}
	b.WriteString("\n\n| member | | what | absent |\n| --- | --- | --- | --- |\n")
	rows(b, "", s.fields)
}

// rows writes the members of an object, those of objects in it too.
func rows(b *strings.Builder, prefix string, fields []field) {
	for _, f := range fields {
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, f.name, f.words(), f.says, f.absent)
		if f.fields != nil {
			rows(b, prefix+f.name+".", f.fields)
		}
	}
}
