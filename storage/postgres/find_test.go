//go:build share

package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/google/go-cmp/cmp"
)

// said takes what stands behind "text:" for the text of a line.
func said(line []byte) string {
	_, text, _ := bytes.Cut(line, []byte("text:"))
	return string(text)
}

func add(t *testing.T, s *postgres.Store, name string, lines ...string) {
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

func found(t *testing.T, s *postgres.Store, dir, query string) []string {
	t.Helper()
	got := []string{}
	for f, err := range s.Find(t.Context(), dir, query, 100) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s:%d", f.Name, f.Pos))
	}
	return got
}

// TestFind: words are found in what was extracted, at once or later.
func TestFind(t *testing.T) {
	schema := schemaOf(t)
	with := open(t, shared.URL("postgres"), postgres.Options{Schema: schema, Extract: said})
	without := open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	long := strings.Repeat("filler ", 80_000)
	add(t, with, "/p/a", "head apple", "text:an Apple a day", "text:bad \x00 \xff utf apple", "text:"+long+"needle")
	add(t, without, "/p/b", "text:apple pie")
	add(t, with, "/q/c", "text:apple and pie")
	for _, test := range []struct {
		dir, query string
		want       []string
	}{
		{"/p", "apple", []string{"/p/a:1", "/p/a:2"}},
		{"/", "apple pie", []string{"/q/c:0"}},
		{"/p", "needle", []string{"/p/a:3"}},
		{"/p", `"apple pie"`, []string{}},
		{"/none", "apple", []string{}},
	} {
		if diff := cmp.Diff(test.want, found(t, with, test.dir, test.query)); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", test.query, test.dir, diff)
		}
	}
	if err := with.Index(t.Context(), "/"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/p/b:0", "/q/c:0"}, found(t, without, "/", "pie")); diff != "" {
		t.Errorf("after the index (-want +got):\n%s", diff)
	}
	st, err := with.Status(t.Context())
	if err != nil || st.Unindexed != 0 || st.Logs != 3 || st.Lines != 6 {
		t.Errorf("status: %+v, %v", st, err)
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
