package repair_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
)

// wrap breaks every line that is longer than width bytes, as fold does; words keeps
// words whole, as fmt does.
func wrap(data []byte, width int, words bool) []byte {
	var out []string
	for line := range strings.SplitSeq(string(data), "\n") {
		for len(line) > width {
			at := width
			if words {
				if at = strings.LastIndexByte(line[:width], ' '); at <= 0 {
					at = width
				}
			}
			out = append(out, line[:at])
			if line = line[at:]; words {
				line = strings.TrimPrefix(line, " ")
			}
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}

// TestHardWrapped: a session whose lines were broken is mended, or left as it was with
// the reason; nothing that was read is lost, and nothing lies about afterwards.
func TestHardWrapped(t *testing.T) {
	mended := 0
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 16))
		whole := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Clean: true, Entries: 20 + rng.IntN(30), NoSlot: true})
		data := wrap(whole.Bytes, 40+rng.IntN(200), seed%8 >= 4)
		disk, was := crashfs.New(), crashfs.New()
		onDisk(t, disk, data)
		onDisk(t, was, data)
		m := machine(t, disk)
		r := m.look()
		before, err := session.Open(t.Context(), memoryPath, vfs.On(session.Options{ReadOnly: true, Env: m.env}, was))
		if err != nil && !errors.Is(err, session.ErrNotSession) {
			t.Fatal(err)
		}
		if err := m.doctor().Fix(t.Context(), r); err != nil {
			t.Errorf("seed %d: %v; found %.200s", seed, err, kinds(r))
			continue
		}
		if before == nil {
			continue
		}
		after, err := session.Open(t.Context(), memoryPath, vfs.On(session.Options{ReadOnly: true, Env: m.env}, disk))
		if err != nil {
			t.Fatal(err)
		}
		if err := sessiontest.SameHealed(before, after); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if again := m.look(); again.Fixable() {
			t.Errorf("seed %d: found again: %.200s", seed, kinds(again))
		}
		if len(readable(t, m.read())) == len(whole.IDs) {
			mended++
		}
		names, err := disk.Names(filepath.Dir(memoryPath))
		if err != nil || len(names) != 1 {
			t.Errorf("seed %d: %q lie there: %v", seed, names, err)
		}
	}
	if mended < 80 {
		t.Errorf("%d of 80 have every entry again", mended)
	}
}

// TestBusyWriter: a repair comes to its end while another program appends whenever it
// looks, and what that appends is all there.
func TestBusyWriter(t *testing.T) {
	disk := crashfs.New()
	onDisk(t, disk, []byte(lines(head, one, "null", two)))
	n := 0
	inject := func(op errorfs.Op) *errorfs.Fault {
		if op.Name == memoryPath && op.Kind == errorfs.Open && n < 400 {
			n++
			f, err := disk.Open(memoryPath, os.O_RDWR|os.O_APPEND)
			if err != nil {
				t.Error(err)
				return nil
			}
			_, err = f.Write([]byte(lines(said(fmt.Sprintf("f%07d", n), "e0000002", "busy"))))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	m := machine(t, errorfs.Wrap(disk, inject))
	if err := m.doctor().Fix(t.Context(), m.look()); err != nil {
		t.Fatal(err)
	}
	m.fs = disk
	got := string(m.read())
	if !strings.HasPrefix(got, lines(head, one, two)) || strings.Contains(got, "null\n") || strings.Count(got, "busy") != n || n < 5 {
		t.Errorf("after %d appends the file is\n%s", n, got)
	}
	if _, err := m.keeper.Undo(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if all := everything(t, disk); strings.Count(all, "busy") < n {
		t.Errorf("taken back, %d of %d lines of others are left", strings.Count(all, "busy"), n)
	}
}

// TestBrokenKey: a line end inside of a key is no part of it, nor of an id.
func TestBrokenKey(t *testing.T) {
	for _, broken := range []string{
		strings.Replace(two, `"parentId"`, "\"par\nentId\"", 1),
		strings.Replace(two, `"parentId"`, "\"par\r\nentId\"", 1),
		strings.Replace(two, `"e0000002"`, "\"e000\n0002\"", 1),
		strings.Replace(two, `"parentId":"e0000001"`, "\"parentId\":\"e00\n00001\"", 1),
		strings.Replace(two, `"message":`, "\"mess\nage\":", 1),
	} {
		w := newWard(t)
		path := w.write(name, lines(head, one, broken, three))
		w.fix(w.look(path))
		if got := w.read(path); got != lines(head, one, two, three) {
			t.Errorf("%q becomes %s", broken, got)
		}
	}
}

// TestDoubtLeavesNothing: a repair that fails its own check takes back what it moved
// aside.
func TestDoubtLeavesNothing(t *testing.T) {
	disk := crashfs.New()
	onDisk(t, disk, []byte(lines(head, one, "null", two)))
	spoilt := false
	m := machine(t, errorfs.Wrap(disk, func(op errorfs.Op) *errorfs.Fault {
		if op.Kind != errorfs.Open || op.Name != memoryPath || spoilt {
			return nil
		}
		data, err := vfs.ReadFile(disk, memoryPath, 0)
		if err == nil && string(data) == lines(head, one, two) {
			spoilt = true
			f, err := disk.Open(memoryPath, os.O_RDWR)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Truncate(int64(len(lines(head, one)))), f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}))
	if err := m.doctor().Fix(t.Context(), m.look()); err == nil || !spoilt {
		t.Fatalf("spoilt %v, and the repair says %v", spoilt, err)
	}
	for _, name := range names(t, disk, filepath.Dir(memoryPath)) {
		if strings.HasSuffix(name, ".cambium-damaged") {
			t.Errorf("%s is left", name)
		}
	}
}
