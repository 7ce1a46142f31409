package codex_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/klauspost/compress/zstd"
)

// lines returns what is read of a file with a text.
func lines(t testing.TB, path string, text []byte) []byte {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := codex.New().Read(context.Background(), vfs.OS(), path)
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

func samples(t testing.TB) (all [][]byte) {
	t.Helper()
	paths, err := filepath.Glob("testdata/samples/*/rollout-*.jsonl")
	if err != nil || len(paths) < 18 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

const rollout = "rollout-2026-01-01T00-00-00-01900000-0000-7000-8000-000000000001.jsonl"

// TestDamage reads samples with lines that are torn, gone, doubled, put elsewhere, or changed
// by a byte: whatever is read is sound.
func TestDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scratch.OwnDir(t), rollout)
	r := rand.New(rand.NewPCG(5, 6))
	all := samples(t)
	for n := range 2500 {
		text := all[n%len(all)]
		list := bytes.SplitAfter(text, []byte{'\n'})
		at := r.IntN(len(list) - 1)
		switch n / len(all) % 6 {
		case 0:
			list[at] = append(bytes.Clone(list[at][:r.IntN(len(list[at]))]), '\n')
		case 1:
			list[at] = nil
		case 2:
			list[at] = append(bytes.Clone(list[at]), list[at]...)
		case 3:
			to := r.IntN(len(list) - 1)
			list[at], list[to] = list[to], list[at]
		case 4:
			list[at] = bytes.Clone(list[at])
			list[at][r.IntN(len(list[at]))] ^= byte(1 + r.IntN(255))
		case 5:
			list = list[:at+1]
			list[at] = list[at][:r.IntN(len(list[at]))]
		}
		damaged := bytes.Join(list, nil)
		if err := foreigntest.Sound(lines(t, path, damaged), damaged); err != nil {
			t.Fatalf("damage %d: %v", n, err)
		}
	}
}

// TestHostile reads files that were made to lead in circles, or to take long.
func TestHostile(t *testing.T) {
	t.Parallel()
	line := func(kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-01-01T00:00:00.000Z","type":%q,"payload":%s}`+"\n", kind, payload)
	}
	const self = "01900000-0000-7000-8000-000000000001"
	for name, text := range map[string]string{
		"nothing":         "",
		"no header":       line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`),
		"itself":          line("session_meta", `{"id":"`+self+`","history_base":{"thread_id":"`+self+`","end_byte_offset":100}}`),
		"far away":        line("session_meta", `{"history_base":{"thread_id":"../../../../../../../../../etc/passwd","end_byte_offset":100}}`),
		"wrong offset":    line("session_meta", `{"history_base":{"thread_id":"`+self+`","end_byte_offset":-1}}`),
		"one id":          strings.Repeat(line("response_item", `{"type":"message","id":"a","role":"user","content":[]}`), 20_000),
		"odd contents":    line("response_item", `{"type":"message","role":"assistant","content":7}`) + line("response_item", `{"type":"function_call","arguments":"{"}`) + line("response_item", `{"type":"function_call","arguments":[]}`) + line("response_item", `{"type":"custom_tool_call"}`) + line("response_item", `{"type":"reasoning","summary":{}}`) + line("response_item", `{"type":"function_call_output","output":{"a":1}}`) + line("response_item", `5`) + line("compacted", `{}`) + line("event_msg", `{"type":"thread_rolled_back","num_turns":99}`) + line("turn_context", `{"model":5,"effort":[]}`) + line("token_usage_record", `{"usage":5}`),
		"images":          line("response_item", `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_image","image_url":"data:\";base64,AA"},{"type":"input_image","image_url":"https://example.com"},{"type":"input_image"}]}`),
		"arguments":       line("response_item", `{"type":"function_call","call_id":"a","name":"b","arguments":"{\"a\":\n1}"}`),
		"taken back":      strings.Repeat(line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`)+line("event_msg", `{"type":"thread_rolled_back","num_turns":1}`), 500),
		"an array":        "[1]\n",
		"compacted often": strings.Repeat(line("compacted", `{"message":"m","replacement_history":[{"role":"user","content":[{"text":"a"}]},{"role":"user","content":[{"text":"b"}]}]}`), 1000),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(scratch.OwnDir(t), rollout)
			if err := foreigntest.Sound(lines(t, path, []byte(text)), []byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPacked reads a file that is compressed, and one that is not what it says.
func TestPacked(t *testing.T) {
	t.Parallel()
	dir := scratch.OwnDir(t)
	text := samples(t)[0]
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	plain := lines(t, filepath.Join(dir, rollout), text)
	if got := lines(t, filepath.Join(dir, rollout+".zst"), packed.Bytes()); !bytes.Equal(got, plain) {
		t.Errorf("it reads %d bytes, not the %d of the plain file", len(got), len(plain))
	}
	var bomb bytes.Buffer
	if w, err = zstd.NewWriter(&bomb); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := w.Write(bytes.Repeat([]byte{'\n'}, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.WriteFile(filepath.Join(dir, rollout+".zst"), bomb.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := codex.New().Read(context.Background(), vfs.OS(), filepath.Join(dir, rollout+".zst")); err == nil || !strings.Contains(err.Error(), "too much for one so small") {
		t.Errorf("%d bytes with 100 MiB are read: %v", bomb.Len(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, rollout+".zst"), []byte("no zstd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := codex.New().Read(context.Background(), vfs.OS(), filepath.Join(dir, rollout+".zst")); err == nil {
		t.Error("what is not compressed is read")
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
		if err := foreigntest.Sound(lines(t, filepath.Join(dir, rollout), text), text); err != nil {
			t.Error(err)
		}
	})
}
