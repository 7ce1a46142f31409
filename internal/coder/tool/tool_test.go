package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestAll(t *testing.T) {
	want := []string{"read", "bash", "edit", "write", "grep", "find", "ls"}
	if diff := cmp.Diff(want, tool.Names()); diff != "" {
		t.Error(diff)
	}
	all := tool.All()
	for _, name := range want {
		one := tool.Find(all, name)
		if one == nil || one.Spec().Name != name {
			t.Fatalf("Find %q: %v", name, one)
		}
		if changes := slices.Contains([]string{"bash", "edit", "write"}, name); one.Changes() != changes {
			t.Errorf("%s: Changes is %v", name, one.Changes())
		}
		var form struct {
			Type       string `json:"type"`
			Properties map[string]struct {
				Type        string `json:"type"`
				Description string `json:"description"`
			} `json:"properties"`
			Required             []string `json:"required"`
			AdditionalProperties *bool    `json:"additionalProperties"`
		}
		if err := json.Unmarshal(one.Spec().Parameters, &form); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if form.Type != "object" || form.AdditionalProperties == nil || *form.AdditionalProperties {
			t.Errorf("%s: parameters %s", name, one.Spec().Parameters)
		}
		// What the schema names is known, and nothing else is: the message on
		// an unknown argument lists the known ones.
		r := run(t, box(t, nil), name, `{"zzz":1}`)
		for property, p := range form.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: %q has no type or description", name, property)
			}
			if !strings.Contains(words(r), property) {
				t.Errorf("%s: %q is not among the known: %s", name, property, words(r))
			}
		}
		if !r.IsError || !strings.Contains(words(r), `"zzz" is unknown`) {
			t.Errorf("%s: %s", name, words(r))
		}
		for _, property := range form.Required {
			if !strings.Contains(words(r), `"`+property+`" is missing`) {
				t.Errorf("%s: %q is not missed: %s", name, property, words(r))
			}
		}
	}
	if got := tool.Find(all, "Read"); got != nil {
		t.Errorf("Find of what there is not: %v", got)
	}
}

func TestBadArguments(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"read", ``, `"path" is missing (a string)`},
		{"read", `null`, `"path" is missing`},
		{"read", `[]`, "an array, not an object"},
		{"read", `{"path":`, "not valid JSON"},
		{"read", `{"path":"a"} x`, "not valid JSON"},
		{"read", `{"path":"a","path":"b"}`, "duplicate"},
		{"write", `{"path":"a","content":"\ud800"}`, "not valid JSON"},
		{"read", `{"path":7}`, `"path" is a number, not a string`},
		{"read", `{"path":null}`, `"path" is missing`},
		{"read", `{"path":""}`, "path is empty"},
		{"read", `{"path":"a\u0000b"}`, "NUL"},
		{"read", `{"path":"a","limit":"many"}`, `"limit" is "many", not a whole number`},
		{"read", `{"path":"a","limit":1.5}`, `"limit" is 1.5, not a whole number`},
		{"read", `{"path":"a","limit":0}`, `"limit" is 0, not between 1 and 2000`},
		{"read", `{"path":"a","offset":-3,"limit":[1]}`, `"offset" is -3, not between 1 and 2147483647; "limit" is an array, not a whole number`},
		{"grep", `{"pattern":"a","literal":"maybe"}`, `"literal" is "maybe", not true or false`},
		{"grep", `{"pattern":"a("}`, "cannot be understood"},
		{"grep", `{"pattern":""}`, "pattern is empty"},
		{"find", `{"pattern":"[a"}`, `a "[" has no "]"`},
		{"find", `{"pattern":"{a"}`, `a "{" has no "}"`},
		{"bash", `{"command":"a","timeout":"x"}`, `"timeout" is "x"`},
		{"bash", `{"command":"a\u0000b"}`, "NUL"},
		{"edit", `{"path":"a"}`, `"oldText" is missing`},
		{"edit", `{"path":"a","edits":[]}`, `"edits" is empty`},
		{"edit", `{"path":"a","edits":{}}`, `"edits" is an object, not an array`},
		{"edit", `{"path":"a","edits":[{"oldText":"x"},{}]}`, `edit 1 has bad arguments: "newText" is missing`},
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y","all":true}]}`, `"all" is unknown (known are oldText, newText)`},
	}
	for _, test := range tests {
		r := run(t, box(t, nil), test.name, test.arguments)
		if !r.IsError || !strings.Contains(words(r), test.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", test.name, test.arguments, words(r), test.want)
		}
	}
}

