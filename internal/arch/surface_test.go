package arch_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cambium-dev/cambium/internal/arch"
)

// mostNames are the exported names of all public packages together. The number goes
// down, and does not go up.
const mostNames = 1674

// TestSurface: what an embedder has to know does not grow.
func TestSurface(t *testing.T) {
	all, err := arch.Surfaces(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, s := range all {
		if strings.HasPrefix(s.Room, "interop") || strings.HasPrefix(s.Room, "examples") {
			continue
		}
		t.Logf("%4d %s", s.Names, s.Room)
		names += s.Names
	}
	switch {
	case names > mostNames:
		t.Errorf("%d exported names in public packages, more than %d: hide what only this module uses", names, mostNames)
	case names < mostNames:
		t.Errorf("%d exported names in public packages: set mostNames to that", names)
	}
}

// TestSurfacesOf: what is counted.
func TestSurfacesOf(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"a/a.go": `package a
const A, b = 1, 2
var V = func(X int) struct{ Y int } { return struct{ Y int }{} }
type T struct { F, g int; H struct{ I int }; *E; E2[int]; fn func(A int) }
type I interface { M(a int); n() }
type Alias = T
type t struct { F int }
func F() { const In = 1 }
func (t *T) Do() {}
func (t *t) Do() {}
func f() {}
`,
		"a/a_test.go":     "package a\nfunc Test() {}\n",
		"a/internal/x.go": "package internal\nfunc F() {}\n",
		"internal/x/x.go": "package x\nfunc F() {}\n",
		"cmd/m/main.go":   "package main\nfunc F() {}\n",
	} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	all, err := arch.Surfaces(root, "m")
	if got, want := fmt.Sprint(all), "[{a 13}]"; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
