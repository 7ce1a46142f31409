package work_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// readings is a file system that counts what is read of one file.
type readings struct {
	vfs.FS
	name  string
	bytes atomic.Int64
}

// Open opens a file.
func (r *readings) Open(name string, flag int) (vfs.File, error) {
	f, err := r.FS.Open(name, flag)
	if err == nil && name == r.name {
		return readFile{f, r}, nil
	}
	return f, err
}

// readFile is the file of which the readings are counted.
type readFile struct {
	vfs.File
	of *readings
}

// ReadAt reads.
func (f readFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.of.bytes.Add(int64(n))
	return n, err
}

// long makes the session at a path so long that reading it whole is seen, and has the
// library count how often that is done.
func long(t *testing.T, l *work.Library, path string) (times func() float64) {
	t.Helper()
	s, err := session.Open(t.Context(), path, l.Session())
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		text := jsontext.Value(fmt.Sprintf(`{"type":"message","message":{"role":"user","content":%q,"timestamp":1}}`, strings.Repeat("water ", 5000)))
		body, err := entry.ParseBody(text)
		if err == nil {
			_, err = s.Append(t.Context(), body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	fsys := &readings{FS: vfs.OS(), name: path}
	l.FS, l.NoIndex = fsys, true
	return func() float64 { return float64(fsys.bytes.Load()) / float64(info.Size()) }
}

// goOn has the built-in agent go on with a session.
func goOn(ctx context.Context, t *testing.T, l *work.Library, path string, by work.By) {
	t.Helper()
	g, err := work.GoOn(ctx, l, work.GoOnOptions{By: by, Resume: path})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Open(ctx, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Path() != path || g.ID != s.ID() || g.CWD != s.CWD() {
		t.Errorf("gone on with %+v, and %s was opened", g, s.Path())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOpenings: a session that is gone on with is read whole once, whoever goes on.
func TestOpenings(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, l *work.Library, path string){
		"run": func(t *testing.T, l *work.Library, path string) { goOn(t.Context(), t, l, path, work.ByRun) },
		"resume of one's own, and the chat": func(t *testing.T, l *work.Library, path string) {
			at, err := work.Resume(t.Context(), l, path, work.ResumeOptions{})
			if err != nil || !at.Own() || at.Dir != l.Dir {
				t.Fatalf("resumed %+v, %v", at, err)
			}
			goOn(t.Context(), t, l, at.Path, work.ByChat)
		},
		"resume of another program's": func(t *testing.T, l *work.Library, path string) {
			l.Agent = dialect.Pi
			if at, err := work.Resume(t.Context(), l, path, work.ResumeOptions{}); err != nil || at.Own() {
				t.Fatalf("resumed %+v, %v", at, err)
			}
		},
		"what would be resumed": func(t *testing.T, l *work.Library, path string) {
			if _, err := work.Resume(t.Context(), l, path, work.ResumeOptions{Only: true}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, path, _ := library(t)
			times := long(t, l, path)
			s, err := l.OpenAny(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			once := times() // opening to write keeps a copy, too
			do(t, l, path)
			if n := times() - once; n < 1 || n > once+0.2 {
				t.Errorf("the session was read %.2f times, and once is %.2f", n, once)
			}
		})
	}
}

// TestPresentThings: what is at a path, for each thing that may be there.
func TestPresentThings(t *testing.T) {
	l, path, _ := library(t)
	for text, want := range map[string]string{
		"": "empty", "\n \n": "empty", `{"type":"session","ver`: "not a session", "plain text\n": "not a session",
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}` + "\n": "no valid header",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.OpenWrite(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := l.Present(t.Context(), path+".none"); err == nil {
		t.Error("what is not there is present")
	}
}
