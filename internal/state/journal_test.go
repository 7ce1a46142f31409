package state_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	logs "github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// machine returns a directory, and the journal of a state directory in it, on
// the machine's own disk.
func machine(t *testing.T, inject errorfs.Injector) (string, *state.Journal) {
	t.Helper()
	root := t.TempDir()
	fsys := vfs.OS()
	if inject != nil {
		fsys = errorfs.Wrap(fsys, inject)
	}
	return root, state.New(state.Options{Dir: filepath.Join(root, "state", "cambium"), FS: fsys, Now: time.Now, Random: rand.Reader})
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func trash(t *testing.T, j *state.Journal, path string) state.Operation {
	t.Helper()
	o, err := j.Trash(t.Context(), state.Change{Op: state.Remove, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Every field of a change is found again, whatever bytes are in it.
func TestRecordIsWhole(t *testing.T) {
	_, j := machine(t, nil)
	c := state.Change{
		Op: state.Rename, Path: "/a\xff\n\"b\u2028.jsonl", To: "/\x01", Session: "s\xfe", Agent: "omp",
		Before: []byte("{\"a\":\"\xff\"}"), After: []byte(`{"a":"\ud800","n":12345678901234567890}`),
		Was: state.Title{Text: "one", Source: "auto"}, Title: state.Title{Text: "two", Source: "user"},
	}
	id, err := j.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.End(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	o, err := j.Find(t.Context(), id[:4])
	if err != nil || o.Status != state.Done || o.ID != id {
		t.Fatalf("Find = %+v, %v", o, err)
	}
	if diff := cmp.Diff(c, o.Change); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
}

// A journal is read whatever is in it, and a torn line does not swallow the
// next.
func TestJournalIsTolerant(t *testing.T) {
	root, j := machine(t, nil)
	path := write(t, filepath.Join(root, "s.jsonl"), content)
	first := trash(t, j, path)
	file := filepath.Join(root, "state/cambium/operations")
	junk := "\x00\x00\nnot JSON\n{}\n[]\n{\"v\":99,\"id\":\"x\",\"state\":\"begun\"}\n{\"v\":1,\"id\":\"ghost\",\"state\":\"done\"}\n" +
		strings.Repeat("x", 1<<20) + "\n" + `{"v":1,"id":"torn","sta`
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(junk); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, content)
	second := trash(t, j, path)
	all, err := j.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{first.ID, second.ID}
	var got []string
	for _, o := range all {
		got = append(got, o.ID)
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

// Everything in the state directory is private, whatever the umask, and what
// comes back has the mode that it had.
func TestPrivateWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o077, 0o777} {
		t.Run(fmt.Sprintf("%o", mask), func(t *testing.T) {
			root, j := machine(t, apartOS(t))
			path := write(t, filepath.Join(root, "s.jsonl"), content)
			write(t, filepath.Join(root, "s", "0.log"), "output")
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			old := scratch.Umask(mask)
			o, err := j.Trash(t.Context(), state.Change{Op: state.Remove, Path: path})
			scratch.Umask(old)
			if err != nil {
				t.Fatal(err)
			}
			err = filepath.WalkDir(filepath.Join(root, "state"), func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := e.Info()
				if err == nil && e.IsDir() && info.Mode().Perm() != 0o700 {
					t.Errorf("%s: %v", path, info.Mode())
				}
				if strings.HasSuffix(path, ".jsonl") {
					t.Errorf("%s is listed as a session", path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Undo(t.Context(), o.ID, nil); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// apartOS makes the state directory another file system.
func apartOS(t *testing.T) errorfs.Injector {
	t.Helper()
	return func(op errorfs.Op) *errorfs.Fault {
		in := func(p string) bool { return strings.Contains(p, "/state/cambium/") }
		if (op.Kind == errorfs.RenameNew || op.Kind == errorfs.Link) && in(op.Name) != in(op.To) {
			return &errorfs.Fault{Err: syscall.EXDEV}
		}
		return nil
	}
}

// Names of any bytes go to the trash and come back.
func TestOddNames(t *testing.T) {
	for _, inject := range []errorfs.Injector{nil, apartOS(t)} {
		root, j := machine(t, inject)
		for _, name := range []string{"a b.jsonl", "\xff\xfe.jsonl", "new\nline.jsonl", "..jsonl", "-rf.jsonl", "no ending", "\x1b[31m.jsonl"} {
			path := write(t, filepath.Join(root, "sessions", name), content)
			trash(t, j, path)
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q is still there: %v", name, err)
			}
			r, err := j.Undo(t.Context(), "", nil)
			if err != nil || r.Now != path || read(t, path) != content {
				t.Errorf("%q: %q, %v", name, r.Now, err)
			}
		}
	}
}

// What is no session file is not touched.
func TestTrashRefuses(t *testing.T) {
	root, j := machine(t, nil)
	dir := filepath.Join(root, "d")
	if err := errors.Join(os.Mkdir(dir, 0o700), scratch.Mkfifo(filepath.Join(root, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		dir: vfs.ErrNotRegular, filepath.Join(root, "pipe"): vfs.ErrNotRegular, filepath.Join(root, "none"): fs.ErrNotExist,
	} {
		if _, err := j.Trash(t.Context(), state.Change{Op: state.Remove, Path: path}); !errors.Is(err, want) {
			t.Errorf("Trash(%q) = %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "state")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was recorded")
	}
}

// A link stays; what it leads to is moved and comes back.
func TestTrashOfLink(t *testing.T) {
	root, j := machine(t, nil)
	path := write(t, filepath.Join(root, "real", "s.jsonl"), content)
	link := filepath.Join(root, "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if o := trash(t, j, link); o.Path != path {
		t.Errorf("moved %q", o.Path)
	}
	if r, err := j.Undo(t.Context(), "", nil); err != nil || read(t, link) != content {
		t.Errorf("%+v, %v", r, err)
	}
}

// A writer that has a session open goes on in the trash, and what it appends
// comes back with it. On two file systems it puts the session back itself.
func TestWriterOfTrashedSession(t *testing.T) {
	ctx := context.Background()
	for _, inject := range []errorfs.Injector{nil, apartOS(t)} {
		root, j := machine(t, inject)
		path := write(t, filepath.Join(root, "s.jsonl"),
			`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
				`{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi"}}`+"\n")
		var events []logs.EventKind
		log, err := logs.Open(ctx, logs.Options{Store: local.New(local.Options{}), Name: path, Write: true,
			OnEvent: func(e logs.Event) { events = append(events, e.Kind) }})
		if err != nil {
			t.Fatal(err)
		}
		o := trash(t, j, path)
		late := `{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"user","content":"late"}}`
		if _, err := log.Append(ctx, []byte(late), true); err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			t.Error("the writer was told nothing")
		}
		r, err := j.Undo(ctx, o.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		later := strings.ReplaceAll(late, "bbbbbbbb", "cccccccc")
		if _, err := log.Append(ctx, []byte(later), true); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); strings.Count(got, "\n") != 4 || !strings.Contains(got, late) || !strings.Contains(got, later) {
			t.Errorf("restored at %q; the session holds:\n%s", r.Now, got)
		}
	}
}

// Of several who take back or delete the same, one does.
func TestAtOnce(t *testing.T) {
	ctx := context.Background()
	root, _ := machine(t, nil)
	other := func() *state.Journal {
		return state.New(state.Options{Dir: filepath.Join(root, "state", "cambium"), Now: time.Now, Random: rand.Reader})
	}
	for round := range 20 {
		path := write(t, filepath.Join(root, fmt.Sprint(round)+".jsonl"), content)
		do := func(f func(j *state.Journal) error) (done int) {
			var wg sync.WaitGroup
			var mu sync.Mutex
			for range 4 {
				wg.Go(func() {
					if f(other()) == nil {
						mu.Lock()
						done++
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			return done
		}
		if n := do(func(j *state.Journal) error {
			_, err := j.Trash(ctx, state.Change{Op: state.Remove, Path: path})
			return err
		}); n != 1 {
			t.Fatalf("%d moved it to the trash", n)
		}
		all, err := other().Trashed(ctx)
		if err != nil || len(all) != 1 {
			t.Fatalf("trash: %v, %v", all, err)
		}
		if n := do(func(j *state.Journal) error { _, err := j.Undo(ctx, all[0].ID, nil); return err }); n != 1 {
			t.Fatalf("%d took it back", n)
		}
		if read(t, path) != content {
			t.Fatal("not as it was")
		}
	}
	all, err := other().List(ctx)
	for _, o := range all {
		if o.Status == state.Begun {
			t.Errorf("%+v", o)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// Emptying deletes what is named and nothing else, and not what is in use.
func TestEmpty(t *testing.T) {
	ctx := context.Background()
	busy := false
	root, j := machine(t, nil)
	a, b := trash(t, j, write(t, filepath.Join(root, "a.jsonl"), content)), trash(t, j, write(t, filepath.Join(root, "b.jsonl"), content))
	used := state.New(state.Options{Dir: filepath.Join(root, "state", "cambium"), FS: inUse{vfs.OS(), &busy}, Now: time.Now, Random: rand.Reader})
	busy = true
	if _, err := used.Empty(ctx, a.ID); !errors.Is(err, state.ErrBusy) {
		t.Errorf("Empty of what is in use = %v", err)
	}
	busy = false
	if _, err := used.Empty(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]error{a.ID: state.ErrUndone, "none": state.ErrUnknown} {
		if _, err := j.Undo(ctx, id, nil); !errors.Is(err, want) {
			t.Errorf("Undo(%q) = %v", id, err)
		}
	}
	if _, err := j.Empty(ctx, a.ID); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("second Empty = %v", err)
	}
	if r, err := j.Undo(ctx, "", nil); err != nil || r.ID != b.ID || read(t, b.Path) != content {
		t.Errorf("Undo = %+v, %v", r, err)
	}
}

// inUse is a file system whose files are in use while it says so.
type inUse struct {
	vfs.FS
	busy *bool
}

func (f inUse) InUse(vfs.Info) (bool, error) { return *f.busy, nil }

// What replaced a file as a whole is put back to the byte, or beside.
func TestUndoOfReplacedBytes(t *testing.T) {
	ctx := context.Background()
	for _, old := range []string{"", "\n", "one\n\ntwo", "torn\x00\xff\n{\"a\":", strings.Repeat("long ", 200_000) + "\r\n"} {
		for _, since := range []string{"", "since\n"} {
			root, j := machine(t, nil)
			path := write(t, filepath.Join(root, "s.jsonl"), old)
			id, err := j.Begin(ctx, state.Change{Op: state.Repair, Path: path})
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, "repaired\n")
			if err := j.End(ctx, id, nil); err != nil {
				t.Fatal(err)
			}
			write(t, path, "repaired\n"+since)
			r, err := j.Undo(ctx, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, r.Now); got != old {
				t.Errorf("%.40q came back as %.40q", old, got)
			}
			if (r.Now == path) != (since == "") || since != "" && read(t, path) != "repaired\n"+since {
				t.Errorf("put at %q", r.Now)
			}
		}
	}
}

// An operation that was interrupted before it changed anything is passed over.
func TestUndoPassesOverTheInterrupted(t *testing.T) {
	ctx := context.Background()
	root, j := machine(t, nil)
	first := trash(t, j, write(t, filepath.Join(root, "a.jsonl"), content))
	path := write(t, filepath.Join(root, "b.jsonl"), content)
	if _, err := j.Begin(ctx, state.Change{Op: state.Repair, Path: path}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Begin(ctx, state.Change{Op: state.Remove, Path: path}); err != nil {
		t.Fatal(err)
	}
	r, err := j.Undo(ctx, "", nil)
	if err != nil || r.ID != first.ID || read(t, path) != content {
		t.Errorf("Undo = %+v, %v", r, err)
	}
	if _, err := j.Undo(ctx, "", nil); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("another Undo = %v", err)
	}
}

// A draft that was restored is the session, to the byte but for the mark; one
// whose session is there goes to the trash.
func TestRestoreDraft(t *testing.T) {
	ctx := context.Background()
	root, j := machine(t, nil)
	to := filepath.Join(root, "sessions", "d.jsonl")
	body := "{\"type\":\"message\",\"id\":\"bbbbbbbb\"}\n{\"torn\":"
	name := state.Name(filepath.Join(root, "state", "cambium"), "d", "00")
	text := string(state.Mark([]byte(draftHeader), state.Draft{Path: to, Agent: "pi"})) + "\n" + body
	write(t, name, text)
	all, err := j.Drafts(ctx)
	want := []state.Kept{{Draft: state.Draft{Path: to, Agent: "pi"}, File: name, ID: "d", Marked: true}}
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(state.Kept{}, "Modified")); diff != "" || err != nil {
		t.Fatalf("Drafts: %v\n%s", err, diff)
	}
	if r, err := j.RestoreDraft(ctx, all[0], ""); err != nil || r.Now != to || read(t, to) != draftHeader+"\n"+body {
		t.Fatalf("%+v, %v", r, err)
	}
	write(t, name, text)
	if all, err = j.Drafts(ctx); err != nil || len(all) != 1 || !all[0].Saved {
		t.Fatalf("Drafts = %+v, %v", all, err)
	}
	if r, err := j.RestoreDraft(ctx, all[0], ""); err != nil || r.Now != to || r.Op != state.Discard {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := j.Undo(ctx, "", nil); err != nil || r.Now != name || !bytes.Equal([]byte(read(t, name)), []byte(text)) {
		t.Errorf("%+v, %v", r, err)
	}
}
