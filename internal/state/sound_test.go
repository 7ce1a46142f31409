package state_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// mounts is a disk on which something is mounted at some places.
type mounts struct {
	vfs.FS
	at map[string]bool
}

func (m mounts) Mounted(name string) (bool, error) { return m.at[name], nil }

// TestCleanLeavesWhatIsNotOurs: only what has the names and the shape that Cambium gives
// is deleted, through no link and across no mount; the rest is said.
func TestCleanLeavesWhatIsNotOurs(t *testing.T) {
	root := t.TempDir()
	dir, out := filepath.Join(root, "cambium"), filepath.Join(root, "outside")
	later := func() time.Time { return time.Now().AddDate(1, 0, 0) }
	m := mounts{vfs.OS(), map[string]bool{}}
	j := state.New(state.Options{Dir: dir, FS: m, Now: time.Now, Random: rand.Reader})
	in := func(elem ...string) string { return filepath.Join(append([]string{dir}, elem...)...) }
	link := func(name string) string {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.Symlink(out, name)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(t, filepath.Join(out, "00aa.left"), "precious")
	write(t, filepath.Join(out, "0bfcfc64bff2", "bytes"), "precious")
	var strange []string
	item := func() string {
		file := write(t, filepath.Join(root, "s.jsonl"), content)
		return in("trash", trash(t, j, file).ID)
	}
	plain, holed, odd := item(), item(), item()
	write(t, filepath.Join(holed, "artifacts", "mnt", "precious"), "precious")
	m.at[filepath.Join(holed, "artifacts", "mnt")] = true
	write(t, filepath.Join(odd, "precious"), "precious")
	ours := []string{plain, in("kept", "0123456789ab"), in("presence", "00", "00aa.x"), in("presence", "00bb.y")}
	write(t, filepath.Join(ours[1], "bytes"), "old")
	write(t, ours[2], "{}")
	write(t, ours[3], "{}")
	write(t, in("kept", "0123456789ac", "mnt", "precious"), "precious")
	strange = append(strange, holed, odd, link(in("trash", "cccccccccccc")), link(in("presence", "50")),
		write(t, in("presence", "00", "notes.left"), "precious"), write(t, in("kept", "loosefile"), "precious"),
		link(in("kept", "dddddddddddd")), in("kept", "0123456789ac"), write(t, in("trash", "loosefile"), "precious"))

	old := state.New(state.Options{Dir: dir, FS: m, Now: later, Random: rand.Reader})
	clean := func() (gone, stay []string) {
		t.Helper()
		all, err := old.Usage(t.Context(), later())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range all {
			for _, l := range u.Left {
				stay = append(stay, l.Path)
				if strings.ContainsAny(l.Why, "\n") || l.Why == "" {
					t.Errorf("%s: %q", l.Path, l.Why)
				}
			}
			for _, w := range u.Waste {
				gone = append(gone, w.Path)
				if err := w.Remove(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
		slices.Sort(gone)
		slices.Sort(stay)
		return gone, stay
	}
	slices.Sort(ours)
	slices.Sort(strange)
	if gone, stay := clean(); !slices.Equal(gone, ours) || !slices.Equal(stay, strange) {
		t.Errorf("deleted\n%s\nwant\n%s\nleft\n%s\nwant\n%s", strings.Join(gone, "\n"), strings.Join(ours, "\n"), strings.Join(stay, "\n"), strings.Join(strange, "\n"))
	}
	if _, err := j.Empty(t.Context(), filepath.Base(holed)); !errors.Is(err, state.ErrNotOurs) {
		t.Errorf("emptied with a mount in it: %v", err)
	}
	for _, kind := range []string{"presence", "kept", "trash", "drafts"} {
		if err := os.RemoveAll(in(kind)); err != nil {
			t.Fatal(err)
		}
		link(in(kind))
		if gone, stay := clean(); len(gone) > 0 || !slices.Contains(stay, in(kind)) {
			t.Errorf("%s is a link: deleted %v, left %v", kind, gone, stay)
		}
	}
	if text := read(t, filepath.Join(out, "00aa.left")) + read(t, filepath.Join(out, "0bfcfc64bff2", "bytes")); text != "preciousprecious" {
		t.Errorf("outside is %q", text)
	}
}

// TestPresenceSweepsOnlyItsOwn: who asks what is open deletes nothing through a link.
func TestPresenceSweepsOnlyItsOwn(t *testing.T) {
	root := t.TempDir()
	precious := write(t, filepath.Join(root, "outside", "00aa.left"), "precious")
	for _, name := range []string{"presence", "presence/50"} {
		dir := filepath.Join(root, strings.ReplaceAll(name, "/", "-"))
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(filepath.Dir(precious), at)); err != nil {
			t.Fatal(err)
		}
		p := state.NewPresence(state.PresenceOptions{Dir: dir, Now: func() time.Time { return time.Now().AddDate(1, 0, 0) }})
		p.View(t.Context())
		if read(t, precious) != "precious" {
			t.Errorf("%s is a link: it was followed", name)
		}
	}
}

// TestHugeDraft: a draft of any size is listed without being read whole, and one that is
// too large to be a prompt is not restored.
func TestHugeDraft(t *testing.T) {
	root, j := machine(t, nil)
	name := state.Name(filepath.Join(root, "state", "cambium"), "d", "00")
	write(t, name, string(state.Mark([]byte(draftHeader), state.Draft{Path: filepath.Join(root, "d.jsonl"), Agent: "pi"}))+"\n")
	if err := os.Truncate(name, 5<<30); err != nil {
		t.Fatal(err)
	}
	all, err := j.Drafts(t.Context())
	if err != nil || len(all) != 1 || !all[0].Marked {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, err := j.RestoreDraft(t.Context(), all[0], ""); !errors.Is(err, state.ErrDraftSize) {
		t.Errorf("restored: %v", err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 5<<30 {
		t.Errorf("it is not left alone: %v", err)
	}
}
