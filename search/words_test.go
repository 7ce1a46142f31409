package search_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/google/go-cmp/cmp"
)

func TestWordsOf(t *testing.T) {
	for _, test := range []struct {
		line, words string
		size        int
	}{
		{`{"type":"message","id":"1","message":{"role":"user","content":"The the Quick-brown, don't 水管"}}`, "the quick brown don t 水 管", 33},
		{` {"type":"message","id":"1","message":{"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"text","text":"b a"}]}}` + "\r", "a b", 5},
		{`{"type":"session_info","id":"1","name":"My name"}`, "my name", 0},
		{`{"type":"session","id":"1","title":"no entry"}`, "", 0},
		{`{"type":"title","title":"a slot"}`, "", 0},
		{`{"type":"message","id":"1","mess`, "", 0},
		{`[1]`, "", 0},
		{"", "", 0},
		{"{\"type\":\"custom\",\"id\":\"1\",\"customType\":\"x\\u0000y \xff z\"}", "x y z", 7},
	} {
		words, size := search.WordsOf([]byte(test.line))
		if words != test.words || size != test.size {
			t.Errorf("%s: %q, %d; want %q, %d", test.line, words, size, test.words, test.size)
		}
	}
}

// wordStore is a store of files that knows their words. It counts what is opened.
type wordStore struct {
	storage.Store
	dir   string
	fail  error
	asks  int
	opens atomic.Int32
}

func (w *wordStore) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := w.Store.Open(ctx, name, mode)
	if err == nil {
		w.opens.Add(1)
	}
	return log, err
}

func (w *wordStore) Find(ctx context.Context, _ string, terms []powers.Term) iter.Seq2[powers.Worded, error] {
	return func(yield func(powers.Worded, error) bool) {
		if err := w.find(ctx, terms, yield); err != nil {
			yield(powers.Worded{}, err)
		}
	}
}

func (w *wordStore) find(ctx context.Context, terms []powers.Term, yield func(powers.Worded, error) bool) error {
	w.asks++
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(w.dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := w.Stat(ctx, path)
		if err != nil {
			return err
		}
		known := powers.Worded{Info: info, Has: make([]bool, len(terms))}
		for line := range bytes.Lines(data) {
			words, size := search.WordsOf(bytes.TrimSuffix(line, []byte{'\n'}))
			known.Said += int64(size)
			all := true
			for n, term := range terms {
				has := slices.ContainsFunc(strings.Fields(words), func(word string) bool {
					return word == term.Word || term.Prefix && strings.HasPrefix(word, term.Word)
				})
				known.Has[n] = known.Has[n] || has
				all = all && has
			}
			known.All = known.All || all
		}
		if !yield(known, nil) {
			return nil
		}
	}
	return w.fail
}

func (w *wordStore) Index(context.Context, string) error { return w.fail }

// TestSearchByWords: of sessions whose words are known only those are read in which a
// hit may be, and the answer is the same.
func TestSearchByWords(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--w--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{
		"one":   {`{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"red fish"}}`},
		"two":   {`{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"blue fish"}}`, `{"type":"message","id":"2","parentId":"1","message":{"role":"user","content":"a red one"}}`},
		"three": {`{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"nothing"}}`, `{"type":"session_info","id":"2","parentId":"1","name":"red fish"}`},
	} {
		head := `{"type":"session","version":3,"id":"` + name + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`
		text := strings.Join(append([]string{head}, lines...), "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, "2026-01-02T03-04-05-000Z_"+name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plain := catalog.Options{Env: layout.Env{Home: home}}
	for _, fail := range []error{nil, errors.ErrUnsupported, errors.New("cut")} {
		store := &wordStore{Store: local.New(local.Options{}), dir: dir, fail: fail}
		told := 0
		known := plain
		known.Store, known.Trouble = store, func(error) { told++ }
		for text, want := range map[string]int{"red fish": 2, "blu*": 1, "fish": 3, "re:r.d": 3, "red role:user": 3, "none": 0, "in:title red": 0} {
			q, err := search.Parse(text, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var answers [2][]search.Hit
			for n, o := range []catalog.Options{plain, known} {
				store.opens.Store(0)
				for hit, err := range search.Run(t.Context(), q, search.Options{Options: o}) {
					if err != nil {
						t.Fatal(err)
					}
					answers[n] = append(answers[n], hit)
				}
			}
			if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
				t.Errorf("%s, %v (-plain +known):\n%s", text, fail, diff)
			}
			if opens := int(store.opens.Load()); fail == nil && opens != 3+want {
				t.Errorf("%s: %d openings for 3 sessions to list and %d to read", text, opens, want)
			}
		}
		if (told > 0) != (fail != nil && fail != errors.ErrUnsupported) || store.asks == 0 {
			t.Errorf("%v: told %d times of trouble, asked %d times", fail, told, store.asks)
		}
	}
}
