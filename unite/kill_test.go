package unite_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/unite"
	"github.com/google/go-cmp/cmp"
)

// TestKilledAtEveryOperation: a sync of sessions that are new, that diverged and
// that were renamed, with a blob and an artifact, ends at each operation of the
// file system in turn, with half a write. What is there then is no session without
// its blobs, and the next sync does the rest.
func TestKilledAtEveryOperation(t *testing.T) {
	t.Parallel()
	at, step := 1, 1
	if testing.Short() {
		step = 17
	}
	for ; ; at += step {
		if !killedAt(t, at) {
			break
		}
	}
	if at < 100 {
		t.Errorf("a sync of %d operations only", at)
	}
}

// killedAt ends a sync at an operation and reports whether it got so far.
func killedAt(t *testing.T, at int) bool {
	dir, err := os.MkdirTemp(t.TempDir(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ada, bob, share := machineIn(t, dir, "ada"), machineIn(t, dir, "bob"), filepath.Join(dir, "share")
	ada.fsys, bob.fsys = light(), light()
	image := []byte("an image")
	ref := fmt.Sprintf("%x", sha256.Sum256(image))
	name := `,"title":"%s","titleSource":"user"}`
	head := strings.TrimSuffix(header("xcsh", "s", "/p"), "}")
	old := ada.write(t, "xcsh", "p", "s.jsonl", text(head+fmt.Sprintf(name, "before"), line("00000001", "", "01", "one")))
	ada.mustSync(t, unite.Directory(share, light()))
	bob.mustSync(t, unite.Directory(share, light()))
	appendTo(t, only(t, bob.home), line("b0000001", "00000001", "30", "bob"))
	bob.mustSync(t, unite.Directory(share, light()))
	renamed := bytes.Replace(read(t, old), []byte("before"), []byte("after"), 1)
	if err := os.WriteFile(old, renamed, 0o600); err != nil {
		t.Fatal(err)
	}
	appendTo(t, old, line("a0000001", "00000001", "20", "ada"),
		`{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-01T00:00:21Z","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:`+ref+`","mimeType":"image/png"}]}}`)
	ada.write(t, "pi", "p", "new.jsonl", text(header("pi", "new", "/p"), line("00000001", "", "01", "new")))
	put := func(path string, data []byte) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(layout.For("xcsh", ada.env(), layout.Overrides{}).Blobs, ref), image)
	put(filepath.Join(layout.ArtifactDir(old), "0.bash.log"), []byte("whole output"))

	var mu sync.Mutex
	n, dead := 0, false
	ada.fsys = errorfs.Wrap(light(), func(op errorfs.Op) *errorfs.Fault {
		mu.Lock()
		defer mu.Unlock()
		n++
		if dead = dead || n >= at; dead {
			return &errorfs.Fault{Short: op.Len / 2}
		}
		return nil
	})
	_, _, _ = ada.sync(unite.Directory(share, ada.fsys), unite.Options{FS: ada.fsys, Workers: 1}) // it may get far enough
	ada.fsys = light()

	blob := filepath.Join(share, "xcsh", "blobs", ref)
	for _, path := range files(t, share) {
		data := read(t, path)
		if got, err := os.ReadFile(blob); bytes.Contains(data, []byte(`"a0000002"`)) && bytes.HasSuffix(data, []byte("\n")) && !bytes.Equal(got, image) {
			t.Fatalf("operation %d: the entry is there and the blob is %q, %v", at, got, err)
		}
		if !bytes.HasPrefix(data, []byte(`{"type":"session"`)) || bytes.IndexByte(data, '\n') < 0 {
			t.Fatalf("operation %d: %s has half a header", at, path)
		}
	}
	for _, m := range []*machine{ada, bob} {
		m.mustSync(t, unite.Directory(share, light()))
	}
	a, b := only(t, layout.For("xcsh", ada.env(), layout.Overrides{}).Sessions), only(t, layout.For("xcsh", bob.env(), layout.Overrides{}).Sessions)
	want := stateOf(t, a, ada)
	if diff := cmp.Diff(want, stateOf(t, b, bob)); diff != "" || want.Title != "after" || len(want.Entries) < 4 {
		t.Fatalf("operation %d: %+v\n%s", at, want, diff)
	}
	if got := read(t, filepath.Join(layout.ArtifactDir(b), "0.bash.log")); string(got) != "whole output" {
		t.Fatalf("operation %d: the artifact is %q", at, got)
	}
	only(t, layout.For("pi", bob.env(), layout.Overrides{}).Sessions)
	err = filepath.WalkDir(share, func(p string, _ fs.DirEntry, err error) error {
		if strings.Contains(p, "cambium-new") {
			t.Errorf("operation %d: %s is left", at, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dead
}
