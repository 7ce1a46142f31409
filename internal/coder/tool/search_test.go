package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestLs(t *testing.T) {
	env := box(t, map[string]string{"b": "", "a/x": "", ".hidden": "", "new\nline": "", "bad\xff": "", "empty": "/"})
	if err := os.Symlink("a", filepath.Join(env.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ arguments, want string }{
		{`{}`, ".hidden\na/\nb\n\"bad\\xff\"\nempty/\nlink -> a\n\"new\\nline\"\n"},
		{`{"path":"a"}`, "x\n"},
		{`{"path":"link"}`, "x\n"},
		{`{"path":"empty"}`, "[the directory is empty]"},
		{`{"limit":2}`, ".hidden\na/\n[2 of 7 names; see more with a larger limit (at most 2000) or with find]"},
		{`{"path":"b"}`, `"b" is no directory`},
		{`{"path":"none"}`, `"none" cannot be listed: no such file or directory`},
	}
	for _, test := range tests {
		if got := words(run(t, env, "ls", test.arguments)); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.arguments, got, test.want)
		}
	}
}

// tree is a repository with what searches must leave out.
func tree(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		".git/config":           "needle\n",
		".git/info/exclude":     "secret.txt\n",
		".gitignore":            "*.log\n/build/\n!keep.log\n",
		"main.go":               "package main\n\n// needle\nfunc main() {}\n",
		"secret.txt":            "needle\n",
		"trace.log":             "needle\n",
		"keep.log":              "Needle kept\n",
		"build/out.go":          "needle\n",
		"src/build/in.go":       "x\nneedle 1\nneedle 2\ny\nz\nneedle 3\n",
		"src/.gitignore":        "gen\n!trace.log\n",
		"src/gen/a.go":          "needle\n",
		"src/trace.log":         "needle\n",
		"src/view.ts":           "// needle(\r\n",
		"src/data.bin":          "needle\x00\n",
		"src/deep/a/b/c_test.c": "no\n",
	}
}

