package exchange_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A world is some machines that share a directory.
type world struct {
	t        *rapid.T
	tb       testing.TB
	agent    string
	disk     disk
	machines []*machine
	clock    []time.Time
	written  map[string]bool // ids of all entries that were appended
	rng      *rand.Rand
	n        int
}

func (w *world) path(i int) string {
	all := w.disk.files(w.tb, w.machines[i].home)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// open opens the session of a machine, which is made if there is none in the
// whole world yet.
func (w *world) open(i int) *session.Session {
	m := w.machines[i]
	o := vfs.On(session.Options{
		Dialect: "", Env: m.env(), FirstWrite: session.Immediately, Sync: session.SyncNone,
		Now:    func() time.Time { w.clock[i] = w.clock[i].Add(time.Second); return w.clock[i] },
		Random: w,
	}, w.disk)
	path := w.path(i)
	if path == "" {
		return nil
	}
	s, err := session.Open(context.Background(), path, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// Read makes the ids of entries the same for the same choices of rapid.
func (w *world) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(w.rng.Uint32())
	}
	return len(p), nil
}

// act does something to the session of a machine.
func (w *world) act(i int) {
	s := w.open(i)
	if s == nil {
		return
	}
	defer func() {
		if err := s.Close(); err != nil {
			w.t.Fatal(err)
		}
	}()
	ctx := context.Background()
	list := s.List()
	pick := func() *entry.ID {
		if list.Len() == 0 {
			return nil
		}
		id, ok := list.ID(rapid.IntRange(0, list.Len()-1).Draw(w.t, "entry"))
		if !ok {
			return nil
		}
		return &id
	}
	w.n++
	text := fmt.Sprintf("%d on %d", w.n, i)
	var id entry.ID
	var err error
	switch rapid.IntRange(0, 5).Draw(w.t, "act") {
	case 0:
		if to := pick(); to != nil {
			err = s.MoveLeaf(*to)
		}
	case 1:
		if to := pick(); to != nil {
			id, err = s.Append(ctx, &entry.LabelBody{TargetID: *to, Label: text})
		}
	case 2:
		_, err = s.Rename(ctx, text, session.Title{})
	default:
		id, err = s.Append(ctx, &entry.MessageBody{Message: fmt.Appendf(nil, `{"role":"user","content":%q}`, text)})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if id != "" {
		w.written[id] = true
	}
}

// sync unites a machine with the directory; a kill ends it at some operation of
// the file system, which and all later ones fail.
func (w *world) sync(i int, killAt int64) {
	m := w.machines[i]
	fsys := vfs.FS(w.disk)
	if killAt > 0 {
		n := int64(0)
		dead := false
		fsys = errorfs.Wrap(w.disk, func(op errorfs.Op) *errorfs.Fault {
			n++
			if dead = dead || n >= killAt; dead {
				return &errorfs.Fault{Short: int(killAt % 7 * 20)}
			}
			return nil
		})
	}
	m.fsys = fsys
	there := vfs.On(exchange.Directory(share), fsys)
	_, failed, err := m.sync(there, vfs.On(exchange.Options{Workers: 1}, fsys))
	m.fsys = w.disk
	if killAt == 0 && (err != nil || len(failed) > 0) {
		w.t.Fatalf("sync of machine %d: %v, %v", i, err, failed)
	}
}

// state is what a session decides, and its entries.
type state struct {
	Entries []string
	Leaf    string
	Title   string
	Labels  map[string]string
}

func stateOf(t testing.TB, path string, m *machine) state {
	t.Helper()
	s, err := session.Open(context.Background(), path, vfs.On(session.Options{Env: m.env(), ReadOnly: true}, m.fsys))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	st := state{Entries: entries(t, m.read(t, path)), Labels: make(map[string]string)}
	st.Leaf, _ = s.Leaf()
	st.Title, _ = s.Title()
	labels, err := tree.Of(s.Tree()).Labels()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		st.Labels[l.TargetID] = l.Text
	}
	return st
}

// healthy checks that ids are there once and parents are there at all.
func (w *world) healthy(path string) {
	_, list, damage, err := session.ParseEntries(w.disk.read(w.tb, path))
	if err != nil {
		w.t.Fatal(err)
	}
	seen := make(map[string]bool)
	for i := range list.Len() {
		id, _ := list.ID(i)
		if seen[id] {
			w.t.Fatalf("%s: entry %s is there twice", path, id)
		}
		seen[id] = true
		if list.Parent(i) == entry.Orphan {
			w.t.Fatalf("%s: the parent of %s is missing", path, id)
		}
		if p := list.Parent(i); p > i && len(defects.Of(damage).Bad) == 0 {
			w.t.Fatalf("%s: entry %s stands before its parent", path, id)
		}
	}
	for id := range w.written {
		if !seen[id] {
			w.t.Fatalf("%s: entry %s is lost", path, id)
		}
	}
}

// TestReplicasConverge: whatever is done on three machines, and wherever a sync
// is killed, all have the same entries, leaf, labels and name in the end, none
// lost and none twice, and then nothing moves any more.
func TestReplicasConverge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{
			t: rt, tb: t, disk: newDisk(), written: make(map[string]bool),
			agent: rapid.SampledFrom([]string{"cambium", "pi", "omp", "xcsh"}).Draw(rt, "agent"),
			rng:   rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)),
		}
		slot := ""
		if w.agent == "omp" && rapid.Bool().Draw(rt, "slot") {
			slot = `{"type":"title","v":1,"title":"","updatedAt":"2026-01-01T00:00:00.000Z","pad":"`
			slot += string(slices.Repeat([]byte(" "), 253-len(slot))) + "\"}\n"
		}
		for i := range 3 {
			w.machines = append(w.machines, w.disk.machine(t, fmt.Sprint("m", i)))
			// Clocks are hours apart.
			w.clock = append(w.clock, time.Date(2026, 1, 1, 5*i, 0, 0, 0, time.UTC))
		}
		first := line("0000000a", "", "01", "first")
		w.written["0000000a"] = true
		m := w.machines[0]
		w.disk.session(t, m, w.agent, "--p--", "2026-01-01T00-00-00-000Z_model.jsonl",
			append([]byte(slot), text(header(w.agent, "model", m.home+"/p"), first)...))
		w.sync(0, 0)
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			i := rapid.IntRange(0, 2).Draw(rt, "machine")
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				w.sync(i, 0)
			case 1:
				w.sync(i, int64(rapid.IntRange(1, 120).Draw(rt, "kill at")))
			default:
				w.act(i)
			}
		}
		for range 2 { // out, and in again
			for i := range w.machines {
				w.sync(i, 0)
			}
		}
		hub := w.disk.only(t, share)
		w.healthy(hub)
		want := stateOf(t, w.path(0), w.machines[0])
		for i, m := range w.machines {
			path := w.disk.only(t, m.home)
			w.healthy(path)
			if diff := cmp.Diff(want, stateOf(t, path, m)); diff != "" {
				rt.Fatalf("machine %d is not as machine 0 (-0 +%d):\n%s", i, i, diff)
			}
		}
		before := w.disk.stamps(t)
		for _, m := range w.machines {
			rep := m.mustSync(t, vfs.On(exchange.Directory(share), w.disk))
			if rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) || rep.Settled != 1 {
				rt.Fatalf("a sync with nothing to do: %+v", rep)
			}
		}
		if diff := cmp.Diff(before, w.disk.stamps(t)); diff != "" {
			rt.Fatalf("a sync with nothing to do wrote:\n%s", diff)
		}
	})
}
