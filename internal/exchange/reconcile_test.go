package exchange_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/memory"
	"github.com/google/go-cmp/cmp"
)

// TestEveryDialectThere: any session of any dialect and version, damaged or not,
// comes to another home with the same entries, and nothing moves after that.
func TestEveryDialectThere(t *testing.T) {
	t.Parallel()
	for _, d := range sessiongen.Dialects() {
		for _, clean := range []bool{true, false} {
			for version := 1; version <= 3; version++ {
				t.Run(fmt.Sprintf("%s clean=%v v%d", d, clean, version), func(t *testing.T) {
					for seed := range uint64(4) {
						there(t, d, clean, version, seed)
					}
				})
			}
		}
	}
}

func there(t *testing.T, d sessiongen.Dialect, clean bool, version int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Clean: clean, Version: version})
	disk := newDisk()
	ada, bob := disk.machine(t, "ada"), disk.machine(t, "bob")
	from := disk.session(t, ada, string(d), "--p--", "2026-01-01T00-00-00-000Z_x.jsonl", g.Bytes)
	before := disk.read(t, from)
	ada.mustSync(t, vfs.On(exchange.Directory(share), disk))
	if now := disk.read(t, from); !bytes.Equal(before, now) {
		t.Fatalf("seed %d: the session here changed:\n%s", seed, cmp.Diff(before, now))
	}
	bob.mustSync(t, vfs.On(exchange.Directory(share), disk))
	to := disk.only(t, bob.home)
	here, there := entries(t, before), entries(t, disk.read(t, to))
	if !clean {
		here, there = linked(t, from, ada), linked(t, to, bob) // an entry whose parent is nowhere may have got one
	}
	if !slices.Equal(here, there) {
		t.Fatalf("seed %d: entries differ (-here +there):\n%s", seed, cmp.Diff(here, there))
	}
	want, got := stateOf(t, from, ada), stateOf(t, to, bob)
	if clean {
		if !reflect.DeepEqual(want, got) {
			diff := cmp.Diff(want, got)
			t.Fatalf("seed %d: state differs (-here +there):\n%s", seed, diff)
		}
	}
	for _, m := range []*machine{ada, bob} {
		if rep := m.mustSync(t, vfs.On(exchange.Directory(share), disk)); rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) || rep.Settled != 1 {
			t.Fatalf("seed %d: second sync: %+v", seed, rep)
		}
		// What was seen last is not the truth: without it the same is found.
		disk.forget(t, m.state)
		if rep := m.mustSync(t, vfs.On(exchange.Directory(share), disk)); rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
			t.Fatalf("seed %d: sync without state: %+v", seed, rep)
		}
	}
}

// TestOldVersionGrows: a session of version 1 goes as it reads when migrated, and
// is migrated here when there is something to append.
func TestOldVersionGrows(t *testing.T) {
	ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
	share := t.TempDir()
	old := text(`{"type":"session","id":"v1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"`+ada.home+`/p"}`,
		`{"type":"message","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"one"}}`,
		`{"torn`,
		`{"type":"message","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":"two"}}`)
	from := ada.write(t, "pi", "--p--", "v1.jsonl", old)
	ada.mustSync(t, exchange.Directory(share))
	if !bytes.Equal(old, read(t, from)) {
		t.Fatal("an old session was changed though nothing was appended")
	}
	bob.mustSync(t, exchange.Directory(share))
	add(t, bob, only(t, bob.home), "three")
	bob.mustSync(t, exchange.Directory(share))
	ada.mustSync(t, exchange.Directory(share))
	if got := read(t, from); !bytes.Contains(got, []byte("three")) || !bytes.Contains(got, []byte(`"version":3`)) {
		t.Fatalf("here is\n%s", got)
	}
	if diff := cmp.Diff(entries(t, read(t, from)), entries(t, read(t, only(t, bob.home)))); diff != "" {
		t.Fatal(diff)
	}
}

// add appends a user message to a session.
func add(t *testing.T, m *machine, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st := stateOf(t, path, m)
	sum := sha256.Sum256([]byte(text))
	if _, err := fmt.Fprintln(f, line(fmt.Sprintf("%x", sum[:4]), st.Leaf, "30", text)); err != nil {
		t.Fatal(err)
	}
}

