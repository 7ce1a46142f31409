package cambium_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/undo"
)

// TestDeleteAndUndo: what is removed is in the trash, and comes back.
func TestDeleteAndUndo(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{})
	id, path := kept(t, e, "/work/garden", cambium.New{})
	removed, err := e.Delete(ctx, path)
	if err != nil || removed.Op != state.Remove || removed.Session != id {
		t.Fatalf("%+v, %v", removed, err)
	}
	if _, err := e.Read(ctx, path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	in, err := e.Trash(ctx)
	if err != nil || len(in) != 1 || in[0].ID != removed.ID {
		t.Fatalf("in the trash: %+v, %v", in, err)
	}
	back, err := e.Restore(ctx, removed.ID, "")
	if err != nil || back.Now != path {
		t.Fatalf("%+v, %v", back, err)
	}
	s, err := e.OpenID(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rename(ctx, "Oaks", session.Title{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, path); !errors.Is(err, undo.ErrBusy) {
		t.Errorf("removed what is open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ops, err := e.Undoable(ctx)
	if err != nil || len(ops) != 1 || ops[0].Op != state.Rename {
		t.Fatalf("%+v, %v", ops, err)
	}
	if _, err := e.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if s, err = e.Read(ctx, path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if title, _ := s.Title(); title != "" {
		t.Errorf("it is called %q", title)
	}
}

// TestDrafts: a prompt without an answer is found again, and made a session.
func TestDrafts(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{})
	s, err := e.Create(ctx, "/work/garden", cambium.New{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, &entry.MessageBody{Message: question}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	drafts, err := e.Drafts(ctx)
	if err != nil || len(drafts) != 1 {
		t.Fatalf("%+v, %v", drafts, err)
	}
	d := drafts[0]
	if d.ID != s.ID() || d.Path != s.Path() || d.CWD != "/work/garden" || d.Prompt != "Which room comes first?" || d.Entries != 1 || d.Busy || d.Damaged {
		t.Errorf("%+v", d)
	}
	if r, err := e.RestoreDraft(ctx, d.ID, ""); err != nil || r.Now != s.Path() {
		t.Fatalf("%+v, %v", r, err)
	}
	if again, err := e.Read(ctx, s.Path()); err != nil || again.Len() != 1 || again.Close() != nil {
		t.Errorf("the session of the draft: %v", err)
	}
	if drafts, err = e.Drafts(ctx); err != nil || len(drafts) != 0 {
		t.Errorf("still %+v, %v", drafts, err)
	}
	if _, err := e.DiscardDraft(ctx, "none"); err == nil {
		t.Error("a draft that is not there was discarded")
	}
}

// TestDoctor: damage is found, mended, and the mending taken back.
func TestDoctor(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{})
	_, path := kept(t, e, "/work/garden", cambium.New{})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append(data, "{\"type\":\"mess"...)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	d := e.Doctor(ctx)
	reports, err := d.Session(ctx, path)
	if err != nil || len(reports) != 1 || !reports[0].Fixable() {
		t.Fatalf("%+v, %v", reports, err)
	}
	if err := d.Fix(ctx, reports[0]); err != nil {
		t.Fatal(err)
	}
	if mended, err := os.ReadFile(path); err != nil || string(mended) == string(damaged) {
		t.Errorf("it is as it was, %v", err)
	}
	if _, err := e.Undo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if back, err := os.ReadFile(path); err != nil || string(back) != string(damaged) {
		t.Errorf("it is not as it was, %v", err)
	}
}

// TestMustExist: what is not there is not begun.
func TestMustExist(t *testing.T) {
	ctx := context.Background()
	e := open(t, cambium.Options{MustExist: true})
	path := filepath.Join(t.TempDir(), "none.jsonl")
	if _, err := e.Open(ctx, path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened what is not there: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was begun")
	}
	_, err := e.OpenID(ctx, "none-0001")
	var none *catalog.NotFound
	if !errors.As(err, &none) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened an id that is not there: %v", err)
	}
}
