package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/message"
	"github.com/google/go-cmp/cmp"
)

// edits writes pairs of old and new text as arguments.
func edits(path string, pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"oldText":%s,"newText":%s}`, quote(pairs[i]), quote(pairs[i+1])))
	}
	return fmt.Sprintf(`{"path":%s,"edits":[%s]}`, quote(path), strings.Join(list, ","))
}

func TestEdit(t *testing.T) {
	const bom = "\ufeff"
	tests := []struct {
		name, before string
		pairs        []string
		want         string
	}{
		{"one", "a\nb\nc\n", []string{"b", "B"}, "a\nB\nc\n"},
		{"two, not in order", "a\nb\nc\n", []string{"c", "C", "a", "A"}, "A\nb\nC\n"},
		{"against the original", "a b", []string{"a", "b", "b", "a"}, "b a"},
		{"side by side", "ab", []string{"a", "x", "b", "y"}, "xy"},
		{"taken away", "a\nb\nc\n", []string{"b\n", ""}, "a\nc\n"},
		{"all", "a", []string{"a", "\n"}, "\n"},
		{"windows lines", "a\r\nb\r\nc\r\n", []string{"a\nb", "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n"},
		{"windows lines given as such", "a\r\nb\r\n", []string{"a\r\nb", "x\r\ny"}, "x\r\ny\r\n"},
		{"in one line of windows lines", "a\r\nb\r\n", []string{"b", "b\nc"}, "a\r\nb\r\nc\r\n"},
		{"the end of a line only", "a\r\nb", []string{"\n", "-"}, "a-b"},
		{"mixed lines stay", "a\r\nb\nc\r\nd\n", []string{"b", "B"}, "a\r\nB\nc\r\nd\n"},
		{"mixed lines, a plain place", "a\r\nb\nc\nd\r\n", []string{"b\nc", "x\ny"}, "a\r\nx\ny\nd\r\n"},
		{"mark kept", bom + "a\nb\n", []string{"a", "A"}, bom + "A\nb\n"},
		{"mark given", bom + "a\r\n", []string{bom + "a\n", bom + "A\n"}, bom + "A\r\n"},
		{"not UTF-8 stays", "\xff a \xfe", []string{"a", "é"}, "\xff é \xfe"},
		{"a lone return stays", "a\rb\nc", []string{"c", "d"}, "a\rb\nd"},
		{"no end of line", "a\nb", []string{"b", "c\n"}, "a\nc\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := box(t, map[string]string{"f": test.before})
			r := run(t, env, "edit", edits("f", test.pairs...))
			if got := get(t, filepath.Join(env.Dir, "f")); r.IsError || got != test.want {
				t.Errorf("got %q, want %q; %s", got, test.want, words(r))
			}
		})
	}
}

func TestEditRefused(t *testing.T) {
	code := "package x\n\nfunc a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 2\n}\n"
	tests := []struct {
		name, before string
		pairs        []string
		want         string
	}{
		{"twice", "a\nx\na\n", []string{"a", "b"}, "more than once, at the lines 1, 3; take more"},
		{"overlapping itself", "aaa", []string{"aa", "b"}, "more than once, at the lines 1, 1"},
		{"very often", strings.Repeat("a\n", 9), []string{"a", "b"}, "at the lines 1, 2, 3, 4, 5 and more"},
		{"overlap", "abc", []string{"ab", "x", "bc", "y"}, "edits 1 and 2 overlap at line 1"},
		{"the same twice", "a\nb\n", []string{"b", "x", "b", "x"}, "edits 1 and 2 overlap at line 2"},
		{"empty", "a", []string{"", "x"}, "oldText is empty"},
		{"nothing new", "a\r\n", []string{"a\n", "a\r\n"}, "nothing would change"},
		{"one of two", "a b", []string{"a", "x", "c", "y"}, "edit 2: oldText is not in the file"},
		{"white space", code, []string{"func b() {\n    return 2\n}", "x"},
			`closest place begins at line 7 and differs in white space at line 8, where the file has "\treturn 2" and oldText "    return 2"`},
		{"another line", code, []string{"func a() {\n\treturn 7\n}", "x"},
			`begins at line 3 and differs at line 4, where the file has "\treturn 1" and oldText "\treturn 7"`},
		{"a word", code, []string{"func bb() {}", "x"}, `the closest is line 7, which is "func b() {"`},
		{"behind the end", "a\nb", []string{"b\nc", "x"}, "the file ends at line 2"},
		{"nothing like it", code, []string{"?????", "x"}, "nothing in it is close to it"},
		{"an empty file", "", []string{"a", "x"}, "oldText is not in the file"},
		{"blank lines", "a\nb", []string{"\na\n", "x"}, "the empty lines before or after"},
		{"binary", "a\x00", []string{"a", "x"}, "is binary data, not text that can be edited"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := box(t, map[string]string{"f": test.before})
			r := run(t, env, "edit", edits("f", test.pairs...))
			if !r.IsError || !strings.Contains(words(r), test.want) {
				t.Errorf("got %s\nwant %s", words(r), test.want)
			}
			if got := get(t, filepath.Join(env.Dir, "f")); got != test.before {
				t.Errorf("the file is %q", got)
			}
			if entries, err := os.ReadDir(env.Dir); err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
	env := box(t, map[string]string{"dir/x": ""})
	for path, want := range map[string]string{"dir": "is a directory", "none": "no such file"} {
		if r := run(t, env, "edit", edits(path, "a", "b")); !r.IsError || !strings.Contains(words(r), want) {
			t.Errorf("%s: %s", path, words(r))
		}
	}
}

func TestEditDetails(t *testing.T) {
	env := box(t, map[string]string{"f": numbered(20)})
	r := run(t, env, "edit", edits("f", "line 3\n", "", "line 15", "line xv\nline xvi"))
	d := details(t, r)
	want := "@@ -1,6 +1,5 @@\n line 1\n line 2\n-line 3\n line 4\n line 5\n line 6\n" +
		"@@ -12,7 +11,8 @@\n line 12\n line 13\n line 14\n-line 15\n+line xv\n+line xvi\n line 16\n line 17\n line 18\n"
	if diff := cmp.Diff(want, d["diff"]); diff != "" {
		t.Error(diff)
	}
	if d["firstChangedLine"] != 3.0 || d["added"] != 2.0 || d["removed"] != 2.0 || d["path"] != "f" {
		t.Errorf("details %s", r.Details)
	}
	if want := "changed f: 2 replacements, line 3 is the first; 2 lines added, 2 lines removed"; words(r) != want {
		t.Error(words(r))
	}
	r = run(t, env, "edit", `{"path":"f","oldText":"line 20\n","newText":"end"}`)
	if d := details(t, r); !strings.HasSuffix(d["diff"].(string), "-line 20\n+end\n\\ No newline at end of file\n") {
		t.Errorf("diff %s", d["diff"])
	}
}

func TestWrite(t *testing.T) {
	env := box(t, map[string]string{"old": "a\nb\n", "data": "\x00"})
	r := run(t, env, "write", `{"path":"new/deep/file","content":"one\ntwo"}`)
	if want := "made new/deep/file: 7 bytes, 2 lines"; words(r) != want || get(t, filepath.Join(env.Dir, "new/deep/file")) != "one\ntwo" {
		t.Error(words(r))
	}
	if d := details(t, r); d["created"] != true || d["bytes"] != 7.0 || d["diff"] != nil {
		t.Errorf("details %s", r.Details)
	}
	r = run(t, env, "write", `{"path":"old","content":"a\nc\n"}`)
	if d := details(t, r); d["created"] != false || d["diff"] != "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" || d["firstChangedLine"] != 2.0 {
		t.Errorf("%s; details %s", words(r), r.Details)
	}
	if d := details(t, run(t, env, "write", `{"path":"data","content":""}`)); d["diff"] != nil || d["bytes"] != 0.0 {
		t.Errorf("details %v", d)
	}
	for path, want := range map[string]string{
		".": "is a directory", "old/x": "not a directory", strings.Repeat("n", 300): "name too long",
	} {
		r := run(t, env, "write", `{"content":"","path":`+quote(path)+`}`)
		if !r.IsError || !strings.Contains(words(r), want) {
			t.Errorf("%s: %s", path, words(r))
		}
	}
	long := strings.Repeat("n", 255)
	if r := run(t, env, "write", `{"content":"x","path":`+quote(long)+`}`); r.IsError {
		t.Error(words(r))
	}
}

// TestWriteKeeps replaces files of several modes, through links.
func TestWriteKeeps(t *testing.T) {
	env := box(t, map[string]string{"run.sh": "a", "fixed": "a", "dir/real": "a"})
	path := func(name string) string { return filepath.Join(env.Dir, name) }
	for name, mode := range map[string]os.FileMode{"run.sh": 0o751, "fixed": 0o444, "dir/real": 0o600} {
		if err := os.Chmod(path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("dir/real", path("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dir/later", path("dangling")); err != nil {
		t.Fatal(err)
	}
	if err := scratch.Mkfifo(path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, env, "edit", edits("run.sh", "a", "b")); r.IsError {
		t.Error(words(r))
	}
	for _, name := range []string{"link", "dangling"} {
		if r := run(t, env, "write", `{"path":`+quote(name)+`,"content":"b"}`); r.IsError {
			t.Error(words(r))
		}
	}
	for name, mode := range map[string]os.FileMode{"run.sh": 0o751, "dir/real": 0o600} {
		info, err := os.Lstat(path(name))
		if err != nil || info.Mode() != mode || get(t, path(name)) != "b" {
			t.Errorf("%s: %v, %v, %q", name, info.Mode(), err, get(t, path(name)))
		}
	}
	for name, to := range map[string]string{"link": "dir/real", "dangling": "dir/later"} {
		if is, err := os.Readlink(path(name)); err != nil || is != to {
			t.Errorf("%s leads to %q, %v", name, is, err)
		}
	}
	if got := get(t, path("dir/later")); got != "b" {
		t.Errorf("what the dangling link leads to is %q", got)
	}
	for name, want := range map[string]string{"fixed": "it is read-only", "pipe": "is a named pipe"} {
		r := run(t, env, "write", `{"path":`+quote(name)+`,"content":"b"}`)
		if !r.IsError || !strings.Contains(words(r), want) {
			t.Errorf("%s: %s", name, words(r))
		}
	}
}

// TestEditsAtOnce changes one file from many sides; none is lost.
func TestEditsAtOnce(t *testing.T) {
	const n = 40
	env := box(t, map[string]string{"f": numbered(n)})
	if err := os.Symlink("f", filepath.Join(env.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	one := tool.Find(tool.All(), "edit")
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			path := []string{"f", "link"}[i%2]
			r := one.Run(t.Context(), message.JSON(edits(path, fmt.Sprintf("line %d\n", i+1), fmt.Sprintf("row %d\n", i+1))), env)
			if r.IsError {
				t.Error(words(r))
			}
		})
	}
	all.Wait()
	if got, want := get(t, filepath.Join(env.Dir, "f")), strings.ReplaceAll(numbered(n), "line", "row"); got != want {
		t.Errorf("got %q", got)
	}
}
