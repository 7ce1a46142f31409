package journal_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadAhead: entries asked for in the order of the log, in another, and again, are
// what they are, while windows are read ahead and while others write.
func TestReadAhead(t *testing.T) {
	var b strings.Builder
	b.WriteString(header + "\n")
	parent, want := "", []string{}
	for i := range 3000 {
		id := fmt.Sprintf("%08x", i)
		size := 300 + i%7*100
		if i%500 == 499 {
			size = 300 << 10 // more than a window
		}
		b.WriteString(user(id, parent, strings.Repeat("x", size)+id) + "\n")
		parent, want = id, append(want, id)
	}
	name := file(t, b.String())
	j := open(t, name, false)
	list := j.List()
	look := func(i int) {
		t.Helper()
		line, err := list.Load(i)
		if err != nil || !strings.Contains(string(line), "x"+want[i]+`"`) {
			t.Fatalf("entry %d is %.90q, %v", i, line, err)
		}
	}
	for i := range want {
		look(i)
	}
	for i := range want {
		look(len(want) - 1 - i)
	}
	for i := 0; i < len(want); i += 3 { // leaves out some of each window
		look(i)
		if i%300 == 0 {
			external(t, name, user(fmt.Sprintf("e%07x", i), parent, "more")+"\n")
			refresh(t, j)
		}
	}
	for i := range 700 {
		look(i)
		look(2000 + i)
	}
}
