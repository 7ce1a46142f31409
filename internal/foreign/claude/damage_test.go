package claude_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
)

// lines returns what is read of a file with a text.
func lines(t testing.TB, fsys vfs.FS, path string, text []byte) []byte {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := claude.New().Read(context.Background(), fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(io.NewSectionReader(m, 0, m.Size()))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// samples returns the files of the samples, subagents' too.
func samples(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, pattern := range []string{"testdata/samples/*/*.jsonl", "testdata/samples/*/*/subagents/*.jsonl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
	}
	return all
}

// said returns the texts of the messages of a session.
func saidIn(t *testing.T, all []byte) map[string]int {
	t.Helper()
	texts := map[string]int{}
	_, list, _, err := session.ParseEntries(all)
	if err != nil {
		t.Fatal(err)
	}
	for n := range list.Len() {
		e, err := list.Entry(n)
		if err != nil {
			continue
		}
		if k := e.Kind; k == entry.Message || k == entry.Compaction || k == entry.CustomMessage {
			texts[string(e.Raw())]++
		}
	}
	return texts
}

// TestSound reads the samples.
func TestSound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scratch.OwnDir(t), "s.jsonl")
	for _, text := range samples(t) {
		if err := foreigntest.Sound(lines(t, vfs.OS(), path, text), text); err != nil {
			t.Error(err)
		}
	}
}

// TestDamage reads samples with lines that are torn, gone, doubled, put elsewhere, or changed
// by a byte. Whatever is read is sound, and where a line is torn no other message is lost.
func TestDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scratch.OwnDir(t), "s.jsonl")
	r := rand.New(rand.NewPCG(3, 4))
	all := samples(t)
	for n := range 2500 {
		text := all[n%len(all)]
		list := bytes.SplitAfter(text, []byte{'\n'})
		at := r.IntN(len(list) - 1)
		torn := false
		switch n / len(all) % 6 {
		case 0: // torn
			list[at] = append(bytes.Clone(list[at][:r.IntN(len(list[at]))]), '\n')
			torn = true
		case 1: // gone
			list[at] = nil
		case 2: // doubled
			list[at] = append(bytes.Clone(list[at]), list[at]...)
		case 3: // elsewhere
			to := r.IntN(len(list) - 1)
			list[at], list[to] = list[to], list[at]
		case 4: // a byte
			list[at] = bytes.Clone(list[at])
			list[at][r.IntN(len(list[at]))] ^= byte(1 + r.IntN(255))
		case 5: // the end is missing
			list = list[:at+1]
			list[at] = list[at][:r.IntN(len(list[at]))]
		}
		damaged := bytes.Join(list, nil)
		got := lines(t, vfs.OS(), path, damaged)
		if err := foreigntest.Sound(got, damaged); err != nil {
			t.Fatalf("damage %d: %v", n, err)
		}
		if !torn {
			continue
		}
		before, after := saidIn(t, lines(t, vfs.OS(), path, text)), saidIn(t, got)
		lost := 0
		for said := range before {
			if !texts(after, said) {
				lost++
			}
		}
		// An answer of several lines loses one of them, a call leaves its result, whose
		// tool is not known then.
		if most := 6; lost > most {
			t.Errorf("damage %d: %d of %d messages are lost or changed", n, lost, len(before))
		}
	}
}

// texts reports whether a message is there, wherever it hangs now.
func texts(all map[string]int, said string) bool {
	_, body, _ := strings.Cut(said, `"timestamp"`)
	for other := range all {
		if strings.HasSuffix(other, body) {
			return true
		}
	}
	return false
}

// TestHostile reads files that were made to take long, or to lead in circles.
func TestHostile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scratch.OwnDir(t), "s.jsonl")
	record := func(kind, uuid, parent, more string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%q,"timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s","cwd":"/w"%s}`+"\n", kind, uuid, parent, more)
	}
	answer := `,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"x","input":{}}]}`
	result := `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}`
	for name, text := range map[string]string{
		"nothing":         "",
		"blank":           "\n\n \n",
		"one id":          strings.Repeat(record("user", "a", "a", `,"message":{"role":"user","content":"x"}`), 50_000),
		"circles":         record("user", "a", "b", `,"message":{"role":"user","content":"x"}`) + record("user", "b", "a", `,"message":{"role":"user","content":"y"}`),
		"one answer":      strings.Repeat(record("assistant", "a", "a", answer), 20_000),
		"one call":        strings.Repeat(record("assistant", "a", "a", answer)+record("user", "b", "a", result), 10_000),
		"results alone":   strings.Repeat(record("user", "b", "a", result), 20_000),
		"compactions":     strings.Repeat(record("system", "c", "", `,"subtype":"compact_boundary","compactMetadata":{"preservedSegment":{"headUuid":"c"}}`)+record("user", "d", "c", `,"isCompactSummary":true,"message":{"content":"x"}`), 5_000),
		"summary alone":   record("user", "d", "c", `,"isCompactSummary":true,"message":{"content":7}`),
		"no message":      record("user", "d", "", "") + record("assistant", "e", "d", "") + record("attachment", "f", "e", "") + record("system", "g", "f", ""),
		"odd contents":    record("user", "d", "", `,"message":{"content":{"a":1}}`) + record("assistant", "e", "d", `,"message":{"content":[1,null,"x",{"type":"image"},{"type":"thinking"},{"type":"tool_use"},{"type":"redacted_thinking"}]}`) + record("user", "f", "e", `,"message":{"content":[{"type":"tool_result"},{"type":"tool_result","content":5,"tool_use_id":""}]}`),
		"deep":            record("user", "d", "", `,"message":{"content":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}"),
		"an array":        "[1,2]\n",
		"a pi session":    `{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n",
		"controls":        record("user", "\\u001b[2J", "", `,"message":{"content":"x"}`),
		"named elsewhere": record("user", "a", "", `,"message":{"content":"x"}`) + `{"type":"last-prompt","leafUuid":"nowhere"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := foreigntest.Sound(lines(t, vfs.OS(), path, []byte(text)), []byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
}

// FuzzRead reads anything.
func FuzzRead(f *testing.F) {
	for _, text := range samples(f) {
		if len(text) < 1<<15 {
			f.Add(text)
		}
	}
	dir := scratch.OwnDir(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", os.Getpid()))
		if err := foreigntest.Sound(lines(t, vfs.OS(), path, text), text); err != nil {
			t.Error(err)
		}
	})
}
