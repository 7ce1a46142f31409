package arch_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cambium-dev/cambium/internal/arch"
)

const module = "github.com/cambium-dev/cambium"

// TestHouse reads the module's own source.
func TestHouse(t *testing.T) {
	root := os.DirFS("../..")
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if line, _, _ := strings.Cut(string(mod), "\n"); line != "module "+module {
		t.Fatalf("go.mod begins with %q, the test is about %q", line, module)
	}
	problems, err := arch.Check(root, module, arch.Rooms(), arch.Grants())
	if err != nil {
		t.Fatal(err)
	}
	spare, err := arch.Spare(root, module, arch.Rooms())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(problems, spare...) {
		t.Error(p)
	}
	const most = 11 // rooms that stand on one another
	if chain, err := arch.Chain(root, module); err != nil || len(chain) > most {
		t.Errorf("a change at the bottom goes through %d rooms, %v: %v", len(chain), err, chain)
	}
}

// small is a table for made-up houses.
func small() []arch.Room {
	return []arch.Room{
		{Path: "low", Wing: arch.Meaning, Blind: true},
		{Path: "proof", Wing: arch.Testing},
		{Path: "disk", Wing: arch.Bytes},
		{Path: "high", Wing: arch.Engine, May: []string{"low", "disk", "proof"}, Light: true},
	}
}

