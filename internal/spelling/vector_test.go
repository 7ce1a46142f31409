package spelling_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vectors"
)

// vector returns the vector whose file name begins so.
func vector(t *testing.T, name string) vectors.Vector {
	t.Helper()
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if strings.HasPrefix(v.File, name) {
			return v
		}
	}
	t.Fatalf("no vector %q", name)
	return vectors.Vector{}
}

// result returns the result of step i, and in it what keys lead to.
func result(t *testing.T, v vectors.Vector, i int, keys ...string) entry.JSON {
	t.Helper()
	results, _ := jsonedit.Get(v.Expected, "results")
	n := 0
	for r := range jsonedit.Elements(results) {
		if n == i {
			got, ok := jsonedit.Path(r, keys...)
			if !ok {
				t.Fatalf("%s: no %v in result %d", v.File, keys, i)
			}
			return got
		}
		n++
	}
	t.Fatalf("%s: no result %d", v.File, i)
	return nil
}

// texts decodes an array of strings.
func texts(v entry.JSON) []string {
	var all []string
	for e := range jsonedit.Elements(v) {
		s, _ := jsonedit.String(e)
		all = append(all, s)
	}
	return all
}

// inputLines returns the lines of the file that the vector begins with.
func inputLines(t *testing.T, v vectors.Vector) [][]byte {
	t.Helper()
	data, ok := vectors.File(v.Input)
	if !ok {
		t.Fatalf("%s: no input file", v.File)
	}
	var lines [][]byte
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		lines = append(lines, []byte(line))
	}
	return lines
}

var placeholder = regexp.MustCompile(`\{\{(\w+)(?::\d+)?\}\}`)

// matches compares a line with an expected one that has placeholders; bound holds
// what the numbered ones stand for, in one vector.
func matches(want, got string, bound map[string]string) error {
	var pattern strings.Builder
	var names []string
	last := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(want, -1) {
		pattern.WriteString(regexp.QuoteMeta(want[last:at[0]]))
		last = at[1]
		switch name, kind := want[at[0]:at[1]], want[at[2]:at[3]]; kind {
		case "id":
			names = append(names, name)
			pattern.WriteString(`([0-9a-f]{8})`)
		case "pad":
			pattern.WriteString(` *`)
		case "ts":
			pattern.WriteString(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
		}
	}
	pattern.WriteString(regexp.QuoteMeta(want[last:]))
	found := regexp.MustCompile(`^` + pattern.String() + `$`).FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("\n got %s\nwant %s", got, want)
	}
	for i, name := range names {
		if was, ok := bound[name]; ok && was != found[i+1] {
			return fmt.Errorf("%s is %s and %s in\n%s", name, was, found[i+1], got)
		}
		bound[name] = found[i+1]
	}
	return nil
}

// migrated returns header and entries of lines as they are after migration, and
// the list with the migrated lines.
func migrated(t *testing.T, lines [][]byte) ([]string, *entry.List) {
	t.Helper()
	h, ok := entry.ParseHeader(lines[0])
	if !ok {
		t.Fatalf("not a header: %s", lines[0])
	}
	x := entry.NewIndex()
	for i, line := range lines[1:] {
		var e entry.Envelope
		if err := e.Scan(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		x.Add(&e, entry.At{Off: int64(i), Len: int64(len(line)), Line: i + 2})
	}
	load := func(i int) ([]byte, error) { return lines[i+1], nil }
	line, err := spelling.Migrate(x, h, load)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{string(spelling.MigrateHeader(lines[0]))}
	list := &entry.List{Index: x, Load: load}
	if line != nil {
		list.Load = func(i int) ([]byte, error) { return line(i, lines[i+1]) }
	}
	for i := range x.Len() {
		got, err := list.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(got))
	}
	return out, list
}

func TestMigrationVectors(t *testing.T) {
	for _, c := range []struct {
		name       string
		step, skip int // the step that shows the migrated file; its lines before the header
	}{{"pi-08", 1, 0}, {"pi-09", 1, 0}, {"xcsh-06", 4, 0}, {"omp-08", 3, 1}, {"pi-10", 1, 0}} {
		v := vector(t, c.name)
		want := texts(result(t, v, c.step))[c.skip:]
		got, list := migrated(t, inputLines(t, v))
		bound := map[string]string{}
		for i, line := range got {
			if err := matches(want[i], line, bound); err != nil {
				t.Errorf("%s line %d: %v", v.File, i+1, err)
			}
		}
		checkIndex(t, list)
	}
}

// checkIndex checks that the index says what the lines say.
func checkIndex(t *testing.T, list *entry.List) {
	t.Helper()
	for i := range list.Len() {
		e, err := list.Entry(i)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := list.ID(i)
		parent, has := list.ParentID(i)
		span := list.Body(i)
		if id != e.ID || parent != e.ParentID || has != e.HasParent || list.Role(i) != e.Role ||
			string(e.Raw()[span.Start:span.End]) != string(e.Message()) {
			t.Errorf("index of %s: id %q, parent %q, role %v, message %v", e.Raw(), id, parent, list.Role(i), span)
		}
		if e.ID != "" && list.Find(e.ID) < i {
			t.Errorf("%q is not found", e.ID)
		}
	}
}