// TestTwoMachinesAreTwoBranches: what both appended is on both, as two branches,
// and both go on at the newer one.
func TestTwoMachinesAreTwoBranches(t *testing.T) {
	ada, bob, share := pairOf(t)
	a, b := only(t, ada.home), only(t, bob.home)
	appendTo(t, a, line("a0000001", "00000001", "10", "ada 1"), line("a0000002", "a0000001", "40", "ada 2"))
	appendTo(t, b, line("b0000001", "00000001", "20", "bob 1"))
	old := read(t, b)
	bob.mustSync(t, exchange.Directory(share))
	rep := ada.mustSync(t, exchange.Directory(share))
	if rep.Diverged != 1 || rep.Out.Entries != 3 || rep.In.Entries != 2 {
		t.Errorf("report %+v", rep)
	}
	bob.mustSync(t, exchange.Directory(share))
	if !bytes.HasPrefix(read(t, b), old) {
		t.Error("lines that were there are not any more")
	}
	if diff := cmp.Diff(stateOf(t, a, ada), stateOf(t, b, bob)); diff != "" {
		t.Error(diff)
	}
	s, err := session.Open(context.Background(), a, session.Options{Env: ada.env(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	path, err := gathered(s.Branch(nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(path); n < 2 || path[n-2].ID != "a0000002" || path[n-1].Type != "custom" {
		t.Errorf("the branch ends with %v, want a note under a0000002", path[max(0, n-2):])
	}
}

// pairOf returns two machines with one session of pi, and the directory.
func pairOf(t *testing.T) (ada, bob *machine, share string) {
	t.Helper()
	ada, bob, share = newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
	ada.write(t, "pi", "--p--", "s.jsonl", text(header("pi", "s", ada.home+"/p"), line("00000001", "", "01", "one")))
	ada.mustSync(t, exchange.Directory(share))
	bob.mustSync(t, exchange.Directory(share))
	return ada, bob, share
}

func appendTo(t testing.TB, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, append(read(t, path), text(lines...)...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSameIDOtherBytes: two entries of one id are both kept, on both sides.
func TestSameIDOtherBytes(t *testing.T) {
	ada, bob, share := pairOf(t)
	a, b := only(t, ada.home), only(t, bob.home)
	appendTo(t, a, line("0000000c", "00000001", "10", "from ada"))
	appendTo(t, b, line("0000000c", "00000001", "20", "from bob"))
	for _, m := range []*machine{ada, bob, ada} {
		m.mustSync(t, exchange.Directory(share))
	}
	for _, p := range []string{a, b} {
		for _, want := range []string{"from ada", "from bob"} {
			if n := bytes.Count(read(t, p), []byte(want)); n != 1 {
				t.Errorf("%q is %d times in %s", want, n, p)
			}
		}
	}
}

// TestDamageIsHealedByAppending: a torn line is not sent, what it held comes from
// the other side, and no byte that was there changes.
func TestDamageIsHealedByAppending(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		ada, bob, share := pairOf(t)
		a, b := only(t, ada.home), only(t, bob.home)
		appendTo(t, b, line("00000002", "00000001", "02", "two"), line("00000003", "00000002", "03", "three"))
		bob.mustSync(t, exchange.Directory(share))
		ada.mustSync(t, exchange.Directory(share))
		whole := read(t, a)
		torn := bytes.Replace(whole, []byte(`"content":"two"}}`), []byte(`"cont`), 1)
		switch end {
		case "":
			torn = bytes.TrimSuffix(torn, []byte("\n"))
		case "\r\n":
			torn = bytes.ReplaceAll(torn, []byte("\n"), []byte(end))
		}
		if err := os.WriteFile(a, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		rep := ada.mustSync(t, exchange.Directory(share))
		if rep.Damaged != 1 || rep.In.Entries < 1 {
			t.Errorf("end %q: report %+v", end, rep)
		}
		got := read(t, a)
		if !bytes.HasPrefix(got, torn) || bytes.Count(got, []byte(`"content":"two"`)) != 1 {
			t.Errorf("end %q: healed file is\n%q", end, got)
		}
		if bytes.Contains(read(t, only(t, share)), []byte(`"cont`+"\n")) {
			t.Errorf("end %q: damage was sent", end)
		}
		if rep := ada.mustSync(t, exchange.Directory(share)); rep.Settled != 1 {
			t.Errorf("end %q: second sync %+v", end, rep)
		}
	}
}

// TestTitlesFollowTheNewest: where a name stands in the header or a slot, the one
// that changed since the last sync is taken over.
func TestTitlesFollowTheNewest(t *testing.T) {
	for _, agent := range []string{"cambium", "omp", "xcsh", "pi"} {
		for _, slotted := range []bool{false, agent == "omp"} {
			ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
			var lines []string
			if slotted {
				slot := `{"type":"title","v":1,"title":"","updatedAt":"2026-01-01T00:00:00.000Z","pad":"`
				lines = append(lines, slot+strings.Repeat(" ", 253-len(slot))+`"}`)
			}
			lines = append(lines, header(agent, "s", ada.home+"/p"), line("00000001", "", "01", "one"))
			ada.write(t, agent, "p", "s.jsonl", text(lines...))
			dir := exchange.Directory(share)
			ada.mustSync(t, dir)
			bob.mustSync(t, dir)
			rename := func(m *machine, name string) {
				s, err := session.Open(context.Background(), only(t, m.home), session.Options{Env: m.env()})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Rename(context.Background(), name, session.Title{}); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			for i, m := range []*machine{ada, bob, ada} {
				name := fmt.Sprint("name ", i)
				rename(m, name)
				for _, m := range []*machine{m, ada, bob} {
					m.mustSync(t, dir)
				}
				for _, m := range []*machine{ada, bob} {
					if got := stateOf(t, only(t, m.home), m).Title; got != name {
						t.Errorf("%s, slot %v: the title is %q, want %q", agent, slotted, got, name)
					}
				}
			}
			before := stamps(t, ada.home, bob.home, share, ada.state, bob.state)
			ada.mustSync(t, dir)
			bob.mustSync(t, dir)
			if diff := cmp.Diff(before, stamps(t, ada.home, bob.home, share, ada.state, bob.state)); diff != "" {
				t.Errorf("%s: a sync with nothing to do wrote\n%s", agent, diff)
			}
		}
	}
}

// TestBlobsGoFirst: what an entry names is there, checked, before the entry is.
func TestBlobsGoFirst(t *testing.T) {
	ada, bob, share := newMachine(t, "ada"), newMachine(t, "bob"), t.TempDir()
	data := []byte("an image")
	sum := sha256.Sum256(data)
	ref := fmt.Sprintf("blob:sha256:%x", sum)
	lost := "blob:sha256:" + strings.Repeat("0", 64)
	img := func(id, ref string) string {
		return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":[{"type":"image","data":"` + ref + `","mimeType":"image/png"}]}}`
	}
	path := ada.write(t, "omp", "p", "s.jsonl", text(header("omp", "s", "/p"), img("00000001", ref), img("00000002", lost)))
	blobs := places.For("omp", ada.env(), layout.Overrides{}).Blobs
	if err := os.MkdirAll(blobs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(blobs, fmt.Sprintf("%x", sum)), data, 0o600); err != nil {
		t.Fatal(err)
	}
	artifact := filepath.Join(ident.ArtifactDir(path), "0.bash.log")
	if err := os.MkdirAll(filepath.Dir(artifact), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(artifact, []byte("whole output"), 0o600); err != nil {
		t.Fatal(err)
	}
	rep := ada.mustSync(t, exchange.Directory(share))
	if rep.Out.Blobs != 1 || rep.MissingBlobs != 1 || rep.Out.Artifacts != 1 {
		t.Errorf("report %+v", rep)
	}
	rep = bob.mustSync(t, exchange.Directory(share))
	if rep.In.Blobs != 1 || rep.In.Artifacts != 1 {
		t.Errorf("report %+v", rep)
	}
	got := read(t, filepath.Join(places.For("omp", bob.env(), layout.Overrides{}).Blobs, fmt.Sprintf("%x", sum)))
	if !bytes.Equal(got, data) {
		t.Errorf("the blob is %q", got)
	}
	if got := read(t, filepath.Join(ident.ArtifactDir(only(t, bob.home)), "0.bash.log")); string(got) != "whole output" {
		t.Errorf("the artifact is %q", got)
	}
}

// TestDryRun: it says what would move, and writes nothing.
func TestDryRun(t *testing.T) {
	ada, bob, share := pairOf(t)
	appendTo(t, only(t, ada.home), line("a0000001", "00000001", "10", "ada"))
	ada.mustSync(t, exchange.Directory(share))
	appendTo(t, only(t, bob.home), line("b0000001", "00000001", "20", "bob"))
	bob.write(t, "xcsh", "q", "new.jsonl", text(header("xcsh", "n", "/q"), line("1", "", "01", "new")))
	before := stamps(t, bob.home, share, bob.state)
	rep, failed, err := bob.sync(exchange.Directory(share), exchange.Options{DryRun: true})
	if err != nil || len(failed) > 0 {
		t.Fatal(err, failed)
	}
	if diff := cmp.Diff(before, stamps(t, bob.home, share, bob.state)); diff != "" {
		t.Fatalf("a dry run wrote:\n%s", diff)
	}
	did := bob.mustSync(t, exchange.Directory(share))
	if diff := cmp.Diff(rep, did); diff != "" {
		t.Errorf("what was said and what was done differ (-said +done):\n%s", diff)
	}
}

// TestFailuresAreOfOneSession: one that cannot be united does not keep the others.
func TestFailuresAreOfOneSession(t *testing.T) {
	ada, share := newMachine(t, "ada"), t.TempDir()
	ada.write(t, "pi", "p", "good.jsonl", text(header("pi", "good", "/p"), line("1", "", "01", "x")))
	ada.write(t, "pi", "p", "torn.jsonl", text(`{"type":"session","id":"to`, line("1", "", "01", "x")))
	ada.write(t, "pi", "p", "newer.jsonl", text(`{"type":"session","version":4,"id":"newer","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`, line("1", "", "01", "x")))
	ada.write(t, "pi", "p", "empty.jsonl", nil)
	rep, failed, err := ada.sync(exchange.Directory(share), exchange.Options{})
	if err != nil || len(failed) != 2 || rep.Failed != 2 || rep.Out.Sessions != 1 {
		t.Errorf("sync: %v, %v, %+v", err, failed, rep)
	}
	for _, f := range failed {
		if strings.Contains(f.Err.Error(), "\n") {
			t.Errorf("more than a line: %v", f.Err)
		}
	}
}

// TestThroughAStore: a store of names without a file system does as well.
func TestThroughAStore(t *testing.T) {
	ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
	there := exchange.Shared("memory", memory.New(memory.Options{}), nil)
	for _, d := range sessiongen.Dialects() {
		g := sessiongen.Random(rand.New(rand.NewPCG(1, 2)), sessiongen.Options{Dialect: d, Clean: true})
		ada.write(t, string(d), "p", "s.jsonl", g.Bytes)
	}
	ada.mustSync(t, there)
	bob.mustSync(t, there)
	if n := len(files(t, bob.home)); n != 4 {
		t.Fatalf("bob has %d sessions, want 4", n)
	}
	for _, d := range sessiongen.Dialects() {
		p := places.For(string(d), ada.env(), layout.Overrides{}).Sessions
		q := places.For(string(d), bob.env(), layout.Overrides{}).Sessions
		if diff := cmp.Diff(stateOf(t, only(t, p), ada), stateOf(t, only(t, q), bob)); diff != "" {
			t.Errorf("%s: %s", d, diff)
		}
	}
	if rep := bob.mustSync(t, there); rep.Settled != 4 {
		t.Errorf("second sync: %+v", rep)
	}
}

// TestClocksApart: it is said once.
func TestClocksApart(t *testing.T) {
	ada, share := newMachine(t, "ada"), t.TempDir()
	ada.write(t, "pi", "p", "a.jsonl", text(header("pi", "a", "/p"), line("1", "", "01", "x")))
	ada.write(t, "pi", "p", "b.jsonl", text(header("pi", "b", "/p"), line("1", "", "01", "x")))
	var said []string
	_, _, err := ada.sync(exchange.Directory(share), exchange.Options{
		Now:  func() time.Time { return time.Now().Add(time.Hour) },
		Warn: func(text string) { said = append(said, text) },
	})
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "behind") {
		t.Errorf("sync: %v, said %q", err, said)
	}
}

// TestEmptied: a directory that lost all its sessions, such as one that nothing is
// mounted on, is not filled again unasked.
func TestEmptied(t *testing.T) {
	ada, _, share := pairOf(t)
	if err := os.RemoveAll(filepath.Join(share, "pi")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ada.sync(exchange.Directory(share), exchange.Options{}); !errors.Is(err, exchange.ErrEmptied) {
		t.Fatalf("sync: %v", err)
	}
	if got := files(t, share); len(got) != 0 {
		t.Errorf("written: %v", got)
	}
	if rep, _, err := ada.sync(exchange.Directory(share), exchange.Options{Anew: true}); err != nil || rep.Out.Sessions != 1 {
		t.Errorf("sync anew: %v, %+v", err, rep)
	}
}

// TestOneDirectoryOfSeveralAgents: a session in a directory that agents share is
// one session, of the agent that its marks tell, and stays that.
func TestOneDirectoryOfSeveralAgents(t *testing.T) {
	ada, share := newMachine(t, "ada"), t.TempDir()
	common := filepath.Join(ada.home, "common")
	env := ada.env()
	env.Getenv = func(name string) string { return map[string]string{"PI_CODING_AGENT_DIR": common}[name] }
	dir := filepath.Join(common, "sessions", "p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	said := line("00000001", "", "01", "x")
	for base, lines := range map[string][]string{
		"plain.jsonl": {header("pi", "plain", "/p"), said},
		"omp.jsonl":   {header("omp", "omp", "/p"), said, `{"type":"title_change","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:02Z","title":"t"}`},
	} {
		if err := os.WriteFile(filepath.Join(dir, base), text(lines...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func() exchange.Report {
		rep, err := exchange.Run(t.Context(), exchange.Homes(env, layout.Overrides{}), exchange.Directory(share), exchange.Options{
			State: ada.state, Failed: func(f exchange.Failure) { t.Error(f.Name, f.Err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	if rep := run(); rep.Out.Sessions != 2 {
		t.Errorf("first sync %+v", rep)
	}
	appendTo(t, filepath.Join(dir, "plain.jsonl"), `{"type":"title_change","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:02Z","title":"t"}`)
	if rep := run(); rep.Out.Sessions != 0 || rep.Out.Entries != 1 || rep.In != (exchange.Amount{}) {
		t.Errorf("second sync %+v", rep)
	}
	for _, path := range []string{"pi/sessions/--p--/plain.jsonl", "omp/sessions/--p--/omp.jsonl"} {
		if _, err := os.Stat(filepath.Join(share, path)); err != nil {
			t.Error(err)
		}
	}
	if n := len(files(t, share)); n != 2 {
		t.Errorf("%d files are there, want 2", n)
	}
}

// TestSeenDecisionsGiveWay: what was decided by who had seen the other decision
// holds, though the clock of the other runs ahead.
func TestSeenDecisionsGiveWay(t *testing.T) {
	label := func(id, parent, at, text string) string {
		return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%q,"timestamp":"2026-01-01T00:00:%sZ","targetId":"00000001","label":%q}`, id, parent, at, text)
	}
	ada, bob, share := pairOf(t)
	appendTo(t, only(t, ada.home), label("a0000001", "00000001", "50", "from the future"))
	ada.mustSync(t, exchange.Directory(share))
	bob.mustSync(t, exchange.Directory(share))
	appendTo(t, only(t, bob.home), label("b0000001", "a0000001", "20", "later in truth"))
	bob.mustSync(t, exchange.Directory(share))
	if rep := ada.mustSync(t, exchange.Directory(share)); rep.In.Entries != 1 || rep.Out.Entries != 0 {
		t.Errorf("sync %+v", rep)
	}
	for _, m := range []*machine{ada, bob} {
		st := stateOf(t, only(t, m.home), m)
		if st.Labels["00000001"] != "later in truth" || st.Leaf != "b0000001" {
			t.Errorf("label %q, leaf %s", st.Labels["00000001"], st.Leaf)
		}
	}
}

// TestParentsFirst: entries that stand before their parents are sent behind them,
// and ones in a cycle are sent at all.
func TestParentsFirst(t *testing.T) {
	ada, _, share := pairOf(t)
	appendTo(t, only(t, ada.home), line("c0000003", "c0000002", "12", "child of child"), line("c0000002", "c0000001", "11", "child"),
		line("c0000001", "00000001", "10", "parent"), line("d0000001", "d0000002", "13", "round"), line("d0000002", "d0000001", "14", "and round"))
	rep := ada.mustSync(t, exchange.Directory(share))
	got := read(t, only(t, share))
	at := func(id string) int { return bytes.Index(got, []byte(`"id":"`+id)) }
	if rep.Out.Entries < 5 || at("c0000001") > at("c0000002") || at("c0000002") > at("c0000003") || at("d0000001") < 0 || at("d0000002") < 0 {
		t.Errorf("sync %+v, written\n%s", rep, got)
	}
	if rep := ada.mustSync(t, exchange.Directory(share)); rep.Settled != 1 {
		t.Errorf("second sync %+v", rep)
	}
}

// TestSettledLabels: two machines label and clear the same entry, and both write
// labels that say nothing; it is settled once, and again nothing moves.
func TestSettledLabels(t *testing.T) {
	label := func(id, at, rest string) string {
		return fmt.Sprintf(`{"type":"label","id":%q,"parentId":"00000001","timestamp":"2026-01-01T00:00:%sZ"%s}`, id, at, rest)
	}
	ada, bob, share := pairOf(t)
	appendTo(t, only(t, ada.home), label("a0000001", "10", `,"targetId":"00000001","label":"kept no longer"`),
		label("a0000002", "11", ""), label("a0000003", "12", `,"targetId":7`))
	appendTo(t, only(t, bob.home), label("b0000001", "20", `,"targetId":"00000001"`), label("b0000002", "21", ""))
	for range 2 {
		for _, m := range []*machine{ada, bob} {
			m.mustSync(t, exchange.Directory(share))
		}
	}
	for _, m := range []*machine{ada, bob} {
		if st := stateOf(t, only(t, m.home), m); len(st.Labels) != 0 {
			t.Errorf("labels %v, want none", st.Labels)
		}
		if err := os.RemoveAll(m.state); err != nil {
			t.Fatal(err)
		}
		if rep := m.mustSync(t, exchange.Directory(share)); rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
			t.Errorf("another sync %+v", rep)
		}
	}
}

// TestOneAtATime: a second run of the same sides is refused while one goes on.
func TestOneAtATime(t *testing.T) {
	ada, _, share := pairOf(t)
	appendTo(t, only(t, ada.home), line("a0000001", "00000001", "10", "ada"))
	var second error
	_, _, err := ada.sync(exchange.Directory(share), exchange.Options{Progress: func(int64, int64) {
		_, _, second = ada.sync(exchange.Directory(share), exchange.Options{})
	}})
	if err != nil || !errors.Is(second, exchange.ErrRunning) {
		t.Errorf("first %v, second %v", err, second)
	}
}

// TestNamesClash: two sessions whose files have one name are two sessions, in a
// store and in a directory; one that both have is one.
func TestNamesClash(t *testing.T) {
	for name, there := range map[string]exchange.Side{
		"store": exchange.Shared("memory", memory.New(memory.Options{}), nil), "directory": exchange.Directory(t.TempDir()),
	} {
		t.Run(name, func(t *testing.T) {
			ada, bob := newMachine(t, "ada"), newMachine(t, "bob")
			for i, m := range []*machine{ada, bob} {
				m.write(t, "pi", "p", "s.jsonl", text(header("pi", fmt.Sprint("of ", i), m.home+"/p"), line("00000001", "", "01", "one")))
				m.write(t, "pi", "p", "same.jsonl", text(header("pi", "same", m.home+"/p"), line("00000001", "", "01", "one")))
			}
			for _, m := range []*machine{ada, bob, ada} {
				m.mustSync(t, there)
			}
			for _, m := range []*machine{ada, bob} {
				if n := len(files(t, m.home)); n != 3 {
					t.Errorf("%d sessions, want 3", n)
				}
				if rep := m.mustSync(t, there); rep.Settled != 3 {
					t.Errorf("another sync %+v", rep)
				}
			}
		})
	}
}

// gathered returns the entries of a sequence, up to the first that cannot be read.
func gathered(entries iter.Seq2[entry.Entry, error]) (all []entry.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}
