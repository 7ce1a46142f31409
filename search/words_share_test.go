//go:build share

package search_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/google/go-cmp/cmp"
)

func wordServer(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cambium-pg-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := pgtest.New(filepath.Join(dir, "s"), "fsync = off")
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s.URL("postgres")
}

// findingStore is a PostgreSQL store with the powers that a search may use.
type findingStore interface {
	postgres.Store
	powers.Finder
	powers.Searcher
	powers.PrefixReader
	Status(ctx context.Context) (serverstatus.Postgres, error)
}

// observed is a store that counts what is read of each log.
type observed struct {
	findingStore
	mu   sync.Mutex
	read map[string]int
}

func (o *observed) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := o.findingStore.Open(ctx, name, mode)
	return &observedLog{log, o, name}, err
}

type observedLog struct {
	storage.Log
	o    *observed
	name string
}

func (l *observedLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	l.o.mu.Lock()
	l.o.read[filepath.Base(l.name)]++
	l.o.mu.Unlock()
	return l.Log.Read(ctx, from)
}

// said is a line of a session of pi.
func said(id, parent, role, text string) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":%q,"content":[{"type":"text","text":"%s"}]}}`,
		id, up, role, text)
}

// wordy are sessions, by the name of their file, that have what searches stumble
// over.
func wordy(t *testing.T) map[string][]byte {
	t.Helper()
	var many strings.Builder
	for n := range 200_000 {
		fmt.Fprintf(&many, "w%dx ", n) // more words than a tsvector takes
	}
	title := func(id, parent, name string) string {
		return fmt.Sprintf(`{"type":"session_info","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:04:05.000Z","name":%q}`, id, parent, name)
	}
	all := map[string][]string{
		"plain":    {said("a1", "", "user", "The Quick brown fox, don't panic"), said("a2", "a1", "assistant", "jumps over naïve lazy dogs")},
		"branches": {said("b1", "", "user", "start here"), said("b2", "b1", "assistant", "an abandoned zebra"), said("b3", "b1", "assistant", "the other way")},
		"named":    {said("c1", "", "user", "hello"), title("c2", "c1", "old zebra name"), title("c3", "c2", "Garden water"), title("c4", "c3", "Garden water")},
		"cjk":      {said("d1", "", "user", "我们修理水管 と カタカナ"), said("d2", "d1", "assistant", "สวัสดี ok 한국어 ΣΊΣΥΦΟΣ ſtraße K")},
		"signs":    {said("e1", "", "user", "call foo.bar(x) in src/main.go:12 --flag=value C++ e-mail a@b.de http://x.y/z?q=1 1e5 0xFF it's"), said("e2", "e1", "assistant", `a\\b \"quoted\" tab\there under_score`)},
		"bytes":    {said("f1", "", "user", "broken \xff\xfe utf zebra\xc3 and nul \x00 there"), said("f2", "f1", "assistant", "\\u0000 \\ud800 escaped zebra")},
		"much":     {said("g1", "", "user", many.String()+"needle"), said("g2", "g1", "assistant", strings.Repeat("echo ", 100)+strings.Repeat("y", 100))},
		"tools": {said("h1", "", "user", "run it"),
			`{"type":"message","id":"h2","parentId":"h1","message":{"role":"assistant","provider":"p","model":"opus-9","content":[{"type":"toolCall","id":"t","name":"bash","arguments":{"command":"grep -rn zebra ."}}]}}`,
			`{"type":"message","id":"h3","parentId":"h2","message":{"role":"toolResult","toolCallId":"t","toolName":"bash","content":[{"type":"text","text":"found zebra.txt"}]}}`,
			`{"type":"compaction","id":"h4","parentId":"h3","summary":"we looked for a quagga","firstKeptEntryId":"h3"}`},
		"damaged": {said("i1", "", "user", "before the wreck"), said("i2", "i1", "assistant", "glued zebra") + said("i3", "i2", "user", "second glued"), `{"type":"message","id":"i4","par`},
		"title":   {title("j1", "", "Garden only")},
		"split":   {said("k1", "", "user", "alpha here"), said("k2", "k1", "assistant", "beta there")},
	}
	files := map[string][]byte{}
	for name, lines := range all {
		head := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T03:04:05.000Z","cwd":"/work/%s"}`, name, name)
		files[name] = []byte(strings.Join(append([]string{head}, lines...), "\n") + "\n")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		var buf bytes.Buffer
		if _, err := sessiongen.Small(&buf, rng, 40_000); err != nil {
			t.Fatal(err)
		}
		data := buf.Bytes()
		if n >= 8 {
			data, _ = sessiongen.Damage(rng, data)
		}
		files[fmt.Sprintf("random%d", n)] = data
	}
	return files
}

