package repair_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/session"
)

// TestArray: the entries of a JSON array become lines, and nothing is left beside them.
func TestArray(t *testing.T) {
	all := []string{head, one, two, three}
	array := "[" + strings.Join(all, ",") + "]"
	for _, data := range []string{
		array,
		array + "\n",
		"[\n" + strings.Join(all, ",\n") + "\n]\n",
		"[" + strings.Join(all, "\n, ") + "]\r\n",
		strings.TrimSuffix(array, "]"),
	} {
		w := newWard(t)
		path := w.write(name, data)
		r := w.look(path)
		for _, f := range r.Findings {
			if f.Kind != "array" && f.Kind != "newline" {
				t.Errorf("found %+v", f)
			}
		}
		w.fix(r)
		if got := w.read(path); got != lines(all...) {
			t.Errorf("%q becomes\n%s", data, got)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*damaged")); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %q, %v", data, left, err)
		}
	}
}

// TestArrayOfAnything: any session that was written as an array, in one line or many,
// reads as it did, also when its end is missing, and is the same once it is mended.
func TestArrayOfAnything(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 21))
		whole := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Clean: true, Entries: 10 + rng.IntN(30)})
		records := bytes.Split(bytes.TrimSuffix(whole.Bytes, []byte{'\n'}), []byte{'\n'})
		array := append(append([]byte{'['}, bytes.Join(records, []byte{','})...), ']')
		if seed%2 > 0 {
			var out bytes.Buffer
			if err := json.Indent(&out, array, "", strings.Repeat(" ", 1+rng.IntN(4))); err != nil {
				t.Fatal(err)
			}
			array = out.Bytes()
		}
		torn := seed%8 > 3
		if torn {
			array = array[:len(array)/2+rng.IntN(len(array)/2)]
		}
		disk, was := crashfs.New(), crashfs.New()
		onDisk(t, disk, array)
		onDisk(t, was, array)
		m := machine(t, disk)
		before, err := session.Open(t.Context(), memoryPath, vfs.On(session.Options{ReadOnly: true, Env: m.env}, was))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := before.Len(); !torn && got != len(whole.IDs) {
			t.Errorf("seed %d: %d entries of %d", seed, got, len(whole.IDs))
		}
		if err := m.doctor().Fix(t.Context(), m.look()); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		after, err := session.Open(t.Context(), memoryPath, vfs.On(session.Options{Env: m.env}, disk))
		if err != nil {
			t.Fatal(err)
		}
		if err := sessiontest.SameHealed(before, after); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if after.ReadOnly() {
			t.Errorf("seed %d: %s", seed, after.ReadOnlyReason())
		}
		if again := m.look(); again.Fixable() {
			t.Errorf("seed %d: found again: %.200s", seed, kinds(again))
		}
	}
}
