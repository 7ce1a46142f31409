package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/google/go-cmp/cmp"
)

// repository makes a working tree of the recorded repository.
func repository(t *testing.T, top string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(top, ".git"), os.DirFS("../internal/gitroot/testdata/offset")); err != nil {
		t.Fatal(err)
	}
}

func TestMoved(t *testing.T) {
	mkdir := func(t *testing.T, dir string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	rename := func(t *testing.T, old, now string) {
		t.Helper()
		mkdir(t, filepath.Dir(now))
		if err := os.Rename(old, now); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		before func(t *testing.T, top string) // while top/code/p/sub is there
		after  func(t *testing.T, top string)
		cwd    string // "" for top/code/p
		here   string
		want   []catalog.Candidate // below top
	}{
		{name: "renamed", after: func(t *testing.T, top string) { rename(t, top+"/code/p", top+"/code/q") },
			want: []catalog.Candidate{{Dir: "code/q", Same: true}}},
		{name: "the directory above renamed", after: func(t *testing.T, top string) { rename(t, top+"/code", top+"/src") },
			want: []catalog.Candidate{{Dir: "src/p", Same: true}}},
		{name: "put elsewhere under its name", after: func(t *testing.T, top string) { rename(t, top+"/code/p", top+"/archive/p") },
			want: []catalog.Candidate{{Dir: "archive/p", Same: true}}},
		{name: "the present directory, far away", after: func(t *testing.T, top string) { rename(t, top+"/code/p", top+"/x/y/z/q") },
			here: "x/y/z/q", want: []catalog.Candidate{{Dir: "x/y/z/q", Same: true}}},
		{name: "removed", after: func(t *testing.T, top string) {
			mkdir(t, top+"/code/other")
			if err := os.RemoveAll(top + "/code/p"); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "cloned anew", before: func(t *testing.T, top string) { repository(t, top+"/code/p") },
			after: func(t *testing.T, top string) {
				repository(t, top+"/code/clone")
				if err := os.RemoveAll(top + "/code/p"); err != nil {
					t.Fatal(err)
				}
			}, want: []catalog.Candidate{{Dir: "code/clone"}}},
		{name: "part of what was cloned anew", before: func(t *testing.T, top string) { repository(t, top+"/code/p") },
			after: func(t *testing.T, top string) {
				repository(t, top+"/code/clone")
				mkdir(t, top+"/code/clone/sub")
				if err := os.RemoveAll(top + "/code/p"); err != nil {
					t.Fatal(err)
				}
			}, cwd: "code/p/sub", want: []catalog.Candidate{{Dir: "code/clone/sub"}}},
		{name: "a linked working tree", after: func(t *testing.T, top string) {
			repository(t, top+"/code/main") // before: a file system may give an inode again
			mkdir(t, top+"/code/main/.git/worktrees/p")
			if err := os.RemoveAll(top + "/code/p"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(top+"/code/main/.git/worktrees/p/gitdir", []byte(top+"/code/p/.git\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: []catalog.Candidate{{Dir: "code/main"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			mkdir(t, top+"/code/p/sub")
			if tt.before != nil {
				tt.before(t, top)
			}
			cwd := filepath.Join(top, "code/p")
			if tt.cwd != "" {
				cwd = filepath.Join(top, tt.cwd)
			}
			env := layout.Env{Home: filepath.Join(top, "home")}
			trail := catalog.Trail{Env: env, Terminal: "/dev/pts/1"}
			if err := trail.Visit(catalog.Visit{Agent: dialect.Pi, CWD: cwd, Path: top + "/s.jsonl"}); err != nil {
				t.Fatal(err)
			}
			o := catalog.Options{Env: env}
			if catalog.Gone(cwd, o) {
				t.Error("gone already")
			}
			tt.after(t, top)
			if !catalog.Gone(cwd, o) {
				t.Error("not gone")
			}
			if tt.here != "" {
				o.CWD = filepath.Join(top, tt.here)
			}
			var want []catalog.Candidate
			for _, c := range tt.want {
				c.Dir = filepath.Join(top, c.Dir)
				want = append(want, c)
			}
			if diff := cmp.Diff(want, catalog.Moved(context.Background(), cwd, o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
