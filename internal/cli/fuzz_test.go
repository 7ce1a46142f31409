package cli_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vectors"
)

// FuzzReading lists, shows, exports and examines any bytes as a session file: all
// of it ends, in a way that is documented, takes no more memory than some
// multiple of the bytes, and changes none of them. which chooses two of the
// commands; 0 is all of them.
func FuzzReading(f *testing.F) {
	all, err := vectors.All()
	if err != nil {
		f.Fatal(err)
	}
	for i, v := range all {
		if file, ok := vectors.File(v.Input); ok && len(file) < 6_000 && i%16 == 0 {
			f.Add(file, uint8(0))
		}
	}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 71))
		s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialects()[seed%4], Entries: 8, Version: 1 + int(seed%3)})
		damaged, _ := sessiongen.Damage(rng, s.Bytes)
		f.Add(damaged, uint8(0))
	}
	first, _, _ := strings.Cut(aSession, "\n")
	for _, data := range []string{
		"", "\x00", first, first[:40], strings.Repeat("\x00", 4096), strings.Repeat("[", 20_000), first + "\n" + strings.Repeat(`{"a":`, 20_000),
		string(hostileSession("/w")), `{"type":"title","v":1,"title":"` + strings.Repeat("x", 300),
		first + "\n" + strings.Repeat(`{"type":"message","id":"a","parentId":"a","message":null}`+"\n", 300),
	} {
		f.Add([]byte(data), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		m := newMachine(t)
		dir := filepath.Join(m.dir, "sessions")
		path := filepath.Join(dir, "2026-03-05T09-00-00-000Z_a.jsonl")
		write(t, path, data)
		before := snapshot(t, dir)
		for i, line := range []string{
			"ls --empty", "ls --empty --json --text --usage", "show --full", "show --json", "context", "context --llm --json", "tree --full", "tree --json",
			"entries", "entries --raw", "doctor", "doctor --json", "convert --to pi", "convert --to omp --keep-id",
		} {
			if which > 0 && i%7 != int(which)%7 {
				continue
			}
			command, _, _ := strings.Cut(line, " ")
			args := append(strings.Fields(line), path)
			if command == "ls" {
				args = append(strings.Fields(line), "--session-dir", dir)
			}
			ends(t, m, args, len(data))
		}
		after := snapshot(t, dir)
		if before[path] != after[path] || len(before) != len(after) {
			t.Fatalf("reading %q changed %q to %q", data, before, after)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Fatalf("reading changed %q to %q (%v)", data, now, err)
		}
	})
}

// ends runs a command line on a file of some size. It ends with one of the
// documented exit codes, says what is wrong in a few clean lines, and the memory
// that it took altogether is bounded.
func ends(t *testing.T, m *machine, args []string, size int) {
	t.Helper()
	type end struct {
		stderr string
		code   int
	}
	done := make(chan end, 1)
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	go func() {
		_, stderr, code := m.run(args...)
		done <- end{stderr, code}
	}()
	select {
	case e := <-done:
		if e.code < 0 || e.code > 7 || e.code == 2 || e.code == 4 {
			t.Fatalf("%v: exit code %d: %s", args, e.code, e.stderr)
		}
		if e.stderr != term.Safe(e.stderr) {
			t.Fatalf("%v: stderr: %q", args, e.stderr)
		}
	case <-time.After(5 * time.Minute):
		t.Fatalf("%v does not end", args)
	}
	runtime.ReadMemStats(&is)
	if took, most := is.TotalAlloc-was.TotalAlloc, uint64(32<<20+500*size); took > most {
		t.Fatalf("%v took %d bytes of memory altogether for a file of %d", args, took, size)
	}
}
