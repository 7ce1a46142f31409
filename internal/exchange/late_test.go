package exchange_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
)

// TestLateArtifacts: what comes beside a session when its entries are united already is
// sent all the same, both ways, and once.
func TestLateArtifacts(t *testing.T) {
	disk := newDisk()
	ada, bob := disk.machine(t, "ada"), disk.machine(t, "bob")
	for _, before := range []bool{false, true} {
		id := "none"
		if before {
			id = "some"
		}
		path := disk.session(t, ada, "xcsh", "p", id+".jsonl", text(header("xcsh", id, "/p"), line("00000001", "", "01", "one")))
		if before {
			disk.put(t, filepath.Join(ident.ArtifactDir(path), "0.bash.log"), []byte("first"))
		}
		ada.mustSync(t, vfs.On(exchange.Directory(share), disk))
		bob.mustSync(t, vfs.On(exchange.Directory(share), disk))
		disk.put(t, filepath.Join(ident.ArtifactDir(path), "1.bash.log"), []byte("late"))
		if rep := ada.mustSync(t, vfs.On(exchange.Directory(share), disk)); rep.Out.Artifacts != 1 {
			t.Errorf("%s: sent %+v", id, rep.Out)
		}
		if rep := bob.mustSync(t, vfs.On(exchange.Directory(share), disk)); rep.In.Artifacts != 1 {
			t.Errorf("%s: received %+v", id, rep.In)
		}
		for _, m := range []*machine{ada, bob} {
			if rep := m.mustSync(t, vfs.On(exchange.Directory(share), disk)); rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
				t.Errorf("%s: again %+v, %+v", id, rep.Out, rep.In)
			}
		}
	}
}

// TestUnreadableProject: a directory of sessions that cannot be read is said, the others
// are united, and nothing is made anew of what is in it.
func TestUnreadableProject(t *testing.T) {
	disk := newDisk()
	ada := disk.machine(t, "ada")
	hidden := disk.session(t, ada, "pi", "q", "q.jsonl", text(header("pi", "q", "/q"), line("00000001", "", "01", "one")))
	path := disk.session(t, ada, "pi", "p", "p.jsonl", text(header("pi", "p", "/p"), line("00000001", "", "01", "one")))
	ada.mustSync(t, vfs.On(exchange.Directory(share), disk))
	disk.appendTo(t, path, line("00000002", "00000001", "02", "two"))
	ada.fsys = errorfs.Wrap(disk, func(op errorfs.Op) *errorfs.Fault {
		if (op.Kind == errorfs.ReadDir || op.Kind == errorfs.Names) && op.Name == filepath.Dir(hidden) {
			return &errorfs.Fault{}
		}
		return nil
	})
	rep, failed, err := ada.sync(vfs.On(exchange.Directory(share), disk), exchange.Options{})
	if err != nil || rep.Out.Entries != 1 || rep.In != (exchange.Amount{}) {
		t.Errorf("sent %+v, received %+v, %v", rep.Out, rep.In, err)
	}
	if len(failed) != 1 || failed[0].Name != filepath.Dir(hidden) || !errors.Is(failed[0].Err, errorfs.ErrInjected) {
		t.Errorf("failed: %v", failed)
	}
	if all := disk.files(t, ada.home); len(all) != 2 || !strings.HasSuffix(all[0], ".jsonl") {
		t.Errorf("there are %q", all)
	}
}

// TestNamesThatCannotBeSeen: a name with control characters does not come into a home. It is
// said, and all others come.
func TestNamesThatCannotBeSeen(t *testing.T) {
	disk := newDisk()
	ada, bob := disk.machine(t, "ada"), disk.machine(t, "bob")
	path := disk.session(t, ada, "pi", "p", "p.jsonl", text(header("pi", "p", "/p"), line("00000001", "", "01", "one")))
	disk.put(t, filepath.Join(ident.ArtifactDir(path), "1.bash.log"), []byte("late"))
	ada.mustSync(t, vfs.On(exchange.Directory(share), disk))
	for _, name := range disk.files(t, share) {
		if strings.HasSuffix(name, "p.jsonl") {
			disk.put(t, filepath.Join(filepath.Dir(name), "e\x1b]0;p\a.jsonl"), []byte(text(header("pi", "e", "/p"), line("00000002", "", "01", "two"))))
			disk.put(t, filepath.Join(filepath.Dir(name), "p/a\x1b]0;p\a"), []byte("bad"))
		}
	}
	rep, failed, err := bob.sync(vfs.On(exchange.Directory(share), disk), exchange.Options{})
	if err != nil || rep.In.Sessions != 1 || rep.In.Artifacts != 1 {
		t.Errorf("received %+v, %v", rep.In, err)
	}
	if len(failed) != 1 || !strings.Contains(failed[0].Err.Error(), "its name has control characters") {
		t.Errorf("failed: %v", failed)
	}
	for _, name := range disk.files(t, bob.home) {
		if strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("%q came", name)
		}
	}
}
