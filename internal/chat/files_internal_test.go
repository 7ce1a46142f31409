package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/scratch"
)

// plant writes files of one letter below a directory, or with what stands behind a
// "=". A name that ends in "/" is an empty directory.
func plant(tb testing.TB, dir string, names ...string) {
	tb.Helper()
	for _, name := range names {
		name, text, given := strings.Cut(name, "=")
		if !given {
			text = "x"
		}
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o700)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// offered is what files offers, in one line.
func offered(tb testing.TB, dir, text string) string {
	tb.Helper()
	var all []string
	for _, c := range files(tb.Context(), dir, text) {
		all = append(all, c.Text)
	}
	return strings.Join(all, " ")
}

func TestFilesBehindAt(t *testing.T) {
	top := scratch.OwnDir(t)
	plant(t, top, ".git/info/exclude=/private\n", ".git/config", ".gitignore=*.log\n!keep.log\n/dist/\nbuild/\n**/cache/**\n.env\nout/*\n!out/kept\n",
		"beds/tomatoes.txt", "beds/Beans.txt", "beds/soil.log", "beds/keep.log", "beds/build/in.txt", "beds/dist/bean.txt", "beds/.gitignore=beetles*\n!/build/\n",
		"beds/beetles.txt", "beds/cache/worm.txt", "dist/bean.js", "dist/deep/bean.js", "dist/.map", "private", "readme.md", ".env", ".env.test", ".github/work.yml",
		"node_modules/bean/index.js", "node_modules/.bin/sow", "out/kept", "out/lost", "water.log", "sub/.gitignore=*\n", "sub/worm.txt")
	if err := os.Symlink(t.TempDir(), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ dir, text, want string }{
		{"", "bean", "@beds/Beans.txt @beds/dist/bean.txt"},
		{"", "tom", "@beds/tomatoes.txt"},
		{"", "log", "@beds/keep.log"},        // "*.log" but for "!keep.log"
		{"", "in.txt", "@beds/build/in.txt"}, // "build/" but for the "!/build/" of beds
		{"", "beetles", ""},                  // by the rules of beds
		{"", "worm", ""},                     // "**/cache/**", and "*" in sub
		{"", "kept", "@out/kept"},
		{"", "lost", ""},
		{"", "priv", ""}, // .git/info/exclude
		{"", "config", ""},
		{"", "work", ""}, // hidden
		// What is spelt out is offered, and what is below it by the beginnings of names.
		{"", "private", "@private"},
		{"", "dist", "@dist/ @beds/dist/ @beds/dist/bean.txt"},
		{"", "dist/", "@dist/bean.js @dist/deep/ @beds/dist/ @beds/dist/bean.txt"},
		{"", "./dist/DEEP", "@dist/deep/"}, // names are those of the disk
		{"", "dist/deep/be", "@dist/deep/bean.js"},
		{"", "dist/.", "@dist/.map"},
		{"", "node_modules/bean/i", "@node_modules/bean/index.js"},
		{"", "node_modules/.bin/", "@node_modules/.bin/sow"},
		{"", "beds/beetles.txt", "@beds/beetles.txt"},
		{"", "sub/worm", ""},
		{"", "sub/WORM.txt", "@sub/worm.txt"},
		{"", "water.log", "@water.log"},
		// So is what begins with a dot.
		{"", ".e", "@.env @.env.test"},
		{"", ".github", "@.github/ @.github/work.yml"},
		{"", ".git/", ""},
		{"", ".git/con", ""},
		// The rules of the directories above hold, too.
		{"beds", "log", "@keep.log"},
		{"beds", "beet", ""},
		{"beds", "be", "@Beans.txt @dist/bean.txt"},
		{"beds/dist", "", "@bean.txt"},
		{"dist", "be", "@bean.js @deep/bean.js"}, // whoever works there means what is there
		// What is elsewhere is not offered.
		{"beds", "../read", ""},
		{"beds", "/dist/", ""},
		{"", "link/", ""},
		{"", "none", ""},
		{"none", "be", ""},
	} {
		if got := offered(t, filepath.Join(top, tt.dir), tt.text); got != tt.want {
			t.Errorf("%q in %q offers %q, want %q", tt.text, tt.dir, got, tt.want)
		}
	}
}

// Where there is no repository the files that say what is ignored are heeded as well.
func TestFilesWithoutARepository(t *testing.T) {
	top := t.TempDir()
	plant(t, top, ".gitignore=*.log\n", "a/.gitignore=b*\n", "a/bean", "a/pea", "water.log")
	if got, want := offered(t, top, ""), "@a/ @a/pea"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// However many files there are, so many are looked at, and so many offered; what
// is ignored does not count, nor hide what is spelt out.
func TestFilesAreBounded(t *testing.T) {
	top := t.TempDir()
	plant(t, top, ".gitignore=/ignored/\n", "z/last", "ignored/last", strings.Repeat("d/", mostLevels)+"in", strings.Repeat("e/", mostLevels+1)+"out")
	for i := range 3 * mostFound {
		plant(t, top, fmt.Sprintf("ignored/%d", i), fmt.Sprintf("many/%d", i))
	}
	if got := files(t.Context(), top, "many/"); len(got) != mostFound {
		t.Errorf("%d are offered", len(got))
	}
	for text, want := range map[string]string{
		"las": "@z/last", "ignored/las": "@ignored/last", "in": "@" + strings.Repeat("d/", mostLevels) + "in", "out": "",
	} {
		if got := offered(t, top, text); got != want {
			t.Errorf("%q offers %q, want %q", text, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := files(ctx, top, "last"); len(got) != 0 {
		t.Errorf("%v are offered to nobody", got)
	}
}

// BenchmarkFiles looks through as many files as are looked at, with the rules of a
// large project.
func BenchmarkFiles(b *testing.B) {
	top := b.TempDir()
	var rules strings.Builder
	for i := range 20 {
		fmt.Fprintf(&rules, "*.o%d\n/dist%d/\nlogs%d\nnpm-debug%d.log*\n", i, i, i, i)
	}
	plant(b, top, ".git/", ".gitignore="+rules.String())
	for i := range mostFiles {
		plant(b, top, fmt.Sprintf("%02d/%02d/file-%d.go", i/1000, i/50%20, i))
	}
	for b.Loop() {
		files(b.Context(), top, "nothing")
	}
}