func TestSlotVectors(t *testing.T) {
	for _, c := range []struct {
		name, title, source string
		slot                bool
	}{
		{"omp-01", "Slot title", "user", true},
		{"omp-02", "", "", true},
		{"omp-03", "", "", false},
		{"omp-20", "Before", "auto", true},
	} {
		v := vector(t, c.name)
		lines := inputLines(t, v)
		slot, ok := spelling.ParseSlot(append(lines[0], '\n'))
		if ok != c.slot {
			t.Errorf("%s: slot: got %v, want %v", v.File, ok, c.slot)
			continue
		}
		if !ok {
			continue
		}
		h, _ := entry.ParseHeader(lines[1])
		h.Slot = &slot
		list, err := entry.NewList(lines[2:])
		if err != nil {
			t.Fatal(err)
		}
		omp, _ := spelling.ByName("omp")
		title, source, err := omp.Title(&h, list)
		if err != nil || title != c.title || source != c.source || slot.Len != len(lines[0])+1 {
			t.Errorf("%s: got %q, %q, %v, %d bytes; want %q, %q", v.File, title, source, err, slot.Len, c.title, c.source)
		}
	}
}

func TestSlotSerialisationVector(t *testing.T) {
	v := vector(t, "omp-04")
	updated, _ := jsonedit.Text(v.Input, "updatedAt")
	cases, _ := jsonedit.Get(v.Input, "cases")
	var wants []entry.JSON
	for w := range jsonedit.Elements(v.Expected) {
		wants = append(wants, w)
	}
	i := 0
	for c := range jsonedit.Elements(cases) {
		title, _ := jsonedit.Text(c, "title")
		source, _ := jsonedit.Text(c, "source")
		slot := spelling.FormatSlot(title, source, updated)
		parsed, ok := spelling.ParseSlot(slot[:])
		want, _ := jsonedit.Text(wants[i], "title")
		pad, _ := jsonedit.Text(slot[:255], "pad")
		padWant, _ := jsonedit.Get(wants[i], "padLength")
		var keys []string
		for key := range jsonedit.Members(slot[:255]) {
			keys = append(keys, key)
		}
		keysWant, _ := jsonedit.Get(wants[i], "keys")
		if !ok || parsed.Title != want || parsed.Source != source || parsed.UpdatedAt != updated || slot[255] != '\n' ||
			fmt.Sprint(len(pad)) != string(padWant) || fmt.Sprint(keys) != fmt.Sprint(texts(keysWant)) {
			t.Errorf("title %q: got %q, want title %q, pad %s", title, slot, want, padWant)
		}
		i++
	}
	if i != 5 {
		t.Errorf("%d cases, want 5", i)
	}
}

// TestRenameVectors runs the steps setName, sessionInfo and name.
func TestRenameVectors(t *testing.T) {
	for _, name := range []string{"xcsh-15", "omp-20", "omp-21", "pi-21"} {
		v := vector(t, name)
		d, _ := spelling.ByName(v.System)
		lines := inputLines(t, v)
		var h entry.Header
		var slot []byte
		if s, ok := spelling.ParseSlot(lines[0]); ok {
			slot, lines = lines[0], lines[1:]
			h.Slot = &s
		}
		title, source := h.Effective()
		lines = lines[1:]
		parent := "a1"
		steps, _ := jsonedit.Get(v.Args, "steps")
		bound := map[string]string{}
		i := -1
		for step := range jsonedit.Elements(steps) {
			i++
			args := texts(step)
			switch args[0] {
			case "name":
				checkName(t, v, i, d, title, source, lines)
			case "setName", "sessionInfo":
				args = append(args, "", "")
				next, ok := d.Rename(args[1], args[2], source)
				if want := string(result(t, v, i)); args[0] == "setName" && want != fmt.Sprint(ok) {
					t.Errorf("%s step %d: renamed %v, want %s", v.File, i, ok, want)
				}
				if !ok {
					continue
				}
				if body := d.TitleBody(next, args[2], title, args[3]); body != nil {
					id := fmt.Sprintf("%08x", i)
					line, err := entry.Encode(nil, entry.Stamp{ID: id, Parent: &parent, Time: 0}, body)
					if err != nil {
						t.Fatal(err)
					}
					lines, parent = append(lines, line), id
				}
				title, source = next, args[2]
				if slot != nil || d.TitleChange {
					fresh := spelling.FormatSlot(title, source, "2026-01-02T03:04:05.000Z")
					slot = fresh[:255]
				}
			case "file":
				checkFile(t, v, i, slot, lines, bound)
			}
		}
	}
}

func checkName(t *testing.T, v vectors.Vector, i int, d spelling.Dialect, title, source string, lines [][]byte) {
	t.Helper()
	list, err := entry.NewList(lines)
	if err != nil {
		t.Fatal(err)
	}
	h := entry.Header{Title: title, TitleSource: source}
	if d.NameByEntry {
		h = entry.Header{}
	}
	got, _, err := d.Title(&h, list)
	want, _ := jsonedit.String(result(t, v, i))
	if err != nil || got != want {
		t.Errorf("%s step %d: title %q, %v; want %q", v.File, i, got, err, want)
	}
}

// checkFile compares slot and entries; the header is not written here.
func checkFile(t *testing.T, v vectors.Vector, i int, slot []byte, lines [][]byte, bound map[string]string) {
	t.Helper()
	want := texts(result(t, v, i))
	if slot != nil {
		if err := matches(want[0], string(slot), bound); err != nil {
			t.Errorf("%s step %d: slot: %v", v.File, i, err)
		}
		want = want[1:]
	}
	want = want[1:]
	for k, line := range lines {
		if err := matches(want[k], string(line), bound); err != nil {
			t.Errorf("%s step %d: %v", v.File, i, err)
		}
	}
	if len(want) != len(lines)+1 { // the last piece is after the final newline
		t.Errorf("%s step %d: %d lines, want %d", v.File, i, len(lines), len(want)-1)
	}
}