func TestTolerated(t *testing.T) {
	env := box(t, map[string]string{"a": "1\n2\n3\n"})
	if got := words(run(t, env, "read", `{"path":"a","offset":"2","limit":1.0}`)); !strings.HasPrefix(got, "2\n[") {
		t.Errorf("numbers as strings: %q", got)
	}
	if got := words(run(t, env, "grep", `{"pattern":"2","literal":"true","path":null}`)); got != "a:2:2" {
		t.Errorf("a truth as a string: %q", got)
	}
	if r := run(t, env, "edit", `{"path":"a","edits":"[{\"oldText\":\"2\",\"newText\":\"two\"}]"}`); r.IsError {
		t.Errorf("an array as a string: %s", words(r))
	}
}

// TestPlaces asks every tool for places within and outside the directory.
func TestPlaces(t *testing.T) {
	env := box(t, map[string]string{"in/file": "inside\n"})
	base := filepath.Dir(env.Dir)
	put(t, filepath.Join(base, "secret/file"), "outside\n")
	put(t, filepath.Join(base, "home/note"), "at home\n")
	put(t, filepath.Join(base, "workbench/file"), "beside\n")
	for name, to := range map[string]string{
		"out": "../secret", "outfile": "../secret/file", "absolute": filepath.Join(base, "secret"),
		"around": filepath.Join(env.Dir, "in"), "hop": "in/../../secret", "step": "out/file",
		"nowhere": "../secret/new", "loop": "loop", "in/back": "../in", "up": "..",
	} {
		if err := os.Symlink(to, filepath.Join(env.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	outside := []string{
		"../secret/file", filepath.Join(base, "secret/file"), "/etc/passwd", "~/note", "~", "..", "/",
		"out/file", "outfile", "absolute/file", "hop/file", "step", "nowhere", "nowhere/x", "../workbench/file",
		"in/../../secret/file", "up/secret/file", "in/back/../../out/file", "../missing/x",
	}
	calls := map[string]string{
		"read": `{"path":P}`, "write": `{"path":P,"content":"x"}`, "edit": `{"path":P,"oldText":"o","newText":"x"}`,
		"grep": `{"path":P,"pattern":"."}`, "find": `{"path":P,"pattern":"*"}`, "ls": `{"path":P}`,
	}
	for name, call := range calls {
		for _, path := range outside {
			r := run(t, env, name, strings.ReplaceAll(call, "P", quote(path)))
			if !r.IsError || !strings.HasPrefix(words(r), "refused: ") || !strings.Contains(words(r), tool.OutsideFlag) {
				t.Errorf("%s %s: %s", name, path, words(r))
			}
		}
		r := run(t, env, name, strings.ReplaceAll(call, "P", `"loop/x"`))
		if !r.IsError || !strings.Contains(words(r), "too many symbolic links") {
			t.Errorf("%s of a loop: %s", name, words(r))
		}
	}
	if got := get(t, filepath.Join(base, "secret/file")); got != "outside\n" {
		t.Errorf("the file outside is %q", got)
	}
	for _, path := range []string{"in/file", "around/file", "in/back/file", "./in/../in/file", filepath.Join(env.Dir, "in/file")} {
		if r := run(t, env, "read", `{"path":`+quote(path)+`}`); words(r) != "inside\n" {
			t.Errorf("read %s: %s", path, words(r))
		}
	}

	env.Outside = true
	for path, want := range map[string]string{"~/note": "at home\n", "out/file": "outside\n", "../workbench/file": "beside\n"} {
		if r := run(t, env, "read", `{"path":`+quote(path)+`}`); words(r) != want {
			t.Errorf("read %s with Outside: %s", path, words(r))
		}
	}
	if r := run(t, env, "write", `{"path":"nowhere","content":"x"}`); r.IsError || get(t, filepath.Join(base, "secret/new")) != "x" {
		t.Errorf("write with Outside: %s", words(r))
	}
}

func TestArtifactsMayBeSeen(t *testing.T) {
	env := box(t, nil)
	env.ArtifactDir = filepath.Join(filepath.Dir(env.Dir), "session")
	log := filepath.Join(env.ArtifactDir, "0.bash.log")
	put(t, log, "long\n")
	put(t, filepath.Join(filepath.Dir(env.Dir), "session.jsonl"), "no")
	if r := run(t, env, "read", `{"path":`+quote(log)+`}`); words(r) != "long\n" {
		t.Error(words(r))
	}
	if r := run(t, env, "grep", `{"pattern":"lo","path":`+quote(env.ArtifactDir)+`}`); words(r) != log+":1:long" {
		t.Error(words(r))
	}
	if r := run(t, env, "write", `{"content":"x","path":`+quote(log)+`}`); !strings.HasPrefix(words(r), "refused: ") {
		t.Error(words(r))
	}
	if r := run(t, env, "read", `{"path":`+quote(env.ArtifactDir+".jsonl")+`}`); !strings.HasPrefix(words(r), "refused: ") {
		t.Error(words(r))
	}
}

func TestDirectoryGone(t *testing.T) {
	env := box(t, nil)
	if err := os.Remove(env.Dir); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]string{
		"read": `{"path":"a"}`, "write": `{"path":"a","content":""}`, "bash": `{"command":"true"}`, "grep": `{"pattern":"a"}`, "ls": `{}`,
	} {
		r := run(t, env, name, call)
		if want := "the session's directory " + quote(env.Dir) + " cannot be reached: no such file"; !r.IsError || !strings.HasPrefix(words(r), want) {
			t.Errorf("%s: %s", name, words(r))
		}
	}
}

// A fuse is a context that ends once it has been asked a number of times.
type fuse struct {
	context.Context
	left atomic.Int64
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestStoppedOnTheWay ends calls in the middle of what they read.
func TestStoppedOnTheWay(t *testing.T) {
	files := map[string]string{"long": strings.Repeat("x\n", 1<<20), "line": strings.Repeat("x", 20<<20)}
	for i := range 300 {
		files[fmt.Sprintf("d/%d/f", i)] = "x\n"
	}
	env := box(t, files)
	for name, calls := range map[string][]string{
		"read": {`{"path":"long","offset":1000000}`, `{"path":"line","offset":2}`},
		"grep": {`{"pattern":"none"}`, `{"pattern":"none","path":"long"}`, `{"pattern":"y","path":"line"}`},
		"find": {`{"pattern":"none"}`},
	} {
		for _, call := range calls {
			ctx := &fuse{Context: context.Background()}
			ctx.left.Store(12)
			r := runIn(t, ctx, env, name, call)
			if !r.IsError || !strings.Contains(words(r), "stopped before it was done") {
				t.Errorf("%s %s: %.200s", name, call, words(r))
			}
			if asked := 12 - ctx.left.Load(); asked > 20 {
				t.Errorf("%s %s: went on and asked %d times", name, call, asked)
			}
		}
	}
}

// TestStopped calls every tool with a context that has ended.
func TestStopped(t *testing.T) {
	env := box(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]string{
		"read": `{"path":"a"}`, "write": `{"path":"a","content":"y"}`, "bash": `{"command":"echo y >a"}`, "ls": `{}`,
		"grep": `{"pattern":"x"}`, "find": `{"pattern":"*"}`, "edit": `{"path":"a","oldText":"x","newText":"y"}`,
	} {
		r := runIn(t, ctx, env, name, call)
		if !r.IsError || !strings.Contains(words(r), "stopped before it") {
			t.Errorf("%s: %s", name, words(r))
		}
	}
	if got := get(t, filepath.Join(env.Dir, "a")); got != "x\n" {
		t.Errorf("the file is %q", got)
	}
}
