//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// recipe carries out one of the 67 recipes on cambium.
func recipe(t *testing.T, ids ...string) {
	t.Helper()
	for _, r := range Recipes() {
		if !slices.Contains(ids, r.ID) {
			continue
		}
		if got := carryOut(r, "cambium", "", filepath.Join(t.TempDir(), r.ID)); !got.Verdict.Good() {
			t.Errorf("%s (%s): %s: %s", r.ID, r.What, got.Verdict, got.Note)
		}
	}
}

// place is a machine of its own.
func place(t *testing.T) layout.Env {
	t.Helper()
	dir := t.TempDir()
	return layout.Env{Home: dir, Cwd: dir, TempDir: "/nowhere", Getenv: func(name string) string {
		return map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(dir, "state")}[name]
	}}
}

// put writes a session file and returns its path.
func put(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// opened opens a session to write, and closes it when the test ends.
func opened(t *testing.T, path string, o session.Options) *session.Session {
	t.Helper()
	if o.Env.Home == "" {
		o.Env = place(t)
	}
	s, err := session.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // most tests have closed it
	return s
}

func add(t *testing.T, s *session.Session, text string) {
	t.Helper()
	if _, err := s.Append(t.Context(), spoken(text, "user")); err != nil {
		t.Fatal(err)
	}
}

// inContext are the texts of the context.
func inContext(t *testing.T, s *session.Session) []string {
	t.Helper()
	c := &child{s: s}
	v, err := c.texts(t.Context(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return texts(v)
}

// wantMessages opens bytes and wants so many messages in context, no byte
// changed, and damage told when there is any.
func wantMessages(t *testing.T, data []byte, n int, damaged bool) *session.Session {
	t.Helper()
	path := put(t, data)
	s := opened(t, path, session.Options{})
	if got := inContext(t, s); len(got) != n {
		t.Errorf("%d messages in context, want %d: %q", len(got), n, got)
	}
	if s.Damage().Any() != damaged {
		t.Errorf("damage: %q", s.Damage())
	}
	if !bytes.Equal(get(t, path), data) {
		t.Error("opening changed the file")
	}
	return s
}

// listed are the base names of the sessions below a directory.
func listed(t *testing.T, o catalog.Options) []string {
	t.Helper()
	all, err := catalog.List(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range all {
		name := filepath.Base(info.Path)
		if info.Damaged {
			name += "!"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func twenty() lineList { return fixture("/w", 20) }

func TestC01(t *testing.T) { recipe(t, "M07") }

func TestC02(t *testing.T) {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, `{"type":"event","n":%d}`+"\n", i)
	}
	path := put(t, b.Bytes())
	_, err := session.Open(t.Context(), path, session.Options{Env: place(t)})
	if err == nil || !strings.Contains(err.Error(), "not a session") || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(get(t, path), b.Bytes()) {
		t.Error("the file was changed")
	}
}

func TestC03(t *testing.T) {
	path := put(t, nil)
	s := opened(t, path, session.Options{})
	add(t, s, "one")
	add(t, s, "two")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(get(t, path), []byte("\n"))
	if !bytes.HasPrefix(first, []byte(`{"type":"session"`)) {
		t.Errorf("line 1 is %q", first)
	}
	if got := inContext(t, opened(t, path, session.Options{})); len(got) != 2 {
		t.Errorf("context %q", got)
	}
}

func TestC04(t *testing.T) { recipe(t, "M39") }
func TestC05(t *testing.T) { recipe(t, "M07") }

func TestC06(t *testing.T) {
	env := place(t)
	dir := t.TempDir()
	for name, first := range map[string][]byte{"pr.jsonl": []byte(`{"type":"pr-link","url":"https://x"}`), "slot.jsonl": titleSlot("named")} {
		data := append(lineList{first}, twenty()...).bytes()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := inContext(t, opened(t, path, session.Options{Env: env})); len(got) != 20 {
			t.Errorf("%s: %d messages", name, len(got))
		}
	}
	if got := listed(t, catalog.Options{Env: env, SessionDir: dir}); !slices.Equal(got, []string{"pr.jsonl", "slot.jsonl"}) {
		t.Errorf("listed %q", got)
	}
}

func TestC07(t *testing.T) { recipe(t, "M30") }

// A kill while a session of version 2 is migrated leaves all of it.
func TestC08(t *testing.T) {
	l := twenty()
	l[0] = header(2, "/w")
	path := put(t, l.bytes())
	before := get(t, path)
	s := opened(t, path, session.Options{ReadOnly: true})
	if got := inContext(t, s); len(got) != 20 || !bytes.Equal(get(t, path), before) {
		t.Errorf("reading: %d messages, or bytes changed", len(got))
	}
	_, err := underway(func(c *Case) int {
		for range 10 {
			path := c.write("a.jsonl", before)
			c.start()
			w := c.a
			done := make(chan struct{})
			go func() {
				_, _ = w.actor.call("open", path) // it is killed meanwhile
				close(done)
			}()
			select { // killed while it opens, or right after
			case <-time.After(rand.N(60 * time.Millisecond)):
			case <-done:
			}
			w.kill()
			<-done
			if gone := c.entriesGone(path, 20); gone > 0 {
				c.find(Lost, "%d entries gone", gone)
			}
		}
		return 0
	})
	if err != nil {
		t.Error(err)
	}
}

func TestC09(t *testing.T) {
	path := put(t, twenty().bytes())
	s := opened(t, path, session.Options{})
	add(t, s, "mine")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("junk\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	add(t, s, "more")
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if data := get(t, path); !bytes.Contains(data, []byte("junk\n")) || !bytes.Contains(data, []byte("more")) {
		t.Error("something is not in the file")
	}
}

func TestC11(t *testing.T) { recipe(t, "M16") }

func TestC12(t *testing.T) { recipe(t, "M17") }

func TestC13(t *testing.T) {
	l := twenty()
	l[11] = l[11][:80]
	wantMessages(t, l.bytes(), 19, true)
}

func TestC14(t *testing.T) {
	data := twenty().bytes()
	wantMessages(t, data[:len(data)-150], 19, true)
}

func TestC15(t *testing.T) {
	l := twenty()
	for _, i := range []int{4, 9, 14} {
		l[i] = append(bytes.Clone(l[i][:60]), l[i+1]...)
		l[i+1] = nil
	}
	wantMessages(t, l.bytes(), 17, true)
}

func TestC16(t *testing.T) {
	l := twenty()
	l = slices.Insert(l, 11, l[11][:len(l[11])/2])
	if s := wantMessages(t, l.bytes(), 20, true); s.Len() != 20 {
		t.Errorf("%d entries", s.Len())
	}
}

func TestC17(t *testing.T) {
	l := twenty()
	l[11] = bytes.Replace(bytes.Replace(l[11], []byte(`,"parentId"`), []byte("\n"+`,"parentId"`), 1), []byte(`,"message"`), []byte("\n"+`,"message"`), 1)
	wantMessages(t, l.bytes(), 20, true)
	s := opened(t, put(t, twenty().bytes()), session.Options{})
	add(t, s, "two\nlines")
	if got := get(t, s.Path()); bytes.Count(got, []byte("\n")) != 22 {
		t.Errorf("%d lines written", bytes.Count(got, []byte("\n")))
	}
}

func TestC18(t *testing.T) { recipe(t, "M12") }

func TestC19(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"bad.jsonl": make([]byte, 413), "good.jsonl": twenty().bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := listed(t, catalog.Options{Env: place(t), SessionDir: dir}); !slices.Contains(got, "good.jsonl") {
		t.Errorf("listed %q", got)
	}
}

func TestC20(t *testing.T) { recipe(t, "M14") }

func TestC21(t *testing.T) {
	env := place(t)
	store := filepath.Join(env.Home, ".omp", "agent", "blobs")
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("the bytes")))
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, hash), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := twenty()
	l[11] = messageLine(name(10), name(9), []byte(`{"role":"user","content":[{"type":"image","data":"blob:sha256:`+hash+`","mimeType":"image/png"}],"timestamp":1}`), 10)
	s := opened(t, put(t, append(lineList{titleSlot("x")}, l...).bytes()), session.Options{Env: env})
	if got := inContext(t, s); len(got) != 20 || len(defects.Of(s.Damage()).MissingBlobs) != 1 {
		t.Errorf("%d messages, damage %q", len(got), s.Damage())
	}
}

func TestC22(t *testing.T) {
	data := twenty().bytes()
	noise := sha256.Sum256([]byte("noise"))
	for i := range 16 {
		copy(data[2000+i*32:], noise[:])
	}
	s := opened(t, put(t, data), session.Options{})
	if got := inContext(t, s); len(got) < 16 || !s.Damage().Any() {
		t.Errorf("%d messages, damage %q", len(got), s.Damage())
	}
}

func TestC23(t *testing.T) { recipe(t, "M23") }
