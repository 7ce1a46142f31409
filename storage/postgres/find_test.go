//go:build share

package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/google/go-cmp/cmp"
)

// said takes the words behind "text:"; they count for their length.
func said(line []byte) (string, int) {
	_, text, _ := bytes.Cut(line, []byte("text:"))
	return string(text), len(text)
}

func add(t *testing.T, s wholeStore, name string, lines ...string) {
	t.Helper()
	log, err := s.Open(t.Context(), name, storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := appendAny(t.Context(), log, storage.Mark{}, lines...); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// found says of each log in a directory which terms it has: a small letter for
// each, a large one if one line has all.
func found(t *testing.T, s wholeStore, dir string, terms ...powers.Term) map[string]string {
	t.Helper()
	got := map[string]string{}
	for w, err := range s.Find(t.Context(), dir, terms) {
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Stat(t.Context(), w.Info.Name)
		if err != nil || info != w.Info {
			t.Errorf("%+v: stat says %+v, %v", w.Info, info, err)
		}
		text := fmt.Sprint(w.Said, " ")
		for n, has := range w.Has {
			if has {
				text += string(rune('a' + n))
			}
		}
		if w.All {
			text = strings.ToUpper(text)
		}
		got[w.Info.Name] = text
	}
	return got
}

func words(all ...string) (terms []powers.Term) {
	for _, word := range all {
		word, prefix := strings.CutSuffix(word, "*")
		terms = append(terms, powers.Term{Word: word, Prefix: prefix})
	}
	return terms
}

// TestFind: lines are found by the words that were taken out of them, as they are,
// at once or later.
func TestFind(t *testing.T) {
	schema := schemaOf(t)
	with := open(t, shared.URL("postgres"), postgres.Options{Schema: schema, Extract: said})
	without := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	var long strings.Builder
	for n := range 150_000 {
		fmt.Fprintf(&long, "w%d ", n)
	}
	add(t, with, "/p/a", "head apple", "text:an Apple a day", "text:bad \x00 \xff utf it's a\\b 猫", "text:"+long.String()+"needle")
	add(t, without, "/p/b", "text:apple pie")
	add(t, with, "/q/c", "text:apple and", "text:pie "+strings.Repeat("x", 5000))
	size := fmt.Sprint(14+24+long.Len()+6, " ")
	for _, test := range []struct {
		dir   string
		terms []powers.Term
		want  map[string]string
	}{
		{"/p", words("Apple"), map[string]string{"/p/a": size + "A"}},
		{"/p", words("apple"), map[string]string{"/p/a": size}},
		{"/", words("apple", "pie"), map[string]string{"/p/a": size, "/q/c": "5013 ab"}},
		{"/", words("an", "day"), map[string]string{"/p/a": size + "AB", "/q/c": "5013 "}},
		{"/", words("an*", "ap*"), map[string]string{"/p/a": size + "a", "/q/c": "5013 AB"}},
		{"/p", words("w0", "needle"), map[string]string{"/p/a": size + "AB"}}, // in two pieces
		{"/p", words("it's", `a\b`, "猫", "\uFFFD"), map[string]string{"/p/a": size + "ABCD"}},
		{"/q", nil, map[string]string{"/q/c": "5013 "}},
		{"/none", words("apple"), map[string]string{}},
	} {
		if diff := cmp.Diff(test.want, found(t, with, test.dir, test.terms...)); diff != "" {
			t.Errorf("%v in %s (-want +got):\n%s", test.terms, test.dir, diff)
		}
	}
	if err := with.Index(t.Context(), "/"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"/p/a": size, "/p/b": "9 A", "/q/c": "5013 A"}
	if diff := cmp.Diff(want, found(t, without, "/", words("pie")...)); diff != "" {
		t.Errorf("after the index (-want +got):\n%s", diff)
	}
	st, err := with.Status(t.Context())
	if err != nil || st.Unindexed != 0 || st.Logs != 3 || st.Lines != 7 {
		t.Errorf("status: %+v, %v", st, err)
	}
}

// TestFindChanged: the words of a log that grew, in every way, and was replaced.
func TestFindChanged(t *testing.T) {
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schemaOf(t), Extract: said})
	add(t, s, "/p/a", "text:one")
	log, err := s.Open(t.Context(), "/p/a", storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark, err := appendAny(t.Context(), log, info.Mark, "text:two", strings.Repeat("x", 5<<20)+"text:three")
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "/", words("one", "two", "three")...)["/p/a"]; got != "11 abc" {
		t.Errorf("grown: %q", got)
	}
	if _, err := log.Replace(t.Context(), mark, func(lines iter.Seq2[storage.Line, error]) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for line, err := range lines {
				if line.Pos < 2 && !yield(append(line.Bytes[:len(line.Bytes):len(line.Bytes)], " four"...), err) {
					return
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "/", words("four", "two", "three")...)["/p/a"]; got != "16 ab" {
		t.Errorf("replaced: %q", got)
	}
}

// TestManyLines: appends of more than one statement's worth, and what comes
// behind them, are whole.
func TestManyLines(t *testing.T) {
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schemaOf(t), Extract: said})
	var want []string
	for i := range 3000 {
		want = append(want, fmt.Sprintf("%d text:%s", i, strings.Repeat(string(rune('a'+i%26)), i*2)))
	}
	add(t, s, "/p/log", want[:1500]...)
	log, err := s.Open(t.Context(), "/p/log", storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark, err := appendAny(t.Context(), log, info.Mark, want[1500:]...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	size := int64(0)
	for line, err := range log.Read(t.Context(), storage.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Pos != int64(len(got)) {
			t.Fatalf("line %d is at %d", len(got), line.Pos)
		}
		got = append(got, string(line.Bytes))
		size += int64(len(line.Bytes)) + 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines differ (-want +got):\n%.1000s", diff)
	}
	if info, err = log.Stat(t.Context()); err != nil || info.Size != size || info.Mark != mark {
		t.Errorf("stat: %+v, %v; want size %d", info, err, size)
	}
	tail, err := log.ReadTail(t.Context(), 3_000_000)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for i, line := range tail {
		n += int64(len(line.Bytes)) + 1
		if at := len(want) - len(tail) + i; string(line.Bytes) != want[at] || line.Pos != int64(at) {
			t.Fatalf("line %d of the tail is %.20q at %d", i, line.Bytes, line.Pos)
		}
	}
	if more := int64(len(want[len(want)-len(tail)-1])) + 1; n > 3_000_000 || n+more <= 3_000_000 {
		t.Errorf("the tail has %d bytes, one line more would be %d", n, more)
	}
}

// TestBlobs: blobs come back byte for byte, and what is wrong is found and
// mended.
func TestBlobs(t *testing.T) {
	schema := schemaOf(t)
	b := open(t, shared.URL("postgres"), postgres.Options{Schema: schema}).Blobs()
	for _, data := range [][]byte{nil, {}, {0}, []byte("text"), bytes.Repeat([]byte{0xff, 0, 1}, 1<<20)} {
		for range 2 {
			ref, err := b.Put(t.Context(), data, "png")
			if err != nil || ref != blob.RefOf(data) {
				t.Fatalf("put %d bytes: %v, %v", len(data), ref, err)
			}
			got, err := b.Read(t.Context(), ref)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("read %d bytes: %d, %v", len(data), len(got), err)
			}
		}
	}
	if _, err := b.Read(t.Context(), blob.RefOf([]byte("none"))); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("a blob that is not there: %v", err)
	}
	if err := shared.Exec("postgres", "update "+schema+`.blobs set body = 'other' where body = 'text'`); err != nil {
		t.Fatal(err)
	}
	ref := blob.RefOf([]byte("text"))
	if _, err := b.Read(t.Context(), ref); !errors.Is(err, blob.ErrMismatch) {
		t.Errorf("a blob that was changed: %v", err)
	}
	if _, err := b.Put(t.Context(), []byte("text"), ""); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Read(t.Context(), ref); err != nil || string(got) != "text" {
		t.Errorf("a blob that was mended: %q, %v", got, err)
	}
}
