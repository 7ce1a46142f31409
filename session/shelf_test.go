package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// shelving is a store without files that refuses to rename, or to make, what lists
// the artifacts of a session.
type shelving struct {
	*storagetest.Rows
	moves, makes error
}

func (s *shelving) Rename(ctx context.Context, old, now string) error {
	if s.moves != nil && strings.HasSuffix(old, "/artifacts.list") {
		return s.moves
	}
	return s.Rows.Rename(ctx, old, now)
}

func (s *shelving) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if s.makes != nil && mode == storage.Create && strings.HasSuffix(name, "/artifacts.list") {
		return nil, s.makes
	}
	return s.Rows.Open(ctx, name, mode)
}

// shelfOf is what lists the artifacts of the session at a path.
func shelfOf(path string) string { return strings.TrimSuffix(path, ".jsonl") + "/artifacts.list" }

// shelf returns the lines of what lists the artifacts of a session, "" for none.
func (s *shelving) shelf(t *testing.T, path string) string {
	t.Helper()
	log, err := s.Rows.Open(t.Context(), shelfOf(path), storage.Read)
	if errors.Is(err, storage.ErrNotExist) {
		return ""
	}
	var text strings.Builder
	if err == nil {
		for line, bad := range log.Read(t.Context(), storage.Mark{}) {
			err = errors.Join(err, bad)
			text.Write(line.Bytes)
			text.WriteByte('\n')
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestShelf: in a store without files, what lists the artifacts of a session goes
// with it when it is moved and is copied when it is forked, or nothing is done.
func TestShelf(t *testing.T) {
	ctx := t.Context()
	store := &shelving{Rows: storagetest.NewRows()}
	o := session.Options{Store: store, Env: layout.Env{Home: "/"}, FirstWrite: session.Immediately, Dialect: dialect.Pi}
	s, err := session.Create(ctx, "/work/a", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Append(ctx, user("one")); err != nil {
		t.Fatal(err)
	}
	first := s.Path()
	const lines = "{\"type\":\"artifact\",\"path\":\"0.bash.log\"}\n\xff\n"
	log, err := store.Open(ctx, shelfOf(first), storage.Create)
	if err == nil {
		_, err = log.Append(ctx, storage.Mark{}, [][]byte{[]byte(`{"type":"artifact","path":"0.bash.log"}`), {0xff}})
	}
	if err != nil {
		t.Fatal(err)
	}
	there := func(what, path, want string) {
		t.Helper()
		if got := store.shelf(t, path); got != want {
			t.Errorf("%s: beside %q lies %q, want %q", what, path, got, want)
		}
	}

	no := errors.New("not now")
	store.moves = no
	if err := s.Move(ctx, "/work/b"); !errors.Is(err, no) || s.Path() != first || s.CWD() != "/work/a" {
		t.Errorf("a move that failed: %v, at %q in %q", err, s.Path(), s.CWD())
	}
	there("a move that failed", first, lines)
	store.moves, store.makes = nil, no
	if _, _, err := s.Fork(ctx); !errors.Is(err, no) || s.Path() != first {
		t.Errorf("a fork that failed: %v, at %q", err, s.Path())
	}
	n := 0
	for _, err := range store.List(ctx, first[:strings.LastIndexByte(first, '/')]) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 2 { // the session, and what is beside it
		t.Errorf("a fork that failed leaves %d names", n)
	}
	store.makes = nil

	if err := s.Move(ctx, "/work/b"); err != nil {
		t.Fatal(err)
	}
	there("a move", first, "")
	there("a move", s.Path(), lines)
	old, now, err := s.Fork(ctx)
	if err != nil {
		t.Fatal(err)
	}
	there("a fork", old, lines)
	there("a fork", now, lines)
	if s.ArtifactDir() != "" {
		t.Errorf("there is a directory %q", s.ArtifactDir())
	}

	// What has none needs nothing of the sort.
	store.moves, store.makes = no, no
	plain, err := session.Create(ctx, "/work/a", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() })
	_, err = plain.Append(ctx, user("two"))
	if err == nil {
		err = plain.Move(ctx, "/work/b")
	}
	if err == nil {
		_, _, err = plain.Fork(ctx)
	}
	if err != nil {
		t.Error(err)
	}
}
