package claude_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// options are those of a machine on which Claude Code is, too.
func options(home string) session.Options {
	env := layout.Env{Home: home, Cwd: home}
	return foreign.On(session.Options{Env: env, ReadOnly: true}, foreign.Programs{All: []foreign.Program{claude.New()}, Env: env})
}

// made converts a session and opens what came of it.
func made(t *testing.T, s *session.Session, o session.Options, to dialect.Name) (*session.Session, session.Converted) {
	t.Helper()
	done, err := s.Convert(context.Background(), session.ConvertOptions{To: to})
	if err != nil {
		t.Fatal(err)
	}
	made, err := session.Open(context.Background(), done.Path, o)
	if err != nil {
		t.Fatal(err)
	}
	return made, done
}

// linesOf returns the entries of a session as they are stored, by their ids, without those
// that conversions add.
func linesOf(t *testing.T, s *session.Session) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range s.Entries(context.Background()) {
		if err != nil {
			continue
		}
		all[string(e.ID)] = string(e.Raw())
	}
	return all
}

// TestThereAndBack converts random sessions of every dialect to Claude Code and back: every
// entry comes home as it was, with members in another order at most.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for k, d := range sessiongen.Dialects() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			home := scratch.OwnDir(t)
			for n := range uint64(500) {
				if thereAndBack(t, filepath.Join(home, strconv.Itoa(int(n))), d, n*4+uint64(k)); t.Failed() {
					return
				}
			}
		})
	}
}

// thereAndBack converts one session, in a home of its own.
func thereAndBack(t *testing.T, home string, d sessiongen.Dialect, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 18))
	whole := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Clean: true, Entries: 2 + rng.IntN(14), Appendable: true, NoSlot: true})
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "s.jsonl")
	if err := os.WriteFile(path, whole.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(home)
	from := o
	from.Dialect = dialect.Name(d)
	s, err := session.Open(context.Background(), path, from)
	if err != nil {
		t.Fatal(err)
	}
	there, done := made(t, s, o, "claude")
	back, _ := made(t, there, o, dialect.Name(d))
	want, got := linesOf(t, s), linesOf(t, back)
	for id, line := range want {
		if got[id] != line && !reflect.DeepEqual(value(t, got[id]), value(t, line)) {
			t.Errorf("seed %d: entry %s\n came home as %s\n     it was %s", seed, id, got[id], line)
		}
	}
	if there.Len() < s.Len() {
		t.Errorf("seed %d: %d entries of %d are there", seed, there.Len(), s.Len())
	}
	text, err := os.ReadFile(done.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := foreigntest.Sound(read(t, done.Path), text); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if bytes.Contains(text, []byte("\n\n")) || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("seed %d: a line is empty, or does not end", seed)
	}
	for _, s := range []*session.Session{s, there, back} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
}

// value returns the value of a JSON text, its numbers as they are written.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil && text != "" {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// read returns what is read of a session where Claude Code keeps it.
func read(t *testing.T, path string) []byte {
	t.Helper()
	m, err := claude.New().Read(context.Background(), vfs.OS(), path)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, m.Size())
	if _, err := m.ReadAt(all, 0); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestToldThere converts the samples to pi and to Claude Code again: what the model sees is
// what Claude Code sent, but for what the report names.
func TestToldThere(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/samples/*/*.request.json")
	if err != nil || len(all) < 20 {
		t.Fatalf("%d samples, %v", len(all), err)
	}
	for _, request := range all {
		t.Run(filepath.Base(filepath.Dir(request)), func(t *testing.T) {
			t.Parallel()
			s := open(t, strings.TrimSuffix(request, ".request.json")+".jsonl")
			o := options(scratch.OwnDir(t))
			o.Env = layout.Env{Home: scratch.OwnDir(t), Cwd: t.TempDir()}
			o = foreign.On(o, foreign.Programs{All: []foreign.Program{claude.New()}, Env: o.Env})
			dir := scratch.OwnDir(t)
			pi, err := s.Convert(context.Background(), session.ConvertOptions{To: "pi", Path: filepath.Join(dir, "pi.jsonl")})
			if err != nil {
				t.Fatal(err)
			}
			at, err := session.Open(context.Background(), pi.Path, o)
			if err != nil {
				t.Fatal(err)
			}
			there, done := made(t, at, o, "claude")
			c, err := there.Context(context.Background(), session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := foreigntest.Neutral(t, c), foreigntest.Request(t, request)
			if !reflect.DeepEqual(got, want) && done.Report.Counts[foreign.Unsigned] == 0 {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			for _, s := range []*session.Session{at, there} {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
