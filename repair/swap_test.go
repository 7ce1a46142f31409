package repair_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
)

// private is in an entry of the file outside, which no doctor may touch.
const private = "BEGIN PRIVATE KEY of somebody"

// TestSwapped has a session file, what lies about beside it, or the directory of
// both become a link before each operation of a repair: nothing outside is
// repaired, moved, removed or copied.
func TestSwapped(t *testing.T) {
	base := "s.jsonl"
	secret := strings.Replace(lines(head, one, two), "one", private, 1) + three[:50]
	if !strings.Contains(secret, private) {
		secret = lines(head, said("e0000001", "", private)) + three[:50]
	}
	damages := map[string]map[string]string{
		"torn tail":   {base: lines(head, one, two) + three[:50]},
		"torn header": {base: lines(head[:95], one, two)},
		"temporary":   {base: lines(head, one, two), "." + base + ".cambium-tmp-1-abc": "nothing"},
		"forgotten":   {base: lines(head, one), base + ".123.bak": lines(head, one, two, three)},
	}
	for name, files := range damages {
		out := t.TempDir() // it is not to change
		put := func(top, text string) {
			for file, own := range files {
				if text != "" {
					own = text
				}
				path := filepath.Join(top, "p", file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(own), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
		}
		put(out, secret)
		for _, swap := range []string{"p/" + base, "p/." + base + ".cambium-tmp-1-abc", "p/" + base + ".123.bak", "p"} {
			if _, there := files[strings.TrimPrefix(swap, "p/")]; !there && swap != "p" {
				continue
			}
			for n := int64(1); ; n++ {
				top := t.TempDir()
				put(filepath.Join(top, "root"), "")
				step := &errorfs.Counter{}
				disk := errorfs.Wrap(errorfs.Light(vfs.OS()), func(op errorfs.Op) *errorfs.Fault { return step.Inject(op) })
				now := func() time.Time { return time.Unix(1_800_000_000, 0) }
				env := layout.Env{Home: filepath.Join(top, "home"), Cwd: "/w", Getenv: func(string) string { return "" }}
				doctor := repair.New(vfs.On(repair.Options{Env: env, Now: now, Keeper: state.New(state.Options{
					Dir: filepath.Join(top, "state"), FS: disk, Now: now, Random: rand.NewChaCha8([32]byte{1}),
				})}, disk))
				reports, err := doctor.Session(t.Context(), filepath.Join(top, "root/p", base))
				if err != nil {
					t.Fatal(err)
				}
				*step = errorfs.Counter{At: n, Then: func(errorfs.Op) {
					at := filepath.Join(top, "root", swap)
					if err := os.Rename(at, at+"-away"); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
					}
					if err := os.Symlink(filepath.Join(out, swap), at); err != nil {
						t.Error(err)
					}
				}}
				for _, r := range reports {
					_ = doctor.Fix(t.Context(), r) // it may fail, and it may be done
				}
				outside(t, top, out, len(files), secret, name+", "+swap, n)
				if !step.Fired() {
					if n < 4 {
						t.Errorf("%s: %d operations", name, n-1)
					}
					break
				}
			}
		}
	}
}

// outside fails when the files outside are not as they were, or others below top
// hold anything of them.
func outside(t *testing.T, top, out string, want int, secret, what string, n int64) {
	t.Helper()
	count := 0
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		switch {
		case strings.HasPrefix(path, out+"/"):
			if count++; string(data) != secret {
				t.Errorf("%s, operation %d: %s is %q", what, n, path, data)
			}
		case strings.Contains(string(data), "PRIVATE"):
			t.Errorf("%s, operation %d: %s holds what is outside", what, n, path)
		}
		return err
	}
	if err := errors.Join(filepath.WalkDir(top, look), filepath.WalkDir(out, look)); err != nil || count != want {
		t.Errorf("%s, operation %d: %d files are outside, want %d, %v", what, n, count, want, err)
	}
}

// TestLinksBeside: links among the artifacts of a session are notes, no damage, and
// nothing of what they lead to is looked at.
func TestLinksBeside(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "p/s.jsonl")
	err := errors.Join(os.MkdirAll(filepath.Join(top, "p/s/deep"), 0o700), os.MkdirAll(filepath.Join(top, "outside"), 0o700),
		os.WriteFile(path, []byte(lines(head, one)), 0o600), os.Symlink("../../outside", filepath.Join(top, "p/s/a")),
		os.Symlink("nowhere", filepath.Join(top, "outside/b")), os.Symlink("s", filepath.Join(top, "p/s/deep/c")))
	if err != nil {
		t.Fatal(err)
	}
	look := func() *repair.Report {
		env := layout.Env{Home: filepath.Join(top, "home"), Cwd: "/w", Getenv: func(string) string { return "" }}
		all, err := repair.New(repair.Options{Env: env}).Session(t.Context(), path)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d reports, %v", len(all), err)
		}
		return all[0]
	}
	r := look()
	if len(r.Findings) != 2 || r.Damaged() || r.Fixable() || r.Findings[0].Kind != "link" || !strings.Contains(r.Findings[0].Detail, "p/s/a") {
		t.Errorf("found %+v", r.Findings)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(top, "p/s")), os.Symlink("../outside", filepath.Join(top, "p/s"))); err != nil {
		t.Fatal(err)
	}
	if r = look(); len(r.Findings) != 1 || r.Damaged() || !strings.Contains(r.Findings[0].Detail, "p/s\"") {
		t.Errorf("found %+v", r.Findings)
	}
}
