package exchange_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// TestHomesDiffer: the header is the one line that differs.
func TestHomesDiffer(t *testing.T) {
	ada, bob, share := pairOf(t)
	for path, want := range map[string]string{
		only(t, share): `"cwd":"~/p"`, only(t, bob.home): `"cwd":"` + bob.home + `/p"`, only(t, ada.home): `"cwd":"` + ada.home + `/p"`,
	} {
		if got := read(t, path); !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s has no %s:\n%s", path, want, got)
		}
	}
	if got, want := only(t, bob.home), places.DirName("pi", bob.home+"/p", bob.env()); filepath.Base(filepath.Dir(got)) != want {
		t.Errorf("bob's session is in %s, want %s", got, want)
	}
	if got, want := only(t, share), filepath.Join(share, "pi", "sessions", "home-p", "s.jsonl"); got != want {
		t.Errorf("in the directory it is %s, want %s", got, want)
	}
}

// TestOutsideIsRefused: what would lead elsewhere is told, and not written.
func TestOutsideIsRefused(t *testing.T) {
	climb := newMachine(t, "x")
	share := t.TempDir()
	dir := filepath.Join(share, "pi", "sessions", "p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, cwd := range []string{"~/../../etc", "~/a/../../../b"} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".jsonl")), text(header("pi", fmt.Sprint("c", i), cwd), line("1", "", "01", "x")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "e.jsonl"), text(header("pi", "e", "/e")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{filepath.Join(share, "pi", "sessions", "link"), filepath.Join(dir, "link.jsonl")} {
		target := elsewhere
		if strings.HasSuffix(link, ident.Ext) {
			target = filepath.Join(elsewhere, "e.jsonl")
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	rep, failed, err := climb.sync(exchange.Directory(share), exchange.Options{})
	if err != nil || rep.Failed != 4 || len(failed) != 4 {
		t.Fatalf("sync: %v, %+v, %v", err, rep, failed)
	}
	for _, f := range failed {
		if !errors.Is(f.Err, exchange.ErrOutside) {
			t.Errorf("%s: %v", f.Name, f.Err)
		}
	}
	if got := files(t, climb.home); len(got) != 0 {
		t.Errorf("written: %v", got)
	}
}

// TestLinkedRootIsRefused: nothing at all is written through a linked directory.
func TestLinkedRootIsRefused(t *testing.T) {
	ada := newMachine(t, "ada")
	ada.write(t, "pi", "--p--", "s.jsonl", text(header("pi", "s", "/p"), line("1", "", "01", "x")))
	share, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(share, "pi")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ada.sync(exchange.Directory(share), exchange.Options{}); !errors.Is(err, exchange.ErrOutside) {
		t.Errorf("sync: %v", err)
	}
	if got := files(t, elsewhere); len(got) != 0 {
		t.Errorf("written: %v", got)
	}
}

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		text string
		want exchange.Mapping
		bad  bool
	}{
		{"/srv=/data", exchange.Mapping{From: "/srv", To: "/data"}, false},
		{"~/work/=~/w/", exchange.Mapping{From: "~/work", To: "/home/ada/w"}, false},
		{"/srv", exchange.Mapping{}, true},
		{"=/x", exchange.Mapping{}, true},
		{"/srv=rel", exchange.Mapping{}, true},
		{"srv=/rel", exchange.Mapping{}, true},
		{"/srv/../x=/y", exchange.Mapping{}, true},
		{"/srv=/y/../../etc", exchange.Mapping{}, true},
		{"~bob/x=/y", exchange.Mapping{}, true},
	} {
		got, err := exchange.ParseMapping(c.text, "/home/ada")
		if (err != nil) != c.bad || err == nil && got != c.want {
			t.Errorf("ParseMapping(%q) = %v, %v; want %v, bad %v", c.text, got, err, c.want, c.bad)
		}
	}
}

// TestMappedDirectories: a directory outside the home goes where it is said to.
func TestMappedDirectories(t *testing.T) {
	ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
	ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", "/srv/code/x"), line("1", "", "01", "x")))
	ada.mustSync(t, exchange.Directory(share))
	maps := []exchange.Mapping{{From: "/srv", To: "/other"}, {From: "/srv/code", To: "/mnt/code"}}
	if _, failed, err := bob.sync(exchange.Directory(share), exchange.Options{Maps: maps}); err != nil || len(failed) > 0 {
		t.Fatal(err, failed)
	}
	if got := read(t, only(t, bob.home)); !bytes.Contains(got, []byte(`"cwd":"/mnt/code/x"`)) {
		t.Errorf("bob has\n%s", got)
	}
	bob.write(t, "pi", "p", "b.jsonl", text(header("pi", "b", "/mnt/code/y"), line("1", "", "01", "y")))
	if _, failed, err := bob.sync(exchange.Directory(share), exchange.Options{Maps: maps}); err != nil || len(failed) > 0 {
		t.Fatal(err, failed)
	}
	if got := read(t, filepath.Join(share, "pi", "sessions", "--srv-code-y--", "b.jsonl")); !bytes.Contains(got, []byte(`"cwd":"/srv/code/y"`)) {
		t.Errorf("the directory has\n%s", got)
	}
}

// TestRelativeDirectory: a directory that is not absolute, in what another machine
// sends, is no directory of this one; the header keeps it.
func TestRelativeDirectory(t *testing.T) {
	for _, cwd := range []string{"work/x", "../../etc", ".", "", `C:\\work`} {
		ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
		dir := filepath.Join(share, "cambium", "sessions", "x")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		data := text(header("cambium", "s", cwd), line("00000001", "", "01", "one"))
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*machine{ada, bob} {
			env := m.env()
			env.Cwd = filepath.Join(m.home, "started", "here")
			if _, err := exchange.Run(t.Context(), exchange.Homes(env, layout.Overrides{}), exchange.Directory(share), exchange.Options{}); err != nil {
				t.Fatal(err)
			}
			path := only(t, m.home)
			if strings.Contains(path, "started") {
				t.Errorf("%q is kept at %q", cwd, path)
			}
			if got := read(t, path); !bytes.Equal(got, data) {
				t.Errorf("%q reads %s", cwd, got)
			}
		}
	}
}
