package arch_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cambium-dev/cambium/internal/arch"
)

// TestHidden: no program outside meets a type that it cannot name.
func TestHidden(t *testing.T) {
	problems, err := arch.Hidden(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	left := leftOpen()
	for _, p := range problems {
		file, _, _ := strings.Cut(p.Where, ":")
		if name, _, _ := strings.Cut(p.Text, " "); left[file+" "+name] {
			left[file+" "+name] = false
			continue
		}
		t.Error(p)
	}
	for row, open := range left {
		if open {
			t.Errorf("%s is not there: its row can go", row)
		}
	}
}

// TestExamples: each public room shows how it is used.
func TestExamples(t *testing.T) {
	shown := map[string]bool{}
	for name, rooms := range functions(t, "../..") {
		for _, room := range rooms {
			if room = strings.TrimPrefix(strings.TrimPrefix(room, "../.."), "/"); room == "" {
				room = "."
			}
			shown[room] = shown[room] || strings.HasPrefix(name, "Example")
		}
	}
	for _, room := range arch.Rooms() {
		if arch.Public(room.Path) && room.Wing != arch.Testing && !shown[room.Path] {
			t.Errorf("%s has no example", room.Path)
		}
	}
}

// leftOpen are declarations of plumbing that is public still. A row that is not needed
// any more goes; nothing comes.
func leftOpen() map[string]bool {
	return map[string]bool{
		"catalog/index.go Record":    true,
		"entry/envelope.go Envelope": true,
		"entry/envelope.go Query":    true,
		"entry/envelope.go Fill":     true,
		"entry/index.go Body":        true,
		"entry/scanner.go Query":     true,
		"entry/scanner.go Fill":      true,
	}
}

// TestHiddenOf: what counts as naming an internal type.
func TestHiddenOf(t *testing.T) {
	const head = "package a\nimport (\"m/internal/low\"; other \"m/internal/high\"; \"m/free\")\n"
	for name, test := range map[string]struct{ code, want string }{
		"parameter":         {"func F(x []*low.T) {}", "F names low.T"},
		"result":            {"func F() map[string]other.T { return nil }", "F names other.T"},
		"method":            {"type T int\nfunc (T) M(func(low.T)) {}", "M names low.T"},
		"field":             {"type T struct { a int; B low.T }", "T names low.T"},
		"embedded":          {"type T struct { low.T }", "T names low.T"},
		"interface":         {"type T interface { m(low.T) }", "T names low.T"},
		"alias":             {"type T = low.T", "T names low.T"},
		"defined":           {"type T low.T", "T names low.T"},
		"alias of its own":  {"type hidden = low.T\nfunc F(hidden) {}", "F names hidden"},
		"constraint":        {"type T[X low.T] struct{}", "T names low.T"},
		"variable":          {"var V = low.New()", "V names low.New"},
		"typed variable":    {"var V low.T", "V names low.T"},
		"constant":          {"const C = low.C", "C names low.C"},
		"another type":      {"var V error = low.Err", ""},
		"body":              {"func F() { low.Do() }", ""},
		"unexported":        {"func f(low.T) {}\ntype t struct { A low.T }\nfunc (t) M(low.T) {}\nvar v low.T", ""},
		"unexported fields": {"type T struct { a low.T }", ""},
		"public":            {"func F(free.T) {}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{"a/a.go": {Data: []byte(head + test.code + "\n")}}
			for _, quiet := range []string{"internal/a/a.go", "cmd/a/a.go", "interop/a/a.go", "a/internal/b/a.go"} {
				root[quiet] = root["a/a.go"]
			}
			problems, err := arch.Hidden(root, "m")
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case test.want == "" && len(problems) > 0:
				t.Errorf("%v, want none", problems)
			case test.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), test.want)):
				t.Errorf("%v, want one: %q", problems, test.want)
			}
		})
	}
}
