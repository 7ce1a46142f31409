package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/google/go-cmp/cmp"
)

// counted is a file system that counts what is read of each file.
type counted struct {
	vfs.FS
	mu    sync.Mutex
	opens map[string]int
	// onRead, if set, is called before each reading.
	onRead func(name string)
}

func newCounted() *counted { return &counted{FS: vfs.OS(), opens: map[string]int{}} }

func (c *counted) Open(name string, flag int) (vfs.File, error) {
	f, err := c.FS.Open(name, flag)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.opens[filepath.Base(name)]++
	c.mu.Unlock()
	return &countedFile{f, c}, nil
}

// opened returns how often each file was opened since the last call.
func (c *counted) opened() map[string]int {
	was := c.opens
	c.opens = map[string]int{}
	return was
}

type countedFile struct {
	vfs.File
	fs *counted
}

func (f *countedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.fs.onRead != nil {
		f.fs.onRead(f.Name())
	}
	return f.File.ReadAt(p, off)
}

// remembering is an index in memory that may fail. It keeps what an index keeps:
// packed records.
type remembering struct {
	mu            sync.Mutex
	packed        map[string]catalog.Bundle
	known, keep   error
	kept, forgot  int
	failsAfterOne bool
}

func (r *remembering) Known(context.Context) iter.Seq2[catalog.Record, error] {
	return func(yield func(catalog.Record, error) bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.known != nil && !r.failsAfterOne {
			yield(catalog.Record{}, r.known)
			return
		}
		for _, packed := range r.packed {
			for record := range packed.Records() {
				if !yield(record, nil) {
					return
				}
			}
			if r.failsAfterOne {
				yield(catalog.Record{}, r.known)
				return
			}
		}
	}
}

func (r *remembering) Keep(_ context.Context, records []catalog.Record, gone []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keep != nil {
		return r.keep
	}
	if r.packed == nil {
		r.packed = map[string]catalog.Bundle{}
	}
	for i := range records {
		r.packed[records[i].Path] = catalog.Rebundle(nil, records[i:i+1], nil)[0]
	}
	for _, path := range gone {
		delete(r.packed, path)
	}
	r.kept, r.forgot = r.kept+len(records), r.forgot+len(gone)
	return nil
}

// peopled returns a home with n sessions of two agents, and the files.
func peopled(t *testing.T, n int) (*home, []string) {
	h := newHome(t)
	var files []string
	for i := range n {
		root := []string{pi, xcsh}[i%2]
		files = append(files, h.put(fmt.Sprintf("%sp%d/%d_s%07d.jsonl", root, i%3, i, i),
			header(fmt.Sprintf("s%07d", i), "/work/a", ""), message("a", "user", fmt.Sprintf("prompt %d", i), "")))
	}
	return h, files
}