func TestGrep(t *testing.T) {
	env := box(t, tree(t))
	put(t, filepath.Join(filepath.Dir(env.Dir), "outside/file"), "needle\n")
	for name, to := range map[string]string{"zlink": "../outside", "zfile": "../outside/file", "zback": "src"} {
		if err := os.Symlink(to, filepath.Join(env.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := scratch.Mkfifo(filepath.Join(env.Dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ arguments, want string }{
		{`"needle"`, "main.go:3:// needle\nsrc/build/in.go:2:needle 1\nsrc/build/in.go:3:needle 2\nsrc/build/in.go:6:needle 3\n" +
			"src/trace.log:1:needle\nsrc/view.ts:1:// needle("},
		{`"^needle","ignoreCase":true,"glob":"*.log"`, "keep.log:1:Needle kept\nsrc/trace.log:1:needle"},
		{`"needle(","literal":true`, "src/view.ts:1:// needle("},
		{`"needle\\($"`, "src/view.ts:1:// needle("},
		{`"needle","path":"src/gen"`, "src/gen/a.go:1:needle"},
		{`"needle","path":"trace.log"`, "trace.log:1:needle"},
		{`"needle","glob":"src/**/*.{go,ts}"`, "src/build/in.go:2:needle 1\nsrc/build/in.go:3:needle 2\nsrc/build/in.go:6:needle 3\nsrc/view.ts:1:// needle("},
		{`"needle","path":"src","glob":"*.go","limit":2`, "src/build/in.go:2:needle 1\nsrc/build/in.go:3:needle 2\n[only the first 2; there are more]"},
		{`"needle [13]","context":1,"path":"src/build"`,
			"src/build/in.go-1-x\nsrc/build/in.go:2:needle 1\nsrc/build/in.go-3-needle 2\n--\nsrc/build/in.go-5-z\nsrc/build/in.go:6:needle 3"},
		{`"needle [23]","context":2,"path":"src/build"`,
			"src/build/in.go-1-x\nsrc/build/in.go-2-needle 1\nsrc/build/in.go:3:needle 2\nsrc/build/in.go-4-y\nsrc/build/in.go-5-z\nsrc/build/in.go:6:needle 3"},
		{`"haystack"`, "[nothing found]"},
		{`"x","path":"none"`, `"none" cannot be searched: no such file or directory`},
		{`"needle","path":"src/data.bin"`, `"src/data.bin" is binary data, which is not searched`},
		{`"x","path":"pipe"`, `"pipe" is a named pipe, which has no content to read or change`},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, words(run(t, env, "grep", `{"pattern":`+test.arguments+`}`))); diff != "" {
			t.Errorf("%s:\n%s", test.arguments, diff)
		}
	}
	if d := details(t, run(t, env, "grep", `{"pattern":"needle"}`)); d["matches"] != 6.0 || d["files"] != 4.0 || d["truncated"] != false {
		t.Errorf("details %v", d)
	}
}

func TestGrepLong(t *testing.T) {
	wide := strings.Repeat("é", 5000)
	env := box(t, map[string]string{
		"wide": wide + "needle" + wide + "\n",
		"huge": strings.Repeat("h", 3<<20) + "needle\nneedle after\n",
		"many": strings.Repeat("needle\n", 5000),
		"bad":  "needle \xff\xfe\n",
	})
	got := words(run(t, env, "grep", `{"pattern":"needle","path":"wide"}`))
	if !strings.HasPrefix(got, "wide:1:…é") || !strings.HasSuffix(got, "é…") || !strings.Contains(got, "éneedleé") || len(got) > 450 {
		t.Errorf("got %q", got)
	}
	if got := words(run(t, env, "grep", `{"pattern":"needle","path":"huge"}`)); got != "huge:2:needle after" {
		t.Errorf("got %.100q", got)
	}
	if got := words(run(t, env, "grep", `{"pattern":"needle","path":"bad"}`)); got != "bad:1:needle \ufffd" {
		t.Errorf("got %q", got)
	}
	if d := details(t, run(t, env, "grep", `{"pattern":"needle","path":"many","limit":1000}`)); d["matches"] != 1000.0 || d["truncated"] != true {
		t.Errorf("details %v", d)
	}
}

func TestFind(t *testing.T) {
	env := box(t, tree(t))
	tests := []struct{ arguments, want string }{
		{`"*.go"`, "main.go\nsrc/build/in.go\n"},
		{`"**/*.go"`, "main.go\nsrc/build/in.go\n"},
		{`"src/**/*.go"`, "src/build/in.go\n"},
		{`"src/**"`, "src/.gitignore\nsrc/build/\nsrc/build/in.go\nsrc/data.bin\nsrc/deep/\nsrc/deep/a/\nsrc/deep/a/b/\nsrc/deep/a/b/c_test.c\nsrc/trace.log\nsrc/view.ts\n"},
		{`"./src/*.{ts,bin}"`, "src/data.bin\nsrc/view.ts\n"},
		{`"build/"`, "src/build/\n"},
		{`"*_test.?"`, "src/deep/a/b/c_test.c\n"},
		{`"*.go","path":"src"`, "src/build/in.go\n"},
		{`"gen","path":"src"`, "[nothing found]"},
		{`"*.go","path":"build"`, "build/out.go\n"},
		{`"*.log"`, "keep.log\nsrc/trace.log\n"},
		{`"*","limit":2`, ".gitignore\nkeep.log\n[only the first 2; there are more]"},
		{`"*","path":"main.go"`, `"main.go" is no directory`},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, words(run(t, env, "find", `{"pattern":`+test.arguments+`}`))); diff != "" {
			t.Errorf("%s:\n%s", test.arguments, diff)
		}
	}
	// The rules of a repository hold in a session in one of its directories.
	env.Dir = filepath.Join(env.Dir, "src")
	if got := words(run(t, env, "find", `{"pattern":"*.{log,go}"}`)); got != "build/in.go\ntrace.log\n" {
		t.Errorf("in a directory below: %q", got)
	}
}

func TestFindMany(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("d%d/file%04d", i%7, i)] = ""
	}
	env := box(t, files)
	r := run(t, env, "find", `{"pattern":"file*","limit":2000}`)
	if d := details(t, r); d["files"] != 2000.0 || d["truncated"] != true {
		t.Errorf("details %s", r.Details)
	}
}

