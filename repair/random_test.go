package repair_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
)

// inMemory is a machine whose disk is in memory.
type inMemory struct {
	t      *testing.T
	env    layout.Env
	fs     vfs.FS
	keeper *state.Journal
}

const memoryPath = "/home/a/.cambium/agent/sessions/--w--/2026-01-02T03-04-05-678Z_0123456789abcdef.jsonl"

// onDisk returns a machine with one session file on a disk.
func onDisk(t *testing.T, disk *crashfs.FS, data []byte) {
	t.Helper()
	for _, dir := range []string{filepath.Dir(memoryPath), "/home/a/.local/state"} {
		changed, err := vfs.MkdirAll(disk, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range changed {
			if err := disk.SyncDir(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, err := disk.Open(memoryPath, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = vfs.WriteAll(f, data)
	if err := errors.Join(err, f.Sync(), f.Close(), disk.SyncDir(filepath.Dir(memoryPath))); err != nil {
		t.Fatal(err)
	}
}

func machine(t *testing.T, disk vfs.FS) *inMemory {
	env := layout.Env{Home: "/home/a", Cwd: "/w", Getenv: func(string) string { return "" }}
	random := rand.NewChaCha8([32]byte{1})
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	return &inMemory{t: t, env: env, fs: disk, keeper: state.New(state.Options{
		Dir: places.Own(env).State, FS: disk, Now: now, Random: random,
	})}
}

func (m *inMemory) doctor() *repair.Doctor {
	return repair.New(vfs.On(repair.Options{Env: m.env, Keeper: m.keeper}, m.fs))
}

func (m *inMemory) look() *repair.Report {
	m.t.Helper()
	all, err := m.doctor().Session(m.t.Context(), memoryPath)
	if err != nil {
		m.t.Fatal(err)
	}
	return all[0]
}

func (m *inMemory) read() []byte {
	m.t.Helper()
	data, err := vfs.ReadFile(m.fs, memoryPath, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	return data
}

// readable returns the lines of the entries that can be read, sorted.
func readable(t *testing.T, data []byte) []string {
	t.Helper()
	_, list, _, err := session.ParseEntries(data)
	if errors.Is(err, session.ErrNotSession) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range list.Len() {
		raw, err := list.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	slices.Sort(all)
	return all
}

// asRead returns the lines of the entries that can be read, each with the parent
// below which it is read, sorted.
func (m *inMemory) asRead() []string {
	m.t.Helper()
	s, err := session.Open(m.t.Context(), memoryPath, vfs.On(session.Options{ReadOnly: true, Env: m.env}, m.fs))
	if errors.Is(err, session.ErrNotSession) {
		return nil
	}
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	links, err := tree.Of(s.Tree()).Relink(tree.Names(s.ID()))
	if err != nil {
		m.t.Fatal(err)
	}
	var all []string
	for i := range s.Len() {
		raw, err := s.List().Load(i)
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, string(links.Line(i, raw)))
	}
	slices.Sort(all)
	return all
}

// lacks returns the first of the lines that others lack; both sorted.
func lacks(lines, others []string) (string, bool) {
	for _, line := range lines {
		for len(others) > 0 && others[0] < line {
			others = others[1:]
		}
		if len(others) == 0 || others[0] != line {
			return line, true
		}
		others = others[1:]
	}
	return "", false
}

// TestRandomDamage: when an entry was lost or changed so that it cannot be read,
// something is found; a repair loses no entry that could be read; a second look
// finds nothing more to repair; taken back, the file is what it was.
func TestRandomDamage(t *testing.T) {
	const rounds = 1000
	mended := 0
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dialects := sessiongen.Dialects()
		whole := sessiongen.Random(rng, sessiongen.Options{
			Dialect: dialects[rng.IntN(len(dialects))], Clean: true, Appendable: true, Entries: 20 + rng.IntN(30),
		})
		data, wound := sessiongen.Damage(rng, whole.Bytes)
		for range rng.IntN(3) {
			data, wound = sessiongen.Damage(rng, data)
		}
		mended += damaged(t, fmt.Sprintf("seed %d, %s at %d", seed, wound.Kind, wound.Offset), whole.Bytes, data)
		if t.Failed() {
			return
		}
	}
	if mended < rounds/4 {
		t.Errorf("only %d of %d were repaired", mended, rounds)
	}
}

func damaged(t *testing.T, name string, whole, data []byte) (mended int) {
	disk := crashfs.New()
	onDisk(t, disk, data)
	m := machine(t, disk)
	r := m.look()
	was, full := readable(t, data), readable(t, whole)
	if _, lost := lacks(full, was); lost && !r.Damaged() && cutShort(whole, data) == 0 && !stillJSON(data) {
		t.Errorf("%s: an entry was lost and nothing found", name)
	}
	if !r.Fixable() {
		return 0
	}
	read := m.asRead()
	if err := m.doctor().Fix(t.Context(), r); err != nil {
		t.Errorf("%s: %v; found %s", name, err, kinds(r))
		return 0
	}
	if len(read) != len(was) {
		t.Errorf("%s: %d entries are read, and %d as a session", name, len(was), len(read))
	}
	if line, lost := lacks(read, readable(t, m.read())); lost {
		t.Errorf("%s: the repair lost %.200s", name, line)
	}
	if again := m.look(); again.Fixable() {
		t.Errorf("%s: found again: %s", name, kinds(again))
	}
	for _, f := range r.Findings {
		if !f.Fixed {
			continue
		}
		if _, err := m.keeper.Undo(t.Context(), f.UndoID, nil); err != nil {
			t.Errorf("%s: undo: %v", name, err)
		}
		if got := m.read(); !bytes.Equal(got, data) {
			t.Errorf("%s: taken back, it is another file", name)
		}
		break
	}
	return 1
}

// cutShort reports whether the file simply ends earlier, at the end of a line.
func cutShort(whole, data []byte) int {
	if bytes.HasPrefix(whole, data) && bytes.HasSuffix(data, []byte{'\n'}) {
		return 1
	}
	return 0
}

// stillJSON reports whether every line is JSON: a changed letter of a text, or a
// whole line that is gone from where nobody hangs on it, cannot be told.
func stillJSON(data []byte) bool {
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		text := jsonl.Trim(line, 0).In(line)
		if len(text) > 0 && jsonl.Valid(text) != nil {
			return false
		}
	}
	return true
}

// TestNoFalseAlarm: nothing is found in what is healthy.
func TestNoFalseAlarm(t *testing.T) {
	check := func(name string, data []byte) {
		disk := crashfs.New()
		onDisk(t, disk, data)
		for _, f := range machine(t, disk).look().Findings {
			// The generator writes compactions that keep from nowhere on
			// purpose: the programs write them too.
			if f.Kind != "firstKept" {
				t.Errorf("%s: found %+v", name, f)
			}
		}
	}
	for seed := range uint64(250) {
		for _, d := range sessiongen.Dialects() {
			for version := 1; version <= 3; version++ {
				if version < 3 && seed%10 > 0 {
					continue
				}
				s := sessiongen.Random(rand.New(rand.NewPCG(seed, 1)), sessiongen.Options{
					Dialect: d, Version: version, Clean: true, Appendable: true, Newlines: []sessiongen.Newlines{sessiongen.LF, sessiongen.CRLF}[seed%2],
				})
				check(fmt.Sprintf("%s %d, seed %d", d, version, seed), s.Bytes)
			}
		}
	}
}

// TestVectors: in the files recorded from the real programs only that is found
// which is meant to be wrong with them.
func TestVectors(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		data, ok := vectors.File(v.Input)
		if !ok {
			continue
		}
		disk := crashfs.New()
		onDisk(t, disk, data)
		if got := kinds(machine(t, disk).look()); got != wrong[v.Name] {
			t.Errorf("%q: %q,", v.Name, got)
		}
	}
}

// wrong is what is wrong with vectors, by their names.
var wrong = map[string]string{
	"append-after-missing-newline":          "newline:2+",
	"context-compaction-missing-first-kept": "firstKept:3",
	"context-missing-first-kept":            "firstKept:4",
	"external-writer-conflict":              "syntax:2+",
	"invalid-header-overwritten":            "header+",
	"invalid-header-refused":                "header+",
	"leaf-null-unknown-orphan":              "parent:4+",
	"lenient-lines":                         "syntax:5+ glued:6+ glued:7+",
	"lenient-values":                        "split:1+ glued:5+ syntax:6+ glued:7+ scalar:8+",
	"malformed-line-forces-rewrite":         "syntax:2+ torn:4+",
	"missing-final-newline-repaired":        "newline:3+",
	"non-session-rejected":                  "header:2+",
	"null-line-crash":                       "scalar:2+",
	"parent-cycle-bounded":                  "cycle:2",
	"torn-tail-repaired":                    "torn:4+",
	"tree-order":                            "cycle:5 parent:6+",
	"unterminated-value-swallows-rest":      "torn:3+ torn:5+",
}

// TestFaults fails every operation of a repair, and crashes before each change:
// the session is as it was or repaired, never less.
func TestFaults(t *testing.T) {
	file := []byte(lines(head, one+two, "null", three[:70]+said("e0000004", "e0000002", "four")) + "\x00\x00")
	was := readable(t, file)
	safe := func(name string, disk vfs.FS) {
		t.Helper()
		m := machine(t, disk)
		if line, lost := lacks(was, readable(t, m.read())); lost {
			t.Errorf("%s: lost %q", name, line)
		}
	}
	for n := int64(1); ; n++ {
		disk := crashfs.New()
		onDisk(t, disk, file)
		plain := machine(t, disk)
		counter := &errorfs.Counter{At: n, Fault: errorfs.Fault{Err: errorfs.ErrNoSpace, Short: 30}}
		faulty := machine(t, errorfs.Wrap(disk, counter.Inject))
		r := plain.look()
		doctor := repair.New(vfs.On(repair.Options{Env: plain.env, Keeper: faulty.keeper}, faulty.fs))
		all, err := doctor.Session(t.Context(), memoryPath)
		if err == nil && all[0].Fixable() {
			r = all[0]
			err = doctor.Fix(t.Context(), r)
		}
		name := fmt.Sprintf("fault %d (%v)", n, err)
		safe(name, disk)
		if err == nil && len(r.Findings) > 0 && r.Findings[0].Fixed {
			if got := plain.look(); got.Fixable() {
				t.Errorf("%s: said to be repaired, and found again: %s", name, kinds(got))
			}
		}
		if !counter.Fired() {
			if err != nil || n < 30 {
				t.Errorf("after %d operations: %v", n-1, err)
			}
			break
		}
	}
	for n := int64(1); ; n++ {
		disk := crashfs.New()
		onDisk(t, disk, file)
		counter := &errorfs.Counter{At: n, Only: func(op errorfs.Op) bool { return op.Kind.Changes() }}
		counter.Then = func(op errorfs.Op) {
			for _, keep := range []int{0, 50, 100} {
				for seed := range uint64(20) {
					safe(fmt.Sprintf("crash before change %d (%s), %d %% kept, seed %d", n, op.Kind, keep, seed), disk.CrashClone(keep, seed))
				}
			}
		}
		m := machine(t, errorfs.Wrap(disk, counter.Inject))
		if err := m.doctor().Fix(t.Context(), m.look()); err != nil {
			t.Fatal(err)
		}
		if !counter.Fired() {
			break
		}
	}
}

// TestWhileOthersWrite: what is appended to a file while it is being repaired is
// in the repaired one.
func TestWhileOthersWrite(t *testing.T) {
	file := []byte(lines(head, one, "null", two))
	for n := int64(1); ; n++ {
		disk := crashfs.New()
		onDisk(t, disk, file)
		counter := &errorfs.Counter{At: n}
		counter.Then = func(errorfs.Op) {
			f, err := disk.Open(memoryPath, os.O_RDWR|os.O_APPEND)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Write([]byte(lines(three)))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		m := machine(t, errorfs.Wrap(disk, counter.Inject))
		if err := m.doctor().Fix(t.Context(), m.look()); err != nil {
			t.Errorf("operation %d: %v", n, err)
		}
		m.fs = disk
		want := lines(head, one, two, three)
		if !counter.Fired() {
			want = lines(head, one, two)
		}
		if got := string(m.read()); got != want {
			t.Errorf("operation %d: the file is %q", n, got)
		}
		if !counter.Fired() {
			return
		}
		if _, err := m.keeper.Undo(t.Context(), "", nil); err != nil {
			t.Errorf("operation %d: undo: %v", n, err)
		}
		if !strings.Contains(everything(t, disk), three) {
			t.Errorf("operation %d: taken back, what others wrote is nowhere", n)
		}
	}
}

// everything returns the bytes of all session files beside the one.
func everything(t *testing.T, disk vfs.FS) string {
	t.Helper()
	dir := filepath.Dir(memoryPath)
	var all strings.Builder
	for _, name := range names(t, disk, dir) {
		if strings.HasSuffix(name, ".jsonl") {
			data, err := vfs.ReadFile(disk, filepath.Join(dir, name), 0)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(data)
		}
	}
	return all.String()
}

// TestDoubt: a repaired file that lacks an entry when it is read again is put
// back as it was, and the repair says that it failed.
func TestDoubt(t *testing.T) {
	file := lines(head, one, "null", two)
	for name, bad := range map[string]string{
		"an entry is gone":    lines(head, one),
		"a link is changed":   lines(head, one, strings.Replace(two, `"parentId":"e0000001"`, `"parentId":null`, 1)),
		"the order is other":  lines(head, two, one),
		"the header is gone":  lines(one, "[]", two[:50]),
		"everything is zeros": strings.Repeat("\x00", 100),
	} {
		t.Run(name, func(t *testing.T) {
			disk := crashfs.New()
			onDisk(t, disk, []byte(file))
			armed, spoiled := false, false
			m := machine(t, errorfs.Wrap(disk, func(op errorfs.Op) *errorfs.Fault {
				if op.Kind == errorfs.Rename && op.To == memoryPath {
					armed = true
				}
				if armed && !spoiled && op.Kind == errorfs.Open && op.Name == memoryPath {
					spoiled = true
					f, err := disk.Open(memoryPath, os.O_RDWR)
					if err != nil {
						t.Fatal(err)
					}
					_, err = f.WriteAt([]byte(bad), 0)
					if err := errors.Join(f.Truncate(int64(len(bad))), err, f.Close()); err != nil {
						t.Fatal(err)
					}
				}
				return nil
			}))
			r := m.look()
			err := m.doctor().Fix(t.Context(), r)
			if !spoiled || err == nil || r.Findings[0].Fixed {
				t.Errorf("repaired (spoiled: %v): %v", spoiled, err)
			}
			if !strings.Contains(everything(t, disk), file) {
				t.Errorf("what it was is nowhere; error: %v; there is %q", err, everything(t, disk))
			}
		})
	}
}

// TestRefusals: a repair that cannot be taken back is not made.
func TestRefusals(t *testing.T) {
	disk := crashfs.New()
	onDisk(t, disk, []byte(lines(head, one, "null")))
	m := machine(t, disk)
	d := repair.New(vfs.On(repair.Options{Env: m.env, Agents: []dialect.Name{dialect.Cambium}}, disk))
	if err := d.Fix(t.Context(), m.look()); err == nil {
		t.Log("the report was repaired by the doctor that made it, with its keeper")
	}
	r, err := d.Session(t.Context(), memoryPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Fix(t.Context(), r[0]); err == nil || !strings.Contains(err.Error(), "backup") {
		t.Errorf("repair without a keeper: %v", err)
	}
	if _, err := d.Session(t.Context(), "/home/a/no.jsonl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("look at what is not there: %v", err)
	}
	if _, err := d.Session(t.Context(), "/home/a"); !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("look at a directory: %v", err)
	}
}
