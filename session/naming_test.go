package session_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
)

// unnameable is a machine on which a file cannot be replaced while the toggle is
// on.
func unnameable() (vfs.FS, *errorfs.Toggle) {
	fault := &errorfs.Toggle{Inner: errorfs.Match(errorfs.Fault{Err: syscall.EPERM}, ".cambium-tmp-", errorfs.Rename)}
	return errorfs.Wrap(vfs.OS(), fault.Inject), fault
}

// A name that cannot be written is told, stays in memory, keeps nobody from
// appending, and is written by the next call that can.
func TestNameIsRetried(t *testing.T) {
	ctx := context.Background()
	for _, d := range []dialect.Name{"cambium", "omp", "xcsh"} {
		for _, by := range []string{"append", "flush", "close"} {
			t.Run(string(d)+"/"+by, func(t *testing.T) {
				o, j := recorded(t, d)
				fsys, fault := unnameable()
				o = vfs.On(o, fsys)
				told := 0
				o.OnEvent = func(e session.Event) {
					if e.Kind == session.Unsaved && errors.Is(e.Err, syscall.EPERM) {
						told++
					}
				}
				path := file(t, headerLine, userLine, answerLine)
				s := open(t, path, o)
				fault.Set(true)
				ok, err := s.Rename(ctx, "a name", session.Title{})
				if !ok || !errors.Is(err, session.ErrUnsaved) || !errors.Is(err, syscall.EPERM) {
					t.Fatalf("Rename = %v, %v", ok, err)
				}
				if got, _ := s.Title(); got != "a name" || strings.Contains(read(t, path), "a name") {
					t.Errorf("title %q; file %s", got, read(t, path))
				}
				add(t, s, user("goes on"))
				for range 2 {
					if err := s.Flush(ctx); !errors.Is(err, session.ErrUnsaved) || !errors.Is(err, syscall.EPERM) {
						t.Errorf("Flush = %v", err)
					}
				}
				if _, err := s.New(ctx, ""); !errors.Is(err, session.ErrUnsaved) {
					t.Errorf("left without the name: %v", err)
				}
				if got := read(t, path); strings.Contains(got, "a name") || !strings.Contains(got, "goes on") || told != 1 {
					t.Errorf("told %d times; file %s", told, got)
				}
				fault.Set(false)
				switch by {
				case "append":
					add(t, s, user("more"))
				case "flush":
					if err := s.Flush(ctx); err != nil {
						t.Error(err)
					}
				}
				if by != "close" {
					if header, _, _ := strings.Cut(read(t, path), "\n"); !strings.Contains(header, "a name") {
						t.Errorf("header %s", header)
					}
				}
				mustClose(t, s)
				if now, _ := reopened(t, path, o).Title(); now != "a name" {
					t.Errorf("title %q", now)
				}
				if all, err := j.List(ctx); err != nil || len(all) != 1 || all[0].Status != state.Done {
					t.Fatalf("List = %v, %v", all, err)
				}
				mustUndo(t, j, o)
				if now, _ := reopened(t, path, o).Title(); now != "" {
					t.Errorf("after undo: title %q", now)
				}
			})
		}
	}
}

// A name that never came into the header leaves nothing behind, and Close says
// so.
func TestNameThatIsNeverSaved(t *testing.T) {
	for _, d := range []dialect.Name{"cambium", "omp", "xcsh"} {
		o, j := recorded(t, d)
		fsys, fault := unnameable()
		o = vfs.On(o, fsys)
		path := file(t, headerLine, userLine, answerLine)
		was := read(t, path)
		s, err := session.Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		fault.Set(true)
		if _, err := s.Rename(t.Context(), "a name", session.Title{}); !errors.Is(err, session.ErrUnsaved) {
			t.Errorf("Rename = %v", err)
		}
		if err := s.Close(); !errors.Is(err, session.ErrUnsaved) || !errors.Is(err, syscall.EPERM) {
			t.Errorf("Close = %v", err)
		}
		if got := read(t, path); got != was {
			t.Errorf("%s: file %s", d, got)
		}
		if _, err := undo(t, j, o, ""); !errors.Is(err, state.ErrUnknown) {
			t.Errorf("undo of what never was: %v", err)
		}
	}
}

// The name that somebody else gave meanwhile stands.
func TestNameOfSomebodyElseStands(t *testing.T) {
	o, _ := recorded(t, "xcsh")
	fsys, fault := unnameable()
	other := o
	o = vfs.On(o, fsys)
	path := file(t, headerLine, userLine, answerLine)
	s := open(t, path, o)
	fault.Set(true)
	if _, err := s.Rename(t.Context(), "ours", session.Title{}); !errors.Is(err, session.ErrUnsaved) {
		t.Errorf("Rename = %v", err)
	}
	if ok, err := open(t, path, other).Rename(t.Context(), "theirs", session.Title{}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	fault.Set(false)
	add(t, s, user("goes on"))
	if got, _ := s.Title(); got != "theirs" || strings.Contains(read(t, path), "ours") {
		t.Errorf("title %q; file %s", got, read(t, path))
	}
}