// TestIgnoreAsGit compares what is ignored with what git 2.39 ignores, which is
// recorded; and with git itself where there is one.
func TestIgnoreAsGit(t *testing.T) {
	git, _ := exec.LookPath("git") // "" where there is none
	rules := []string{
		"*.o", "/top", "dir/", "a/b", "**/deep", "deep/**", "x/**/y", "!keep.o", "\\#hash", "\\!bang", "# comment", "", "trail ", "trail2\\ ",
		"[ab].c", "[!ab].d", "[]x].e", "[a-c-]q", "[[:digit:]]n", "*.[!/]", "foo*bar", "f**o", "a?c", "sub/*", "!sub/in", "mid/**", "!mid/in/",
		"star/*/end", "/**/any", "***", "end\\", "[open", "sp ace", "é*", "tab\t", "**/", "/", "dir2//", "cr\r", "a**/z", "x/y/", "[[:nope:]]r", "[[:]w", "[[:a]v:]", "*/one", "/fo**", "st**/end", "s?**/end", "x**", "[a-b]**/z",
	}
	names := []string{
		"m.o", "keep.o", "top", "s/top", "dir/f", "s/dir/f", "dirf", "a/b", "s/a/b", "deep/f", "s/deep/g", "x/y", "x/1/y", "x/1/2/y", "#hash", "!bang",
		"trail", "trail2 ", "a.c", "c.c", "a.d", "c.d", "].e", "x.e", "-q", "bq", "dq", "1n", "xn", "v.z", "fooXbar", "foobar", "fo", "fxxo", "abc", "a/c",
		"sub/in", "sub/out", "mid/in/f", "mid/out", "star/1/end", "star/1/2/end", "any", "s/any", "end", "open", "[open", "sp ace", "éa", "tab", "tab\t",
		"dir2/f", "cr", "ab/z", "a/1/z", "az", "ar", "k/one", "k/l/one", "one", ":w", "]w", "av:]",
	}
	env := box(t, map[string]string{"s/.gitignore": "!m.o\n*.zz\n/inner\n", "s/m.o": "", "s/k.zz": "", "s/inner": "", "s/t/inner": ""})
	for _, name := range names {
		path := filepath.Join(env.Dir, name)
		for dir := filepath.Dir(path); dir != env.Dir; dir = filepath.Dir(dir) {
			// Some names are those of a file and of a directory.
			if info, err := os.Stat(dir); err == nil && !info.IsDir() {
				if err := os.Remove(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			put(t, path, "")
		}
	}
	inGit := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Env = env.Dir, append(env.Environ, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if git != "" {
		inGit("init", "-q")
	}
	all := shownFiles(t, env)
	var record strings.Builder
	for i := range rules {
		// Each rule by itself, and with those after it.
		for _, set := range [][]string{rules[i : i+1], rules[i:min(i+4, len(rules))]} {
			put(t, filepath.Join(env.Dir, ".gitignore"), strings.Join(set, "\n")+"\n")
			got := shownFiles(t, env)
			if git != "" {
				want := strings.FieldsFunc(inGit("ls-files", "-z", "--others", "--exclude-standard"), func(c rune) bool { return c == 0 })
				slices.Sort(want)
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("rules %q (git -, here +):\n%s", set, diff)
				}
			}
			fmt.Fprintf(&record, "%q\n\t%q\n", set, slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return slices.Contains(got, name)
			}))
		}
	}
	golden.Compare(t, "gitignore", record.String())
}

// shownFiles are the files that find shows, in order.
func shownFiles(t *testing.T, env tool.Env) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(words(run(t, env, "find", `{"pattern":"**"}`))) {
		name := strings.TrimSuffix(line, "\n")
		if whole, err := strconv.Unquote(name); err == nil {
			name = whole
		}
		if !strings.HasSuffix(name, "/") && name != "[nothing found]" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