func listed(t *testing.T, o catalog.Options) []catalog.Info {
	t.Helper()
	all, err := catalog.List(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWarmListReadsWhatChangedOnly(t *testing.T) {
	h, files := peopled(t, 20)
	fsys, index := newCounted(), &remembering{}
	o := h.options()
	o = vfs.On(o, fsys)
	o.Index = index
	o.Trouble = func(err error) { t.Errorf("trouble: %v", err) }
	cold := listed(t, o)
	if len(cold) != 20 || len(fsys.opened()) != 20 || index.kept != 20 {
		t.Fatalf("cold: %d sessions, %d kept", len(cold), index.kept)
	}
	warm := listed(t, o)
	if got := fsys.opened(); len(got) != 0 {
		t.Errorf("a warm listing opened %v", got)
	}
	if diff := cmp.Diff(cold, warm); diff != "" {
		t.Errorf("warm differs (-cold +warm):\n%s", diff)
	}
	// One grows, one is rewritten in its size, one goes, one comes.
	if err := os.Remove(files[2]); err != nil {
		t.Fatal(err)
	}
	h.put(strings.TrimPrefix(files[3], h.dir+"/"), header("s0000003", "/work/a", ""), message("a", "user", "prompt X", ""))
	h.put(strings.TrimPrefix(files[4], h.dir+"/"), header("s0000004", "/work/a", ""), message("a", "user", "prompt 4", ""), message("b", "assistant", "answer", ""))
	fresh := h.put(pi+"p0/99_s0000099.jsonl", header("s0000099", "/work/a", ""), message("a", "user", "new", ""))
	after := listed(t, o)
	want := map[string]int{filepath.Base(files[3]): 1, filepath.Base(files[4]): 1, filepath.Base(fresh): 1}
	if diff := cmp.Diff(want, fsys.opened()); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	o.Index = nil
	if diff := cmp.Diff(listed(t, o), after); diff != "" {
		t.Errorf("with an index (-without +with):\n%s", diff)
	}
	if len(index.packed) != 20 || index.forgot != 1 {
		t.Errorf("the index keeps %d and forgot %d", len(index.packed), index.forgot)
	}
}

func TestAnIndexForgetsOnlyWhatWasLookedFor(t *testing.T) {
	h, files := peopled(t, 6)
	index := &remembering{}
	o := h.options()
	o.Index = index
	listed(t, o)
	for _, path := range files[:2] {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	narrow := o
	narrow.SessionDir = filepath.Join(h.dir, pi)
	listed(t, narrow)
	if index.forgot != 0 {
		t.Errorf("a listing of another directory had %d forgotten", index.forgot)
	}
	o.Agents = append(o.Agents, "pi")
	listed(t, o)
	if index.forgot != 1 {
		t.Errorf("a listing of one agent had %d forgotten, want 1", index.forgot)
	}
	if err := os.Rename(filepath.Join(h.dir, ".xcsh"), filepath.Join(h.dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	o.Agents = nil
	listed(t, o)
	if index.forgot != 1 {
		t.Errorf("a home that cannot be seen had %d forgotten", index.forgot-1)
	}
}

func TestAFailingIndexCostsOneWord(t *testing.T) {
	broken := errors.New("database disk image is malformed")
	for name, make := range map[string]func() *remembering{
		"known":         func() *remembering { return &remembering{known: broken} },
		"keep":          func() *remembering { return &remembering{keep: broken} },
		"both":          func() *remembering { return &remembering{known: broken, keep: broken} },
		"known, midway": func() *remembering { return &remembering{known: broken, failsAfterOne: true} },
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := peopled(t, 9)
			o := h.options()
			want := listed(t, o)
			index := make()
			if index.failsAfterOne {
				good := h.options()
				good.Index = index
				listed(t, good)
			}
			var said []error
			o.Index, o.Trouble = index, func(err error) { said = append(said, err) }
			if diff := cmp.Diff(want, listed(t, o)); diff != "" {
				t.Errorf("answer (-without +with a failing index):\n%s", diff)
			}
			if len(said) != 1 || !errors.Is(said[0], broken) {
				t.Errorf("said %v, want one word", said)
			}
		})
	}
}

func TestAFileThatJustChangedIsNotKept(t *testing.T) {
	h, files := peopled(t, 2)
	index := &remembering{}
	o := h.options()
	o.Index = index
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	o.Now = info.ModTime // as if it had changed this very moment
	listed(t, o)
	if len(index.packed) != 1 {
		t.Errorf("%d files are kept, want the older one", len(index.packed))
	}
}

func TestAFileThatChangesWhileItIsRead(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"grows": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(message("z", "user", "later", "") + "\n"); err != nil {
				t.Fatal(err)
			}
		},
		"is cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, int64(len(header("s0000000", "/work/a", ""))+1)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, files := peopled(t, 1)
			fsys, index := newCounted(), &remembering{}
			changed := false
			fsys.onRead = func(path string) {
				if !changed {
					changed = true
					change(t, path)
				}
			}
			o := h.options()
			o = vfs.On(o, fsys)
			o.Index, o.Empty = index, true
			all := listed(t, o)
			if len(all) != 1 || all[0].Damaged || all[0].ID != "s0000000" {
				t.Errorf("listed %+v", all)
			}
			again := listed(t, o)
			info, err := os.Stat(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if again[0].Size != info.Size() {
				t.Errorf("the second listing says %d bytes, the file has %d", again[0].Size, info.Size())
			}
		})
	}
}

func TestScanEndsWhenItIsCancelled(t *testing.T) {
	h, _ := peopled(t, 60)
	fsys, index := newCounted(), &remembering{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := h.options()
	o = vfs.On(o, fsys)
	o.Index = index
	n, last := 0, error(nil)
	for _, err := range catalog.Scan(ctx, o) {
		if err != nil {
			last = err
			break
		}
		if n++; n == 5 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n != 5 {
		t.Errorf("%d sessions, then %v", n, last)
	}
	if len(fsys.opened()) >= 60 {
		t.Error("all files were read")
	}
	if index.kept < 5 {
		t.Errorf("%d of what was read is kept", index.kept)
	}
	n = 0
	for range catalog.Scan(t.Context(), o) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d sessions after a break at 2", n)
	}
}

func TestTextIsReadAndNotKeptAgain(t *testing.T) {
	h, _ := peopled(t, 5)
	fsys, index := newCounted(), &remembering{}
	o := h.options()
	o = vfs.On(o, fsys)
	o.Index, o.Text = index, true
	for range 3 {
		all := listed(t, o)
		if len(all) != 5 || len(fsys.opened()) != 5 || !strings.HasPrefix(all[0].Text, "prompt") {
			t.Fatalf("%d sessions, the first says %q", len(all), all[0].Text)
		}
	}
	if index.kept != 5 {
		t.Errorf("%d records were kept, want 5", index.kept)
	}
	o.Text = false
	if listed(t, o); len(fsys.opened()) != 0 {
		t.Error("what was listed with text is not known without")
	}
}