var wordyQueries = []string{
	"zebra", "quick fox", `"quick brown"`, `"brown quick"`, "qui*", "quic", "zeb* abandoned", "zebra -abandoned", "don't", "don", `"don't panic"`,
	"naïve", "NAÏVE", "naive", "garden", "garden water", "in:title garden", `"Garden water"`, "old name", "水", "水管", "カタカナ", "สวัสดี", "한국어", "한국*", "σίσυφος", "strasse", "k",
	"foo.bar", "foo", "src/main.go:12", "main.go", `"C++"`, "c", "a@b.de", "1e5", "0xff", "--flag", "value", "under_score", "under", "it's", `a\b`,
	"utf", "escaped", "broken zebra", "needle", "w199999x", "w1x needle", "w1x w199999x", strings.Repeat("y", 100), strings.Repeat("y", 62) + "*", "echo",
	"re:z[aeiou]bra", "re:(quick|lazy)", `re:"brown fox"`, `re:^jumps`, "re:.", "zebra re:f.und", "role:user zebra", "role:assistant zebra", "tool:bash zebra", "tool:bash", "model:opus",
	"project:branches the", "agent:pi zebra", "agent:omp zebra", "-agent:pi zebra", "before:2026-02-01 zebra", "after:2026-02-01 zebra", "quagga", "role:summary quagga",
	"glued", "second glued", "wreck", "alpha beta", "alpha", "beta", "nowhere-to-be-found", "the", "file", "function test", "error*", `"return nil"`, "re:func.*error", "import -package",
}

// TestWordsOfStore: a search of a store by its own full text finds what a search of
// the same sessions in files finds, in the same order, and reads only those in which
// a hit may be.
func TestWordsOfStore(t *testing.T) {
	url := wordServer(t)
	now := time.Now()
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	stores := map[bool]postgres.Store{}
	for _, extracts := range []bool{false, true} {
		o := postgres.Options{}
		if extracts {
			o.Extract = search.WordsOf
		}
		s, err := postgres.Open(t.Context(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stores[extracts] = s
	}
	files := wordy(t)
	for n, name := range slices.Sorted(maps.Keys(files)) {
		base := fmt.Sprintf("2026-01-02T03-04-05-000Z_%s.jsonl", name)
		at := "/.pi/agent/sessions/--work--/" + base
		log, err := stores[n%7 != 3].Open(t.Context(), at, storage.Create) // some by who takes no words out
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]byte
		for line := range bytes.Lines(files[name]) {
			lines = append(lines, bytes.TrimSuffix(line, []byte{'\n'}))
		}
		if _, err := log.Append(t.Context(), storage.Mark{}, lines); err != nil {
			t.Fatal(err)
		}
		info, err := log.Stat(t.Context())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, base), files[name], 0o600)
		}
		if err == nil {
			err = os.Chtimes(filepath.Join(dir, base), time.Time{}, time.Unix(0, info.ModTime))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	watched := &observed{findingStore: stores[true].(findingStore), read: map[string]int{}}
	known := index.New(index.Options{Dir: t.TempDir()})
	t.Cleanup(func() { _ = known.Close() })
	inFiles := catalog.Options{Env: layout.Env{Home: home}}
	inStore := catalog.Options{Env: layout.Env{Home: "/"}, Store: watched, Index: known}
	ask := func(text string, o catalog.Options) (all []search.Hit) {
		q, err := search.Parse(text, now)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for hit, err := range search.Run(t.Context(), q, search.Options{Options: o, PerSession: 3}) {
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			hit.Info.Path = filepath.Base(hit.Info.Path)
			all = append(all, hit)
		}
		return all
	}
	found := 0
	compare := func(when string) {
		t.Helper()
		for _, text := range wordyQueries {
			want := ask(text, inFiles)
			found += len(want)
			if diff := cmp.Diff(want, ask(text, inStore)); diff != "" {
				t.Errorf("%s: %s (-files +store):\n%.2000s", when, text, diff)
			}
		}
	}
	if _, err := catalog.List(t.Context(), inStore); err != nil {
		t.Fatal(err)
	}
	compare("some lines unknown")
	if err := search.KeepWords(t.Context(), inStore, nil); err != nil {
		t.Fatal(err)
	}
	if st, err := watched.Status(t.Context()); err != nil || st.Unindexed != 0 {
		t.Errorf("%d lines are not known, %v", st.Unindexed, err)
	}
	compare("all known")
	if found < 300 {
		t.Errorf("only %d hits were compared", found)
	}

	damaged := map[string]bool{}
	for info, err := range catalog.Scan(t.Context(), inStore) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Damaged {
			damaged[filepath.Base(info.Path)] = true
		}
	}
	for text, want := range map[string]string{"quagga": "tools", "w199999x": "much", "abandoned zebra": "branches", "alpha beta": "", "nowhere": ""} {
		clear(watched.read)
		ask(text, inStore)
		for base := range watched.read {
			if !damaged[base] && (want == "" || !strings.Contains(base, "_"+want+".")) {
				t.Errorf("%s: %s was read", text, base)
			}
		}
		if want != "" && len(watched.read) == 0 {
			t.Errorf("%s: nothing was read", text)
		}
	}
}