// TestCheck breaks each rule in a house of its own.
func TestCheck(t *testing.T) {
	const low = "// Package low is good.\npackage low\n"
	tests := []struct {
		name   string
		files  map[string]string
		rooms  []arch.Room // nil: small
		grants []arch.Grant
		want   []string
	}{
		{name: "good", files: map[string]string{
			"low/low.go":          low + "import \"time\"\n// Day is a day.\nconst Day = 24 * time.Hour\n// A Thing is one.\ntype Thing[T any] struct{}\n// Do does.\nfunc (t *Thing[T]) Do() {}\ntype hidden int\nfunc (hidden) Do() {}\n",
			"low/low_test.go":     "package low_test\nimport (\"os\"; \"m/high\")\nvar x int\nfunc F() { os.Exit(high.X); panic(1) }\n",
			"high/high.go":        "// Package high is good.\npackage high\nimport \"m/low\"\n// X and Y are numbers.\nconst (\nX = 1\nY = low.Day\n)\nfunc f() { panic(\"high: no\") }\n",
			"testdata/x.go":       "package broken!",
			".git/x.go":           "package broken!",
			"node_modules/x/x.go": "package broken!",
		}},
		{name: "no row", files: map[string]string{"other/o.go": "// Package other is good.\npackage other\n"}, want: []string{"other: a room without a row"}},
		{name: "upward", files: map[string]string{"low/low.go": low + "import _ \"m/high\"\n"}, want: []string{"low/low.go:3: low may not import high"}},
		{name: "the root", files: map[string]string{"low/low.go": low + "import _ \"m\"\n"}, want: []string{"low/low.go:3: low may not import ."}},
		{name: "tests' room", files: map[string]string{"high/h.go": "// Package high is good.\npackage high\nimport _ \"m/proof\"\n"}, want: []string{"high/h.go:3: high imports proof, which is for tests"}},
		{name: "impure imports", files: map[string]string{
			"low/low.go": low + "import (\n\"os\"\n\"net/url\"\n\"math/rand/v2\"\n\"path/filepath\"\n\"crypto/rand\"\n\"path\"\n)\n",
		}, want: []string{"low.go:4: a meaning room imports os", "imports net/url", "imports math/rand/v2", "imports path/filepath", "imports crypto/rand"}},
		{name: "clock", files: map[string]string{
			"low/low.go": low + "import clock \"time\"\nvar f = clock.Now\nfunc g() { _ = clock.Since(f()) }\n",
		}, want: []string{"low.go:4: a meaning room uses time.Now", "low.go:5: a meaning room uses time.Since"}},
		{name: "dialect by name", files: map[string]string{"low/low.go": low + "const x = \"omp\" // pi\nconst y = `xcsh`\nconst z = \"pill\"\n"}, want: []string{`low.go:3: low names the dialect "omp"`, `low.go:4: low names the dialect "xcsh"`}},
		{name: "heavy", files: map[string]string{
			"high/h.go": "// Package high is good.\npackage high\nimport _ \"m/disk\"\n",
			"disk/d.go": "// Package disk is good.\npackage disk\nimport _ \"net/http\"\n",
		}, want: []string{"high: reaches net/http through high → disk"}},
		{name: "pictures", files: map[string]string{
			"disk/d.go":  "// Package disk is good.\npackage disk\nimport (\n_ \"image/png\"\n_ \"golang.org/x/image/webp\"\n)\n",
			"proof/p.go": "// Package proof is good.\npackage proof\nimport _ \"image\"\n",
		}, want: []string{"disk/d.go:4: disk imports image/png: pictures", "disk/d.go:5: disk imports golang.org/x/image/webp"}},
		{name: "no comments", files: map[string]string{
			"low/low.go": "package low\nfunc F() {}\ntype T int\nfunc (T) M() {}\nvar V = 1\nconst C = 1 // is told\n",
		}, want: []string{"low: package low has no comment", "low.go:2: F has no comment", "low.go:3: T has no comment", "low.go:4: M has no comment", "low.go:5: V has no comment"}},
		{name: "comments of something else", files: map[string]string{"low/low.go": low + "// Does it.\nfunc F() {}\n// Fast is fast.\nfunc Fa() {}\n"}, want: []string{"the comment of F does not", "the comment of Fa does not"}},
		{name: "empty name", files: map[string]string{"util/u.go": "// Package util is good.\npackage util\n"}, rooms: []arch.Room{{Path: "util"}}, want: []string{"util: a package named util"}},
		{name: "other folder", files: map[string]string{"low/low.go": "// Package up is good.\npackage up\n"}, want: []string{"low.go:2: package up lies in a folder named low"}},
		{name: "panics", files: map[string]string{
			"low/low.go": low + "import \"fmt\"\nfunc f(err error) {\npanic(err)\npanic(\"no\")\npanic(fmt.Sprintf(\"low: %v\", err))\npanic(\"low: \" + err.Error())\n}\n",
		}, want: []string{"low.go:5: panic text", "low.go:6: panic text"}},
		{name: "init and variables", files: map[string]string{
			"low/low.go": low + "import _ \"embed\"\nfunc init() {}\nvar count int\n//go:embed x\nvar x string\nvar y = 1\n",
		}, want: []string{"low.go:4: func init", "low.go:5: package variable count"}},
		{name: "long", files: map[string]string{"low/low.go": low + strings.Repeat("\n", 600), "low/l_test.go": "package low\n" + strings.Repeat("\n", 800)}, want: []string{"low/l_test.go: 801 lines", "low/low.go: 602 lines"}},
		{name: "files by name", files: map[string]string{
			"disk/d.go":      "// Package disk is good.\npackage disk\nimport (\n\"os\"\nother \"path/filepath\"\nagain \"os\"\n\"golang.org/x/sys/unix\"\n)\nvar read = os.ReadFile\nfunc f() {\nother.EvalSymlinks(other.Join())\nagain.Stat(os.DevNull)\nunix.Openat()\nunix.Flock()\n}\n",
			"disk/dot.go":    "package disk\nimport . \"io/ioutil\"\n",
			"disk/may.go":    "package disk\nimport \"os\"\nvar f, g = os.Open, os.Root{}\n",
			"disk/d_test.go": "package disk\nimport \"os\"\nvar f = os.Open\n",
			"proof/p.go":     "// Package proof is good.\npackage proof\nimport \"os\"\nvar f = os.Open\n",
		}, grants: []arch.Grant{{Path: "disk/may.go", Why: "it may"}}, want: []string{
			"disk/d.go:9: os.ReadFile goes past internal/vfs", "disk/d.go:11: path/filepath.EvalSymlinks", "disk/d.go:12: os.Stat",
			"disk/d.go:13: golang.org/x/sys/unix.Openat", "disk/dot.go:2: all of io/ioutil", "disk/d.go:14: golang.org/x/sys/unix.Flock takes a lock",
		}},
		{name: "grants", files: map[string]string{
			"disk/d.go": "// Package disk is good.\npackage disk\nimport \"os\"\nvar f = os.Open\n", "disk/e.go": "package disk\nimport \"os\"\nvar g = os.Open\n",
		}, grants: []arch.Grant{{Path: "disk/e.go"}, {Path: "disk/d.go", Why: "it may"}, {Path: "disk/x.go", Why: "it might"}}, want: []string{
			"grant disk/e.go: has no reason", "grant disk/d.go: is out of order", "grant disk/x.go: is not used",
		}},
		{name: "not Go", files: map[string]string{"low/low.go": "package"}, want: []string{"low/low.go: low/low.go:1:8"}},
		{name: "table", rooms: []arch.Room{{Path: "a", May: []string{"b"}}, {Path: "b"}, {Path: "b"}}, want: []string{"row a: names b, which does not stand above it", "row b: stands twice"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			rooms := test.rooms
			if rooms == nil {
				rooms = small()
			}
			problems, err := arch.Check(root, "m", rooms, test.grants)
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) != len(test.want) {
				t.Fatalf("%d problems, want %d:\n%s", len(problems), len(test.want), fmt.Sprint(problems))
			}
			for i, want := range test.want {
				if got := problems[i].String(); !strings.Contains(got, want) {
					t.Errorf("problem %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}
