package exchange_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/google/go-cmp/cmp"
)

// lay puts artifacts beside the only session of a machine, by their paths.
func lay(t testing.TB, m *machine, all map[string]string) {
	t.Helper()
	for name, text := range all {
		path := filepath.Join(ident.ArtifactDir(only(t, filepath.Join(m.home, ".omp", "agent", "sessions", "p"))), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// beside returns the artifacts of the session of a file.
func beside(t testing.TB, session string) map[string]string {
	t.Helper()
	dir := ident.ArtifactDir(session)
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, p)
			all[name] = string(read(t, p))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

// throughArtifacts has two machines exchange artifacts through a place.
func throughArtifacts(t *testing.T, there exchange.Side) {
	ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
	path := ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	want := map[string]string{"0.bash.log": "whole output", "Task/1.read.log": "deep \x00\xff", "empty": ""}
	lay(t, ada, want)
	lay(t, ada, map[string]string{".hidden": "stays"})
	if rep := ada.mustSync(t, there); rep.Out.Artifacts != 3 || rep.LeftArtifacts != 0 {
		t.Errorf("out: %+v", rep)
	}
	if rep := bob.mustSync(t, there); rep.In.Artifacts != 3 || rep.In.Sessions != 1 {
		t.Errorf("in: %+v", rep)
	}
	session := places.For("omp", bob.env(), layout.Overrides{}).Sessions
	got := ""
	for _, p := range files(t, session) {
		if filepath.Base(p) == "s.jsonl" {
			got = p
		}
	}
	if diff := cmp.Diff(want, beside(t, got)); diff != "" {
		t.Errorf("bob's artifacts (-want +got):\n%s", diff)
	}

	// Each adds another, and one that both have differs: it stays as it is.
	add := func(m *machine, session, id, name string) {
		appendTo(t, session, line(id, "00000001", "10", id))
		for _, base := range []string{name, "both.log"} {
			if err := os.WriteFile(filepath.Join(ident.ArtifactDir(session), base), []byte("of "+id), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(ada, path, "a0000001", "2.ada.log")
	add(bob, got, "b0000001", "2.bob.log")
	for _, m := range []*machine{ada, bob, ada} {
		m.mustSync(t, there)
	}
	a, b := beside(t, path), beside(t, got)
	if a["2.bob.log"] != "of b0000001" || b["2.ada.log"] != "of a0000001" || a["both.log"] != "of a0000001" || b["both.log"] != "of b0000001" {
		t.Errorf("ada has %v\nbob has %v", a, b)
	}
	for _, m := range []*machine{ada, bob} {
		if rep := m.mustSync(t, there); rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
			t.Errorf("a last sync: %+v", rep)
		}
	}
}

// TestArtifactsThroughAStore: a store without files keeps artifacts as blobs and a
// list of them.
func TestArtifactsThroughAStore(t *testing.T) {
	throughArtifacts(t, exchange.Shared("memory", memory.New(memory.Options{}), &blob.Memory{}))
}

// TestArtifactsThroughADirectory: a directory keeps them as files.
func TestArtifactsThroughADirectory(t *testing.T) {
	throughArtifacts(t, exchange.Directory(t.TempDir()))
}

// TestArtifactsLeft: a store that has no blobs takes none, and says how many.
func TestArtifactsLeft(t *testing.T) {
	ada := newMachine(t, "ada")
	ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	lay(t, ada, map[string]string{"0.bash.log": "x", "bad\xff": "not text"})
	if rep := ada.mustSync(t, exchange.Shared("memory", memory.New(memory.Options{}), nil)); rep.LeftArtifacts != 2 || rep.Out.Artifacts != 0 {
		t.Errorf("without blobs: %+v", rep)
	}
	ada.state = t.TempDir()
	if rep := ada.mustSync(t, exchange.Shared("memory", memory.New(memory.Options{}), &blob.Memory{})); rep.LeftArtifacts != 1 || rep.Out.Artifacts != 1 {
		t.Errorf("a name that is no text: %+v", rep)
	}
}

// TestArtifactsOddlyNamed: what cannot be an artifact by its name, or lies too deep, is
// left and counted; what a program hides is not.
func TestArtifactsOddlyNamed(t *testing.T) {
	ada := newMachine(t, "ada")
	ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	lay(t, ada, map[string]string{"0.bash.log": "x", "a:b.log": "x", "back\\slash": "x", "c:d/e.log": "x", ".hidden": "x", "1/2/3/4/5/deep": "x"})
	if rep := ada.mustSync(t, exchange.Shared("memory", memory.New(memory.Options{}), &blob.Memory{})); rep.LeftArtifacts != 4 || rep.Out.Artifacts != 1 {
		t.Errorf("%d left, %+v", rep.LeftArtifacts, rep.Out)
	}
}

// TestArtifactsFromElsewhere: a list that names what is not beside a session, or
// bytes that are not there, writes nothing outside and holds nothing back.
func TestArtifactsFromElsewhere(t *testing.T) {
	store, blobs := memory.New(memory.Options{}), &blob.Memory{}
	there := exchange.Shared("memory", store, blobs)
	ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
	ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	lay(t, ada, map[string]string{"good.log": "good"})
	ada.mustSync(t, there)
	ref, err := blobs.Put(t.Context(), []byte("evil"), "")
	if err != nil {
		t.Fatal(err)
	}
	name := "/.omp/agent/sessions/home-p/s/artifacts.list"
	log, err := store.Open(t.Context(), name, storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for _, path := range []string{"../evil", "a/../../evil", "/evil", ".evil", "a/b/c/d/e/evil", "", `..\\evil`} {
		lines = append(lines, []byte(`{"type":"artifact","path":"`+path+`","blob":"`+ref.String()+`","size":4}`))
	}
	lines = append(lines, []byte(`{"type":"artifact","path":"lost","blob":"blob:sha256:`+strings.Repeat("0", 64)+`","size":4}`), []byte("no line of ours"))
	if _, err := log.Append(t.Context(), info.Mark, lines); err != nil {
		t.Fatal(err)
	}
	rep := bob.mustSync(t, there)
	if rep.In.Artifacts != 1 || rep.MissingBlobs != 1 || rep.In.Sessions != 1 {
		t.Errorf("in: %+v", rep)
	}
	err = filepath.WalkDir(bob.home, func(p string, _ os.DirEntry, err error) error {
		if strings.Contains(p, "evil") {
			t.Errorf("%s was written", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
