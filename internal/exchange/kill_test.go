package exchange_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/google/go-cmp/cmp"
)

// A killing is what a sync finds that is going to be killed: sessions that are new,
// that diverged and that were renamed, with a blob and an artifact.
type killing struct {
	disk     disk
	old, ref string
	image    []byte
}

// TestKilledAtEveryOperation: a sync ends at each operation of the file system in
// turn, with half a write. What is there then is no session without its blobs, and
// the next sync does the rest.
func TestKilledAtEveryOperation(t *testing.T) {
	t.Parallel()
	k := newKilling(t)
	at := 1
	for k.at(t, at) {
		at++
	}
	if at < 100 {
		t.Errorf("a sync of %d operations only", at)
	}
}

func newKilling(t *testing.T) killing {
	disk := newDisk()
	ada, bob := disk.machine(t, "ada"), disk.machine(t, "bob")
	image := []byte("an image")
	ref := fmt.Sprintf("%x", sha256.Sum256(image))
	name := `,"title":"%s","titleSource":"user"}`
	head := strings.TrimSuffix(header("xcsh", "s", "/p"), "}")
	old := disk.session(t, ada, "xcsh", "p", "s.jsonl", text(head+fmt.Sprintf(name, "before"), line("00000001", "", "01", "one")))
	ada.mustSync(t, vfs.On(exchange.Directory(share), disk))
	bob.mustSync(t, vfs.On(exchange.Directory(share), disk))
	disk.appendTo(t, disk.only(t, bob.home), line("b0000001", "00000001", "30", "bob"))
	bob.mustSync(t, vfs.On(exchange.Directory(share), disk))
	disk.replace(t, old, bytes.Replace(disk.read(t, old), []byte("before"), []byte("after"), 1))
	disk.appendTo(t, old, line("a0000001", "00000001", "20", "ada"),
		`{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-01T00:00:21Z","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:`+ref+`","mimeType":"image/png"}]}}`)
	disk.session(t, ada, "pi", "p", "new.jsonl", text(header("pi", "new", "/p"), line("00000001", "", "01", "new")))
	disk.put(t, filepath.Join(places.For("xcsh", ada.env(), layout.Overrides{}).Blobs, ref), image)
	disk.put(t, filepath.Join(ident.ArtifactDir(old), "0.bash.log"), []byte("whole output"))
	return killing{disk, old, ref, image}
}

// at ends a sync at an operation and reports whether it got so far.
func (k killing) at(t *testing.T, at int) bool {
	disk := k.disk.copied()
	ada, bob := disk.machine(t, "ada"), disk.machine(t, "bob")
	var mu sync.Mutex
	n, dead := 0, false
	ada.fsys = errorfs.Wrap(disk, func(op errorfs.Op) *errorfs.Fault {
		mu.Lock()
		defer mu.Unlock()
		n++
		if dead = dead || n >= at; dead {
			return &errorfs.Fault{Short: op.Len / 2}
		}
		return nil
	})
	_, _, _ = ada.sync(vfs.On(exchange.Directory(share), ada.fsys), vfs.On(exchange.Options{Workers: 1}, ada.fsys)) // it may get far enough
	ada.fsys = disk

	blob := filepath.Join(share, "xcsh", "blobs", k.ref)
	for _, path := range disk.files(t, share) {
		data := disk.read(t, path)
		if got, err := vfs.ReadFile(disk, blob, 0); bytes.Contains(data, []byte(`"a0000002"`)) && bytes.HasSuffix(data, []byte("\n")) && !bytes.Equal(got, k.image) {
			t.Fatalf("operation %d: the entry is there and the blob is %q, %v", at, got, err)
		}
		if !bytes.HasPrefix(data, []byte(`{"type":"session"`)) || bytes.IndexByte(data, '\n') < 0 {
			t.Fatalf("operation %d: %s has half a header", at, path)
		}
	}
	for _, m := range []*machine{ada, bob} {
		m.mustSync(t, vfs.On(exchange.Directory(share), disk))
	}
	a, b := disk.only(t, places.For("xcsh", ada.env(), layout.Overrides{}).Sessions), disk.only(t, places.For("xcsh", bob.env(), layout.Overrides{}).Sessions)
	want := stateOf(t, a, ada)
	if diff := cmp.Diff(want, stateOf(t, b, bob)); diff != "" || want.Title != "after" || len(want.Entries) < 4 {
		t.Fatalf("operation %d: %+v\n%s", at, want, diff)
	}
	if got := disk.read(t, filepath.Join(ident.ArtifactDir(b), "0.bash.log")); string(got) != "whole output" {
		t.Fatalf("operation %d: the artifact is %q", at, got)
	}
	disk.only(t, places.For("pi", bob.env(), layout.Overrides{}).Sessions)
	disk.walk(t, share, func(path string, _ vfs.Info) {
		if strings.Contains(path, "cambium-new") {
			t.Errorf("operation %d: %s is left", at, path)
		}
	})
	return dead
}
