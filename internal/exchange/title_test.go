package exchange_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// TestNewestNameWins: of two names that were given on two machines the one that
// was given later is that of all, whoever syncs first and whoever wrote more
// since, and however often they sync. (A name in xcsh's header has no time.)
func TestNewestNameWins(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, agent := range []string{"cambium", "omp", "pi"} {
		for _, firstSyncs := range []string{"older", "newer"} {
			for _, oldWrites := range []bool{false, true} {
				for _, forgets := range []bool{false, true} {
					ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
					var slot []byte // where omp keeps its names
					if agent == "omp" {
						line := spelling.FormatSlot("", "", "2026-03-01T09:00:00.000Z")
						slot = line[:]
					}
					ada.write(t, agent, "p", "s.jsonl", append(slot, text(header(agent, "s", ada.home+"/p"), line("00000001", "", "01", "one"))...))
					ada.fsys, bob.fsys = light(), light()
					dir := vfs.On(exchange.Directory(share), light())
					renameAt(t, ada, "at first", noon)
					ada.mustSync(t, dir)
					bob.mustSync(t, dir)
					renameAt(t, bob, "old name", noon.Add(time.Minute))
					renameAt(t, ada, "new name", noon.Add(2*time.Minute))
					if oldWrites {
						writeAt(t, ada, noon.Add(3*time.Minute))
						writeAt(t, bob, noon.Add(4*time.Minute))
					}
					if forgets {
						ada.state, bob.state = t.TempDir(), t.TempDir()
					}
					order := []*machine{bob, ada, bob, ada}
					if firstSyncs == "newer" {
						order = []*machine{ada, bob, ada, bob}
					}
					for _, m := range order {
						m.mustSync(t, dir)
					}
					for _, m := range []*machine{ada, bob} {
						if got := stateOf(t, only(t, m.home), m).Title; got != "new name" {
							t.Errorf("%s, the %s syncs first, old one writes %v, forgets %v: the name is %q", agent, firstSyncs, oldWrites, forgets, got)
						}
					}
				}
			}
		}
	}
}

// TestNamesOfOtherPrograms: a name that another program gave has no time; it is not
// told to be as old as the name before it.
func TestNamesOfOtherPrograms(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
	path := ada.write(t, "cambium", "p", "s.jsonl", text(header("cambium", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	ada.fsys, bob.fsys = light(), light()
	dir := vfs.On(exchange.Directory(share), light())
	renameAt(t, ada, "at first", noon)
	ada.mustSync(t, dir)
	bob.mustSync(t, dir)
	data := string(read(t, path))
	if !strings.Contains(data, "cambium.named") {
		t.Fatalf("no time is told: %s", data)
	}
	ada.write(t, "cambium", "p", "s.jsonl", []byte(strings.Replace(data, `"at first"`, `"by hand"`, 1)))
	for _, m := range []*machine{ada, bob, ada} {
		m.mustSync(t, dir)
	}
	if got := stateOf(t, only(t, bob.home), bob).Title; got != "by hand" {
		t.Errorf("the name is %q", got)
	}
}

// TestNamesOfXcshAreBytes: the header of a session of xcsh is what xcsh would write.
// Of two names that were given since the last sync that one stays whose side was
// written to last.
func TestNamesOfXcshAreBytes(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
	path := ada.write(t, "xcsh", "p", "s.jsonl", text(header("xcsh", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	ada.fsys, bob.fsys = light(), light()
	dir := vfs.On(exchange.Directory(share), light())
	ada.mustSync(t, dir)
	bob.mustSync(t, dir)
	renameAt(t, bob, "of bob", noon)
	renameAt(t, ada, "of ada", noon.Add(time.Minute))
	writeAt(t, ada, noon.Add(2*time.Minute))
	for _, m := range []*machine{bob, ada, bob} {
		m.mustSync(t, dir)
	}
	for _, m := range []*machine{ada, bob} {
		if got := stateOf(t, only(t, m.home), m).Title; got != "of ada" {
			t.Errorf("the name is %q", got)
		}
	}
	first, _, _ := strings.Cut(string(read(t, path)), "\n")
	if !strings.HasSuffix(first, `"title":"of ada","titleSource":"user"}`) {
		t.Errorf("the header of xcsh is %s", first)
	}
}

func openAt(t *testing.T, m *machine, at time.Time) *session.Session {
	t.Helper()
	s, err := session.Open(context.Background(), only(t, m.home), vfs.On(session.Options{Env: m.env(), Now: func() time.Time { return at }}, m.fsys))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func renameAt(t *testing.T, m *machine, name string, at time.Time) {
	t.Helper()
	s := openAt(t, m, at)
	if _, err := s.Rename(context.Background(), name, session.Title{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func writeAt(t *testing.T, m *machine, at time.Time) {
	t.Helper()
	s := openAt(t, m, at)
	said := &entry.MessageBody{Message: entry.JSON(`{"role":"user","content":"more of ` + m.home + `"}`)}
	if _, err := s.Append(context.Background(), said); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
