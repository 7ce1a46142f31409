package session_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/session"
)

// TestMovedWhileOthersHaveItOpen: who writes a session and who only reads it
// find it where another one moved it to. There is one session afterwards, with
// the entries of both writers, and none at the old place.
func TestMovedWhileOthersHaveItOpen(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	o := session.Options{Env: env(dir), Dialect: "pi", FirstWrite: session.Immediately}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mover, err := session.Create(ctx, "/work/a", o)
	must(err)
	_, err = mover.Append(ctx, user("one"))
	must(err)
	old := mover.Path()
	var told []session.EventKind
	open := func(readOnly bool) *session.Session {
		t.Helper()
		o := o
		o.ReadOnly, o.OnEvent = readOnly, func(e session.Event) { told = append(told, e.Kind) }
		s, err := session.Open(ctx, old, o)
		must(err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	writer, reader := open(false), open(true)
	_, err = reader.Refresh(ctx)
	must(err)

	must(mover.Move(ctx, "/work/b"))
	_, err = writer.Append(ctx, user("two"))
	must(err)
	if !slices.Contains(told, session.Moved) || slices.Contains(told, session.Restored) {
		t.Errorf("the writer was told %v", told)
	}
	told = nil
	_, err = reader.Refresh(ctx)
	must(err)
	if !slices.Contains(told, session.Moved) {
		t.Errorf("the reader was told %v", told)
	}
	_, err = mover.Refresh(ctx)
	must(err)
	for name, s := range map[string]*session.Session{"mover": mover, "writer": writer, "reader": reader} {
		if s.Path() != mover.Path() || s.List().Len() != 2 {
			t.Errorf("the %s has %d entries, at %q", name, s.List().Len(), s.Path())
		}
	}
	if filepath.Base(mover.Path()) != filepath.Base(old) {
		t.Errorf("it is called %q now", mover.Path())
	}
	if _, err := os.Lstat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("at the old place: %v", err)
	}
	must(mover.Close())
}
