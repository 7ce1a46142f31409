package codex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/foreign/foreigntest"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// options are those of a machine on which Codex is, too.
func options(home string) session.Options {
	env := layout.Env{Home: home, Cwd: home}
	return foreign.On(session.Options{Env: env, ReadOnly: true}, foreign.Programs{All: []foreign.Program{codex.New()}, Env: env})
}

// made converts a session to Codex and opens what came of it.
func made(t *testing.T, s *session.Session, o session.Options) (*session.Session, session.Converted) {
	t.Helper()
	done, err := s.Convert(context.Background(), session.ConvertOptions{To: "codex"})
	if err != nil {
		t.Fatal(err)
	}
	there, err := session.Open(context.Background(), done.Path, o)
	if err != nil {
		t.Fatal(err)
	}
	return there, done
}

// sees returns what the model sees of a session, each turn's parts in order. Reasoning that
// is not Codex's is not told.
func sees(t *testing.T, s *session.Session, unsigned bool) []foreigntest.Turn {
	t.Helper()
	c, err := s.Context(context.Background(), session.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	turns := foreigntest.Neutral(t, c)
	for n := range turns {
		turns[n].Parts = slices.DeleteFunc(turns[n].Parts, func(p foreigntest.Part) bool {
			return unsigned && (p.Type == "thinking" || strings.HasPrefix(p.Type, "redacted"))
		})
		for i := range turns[n].Parts {
			p := &turns[n].Parts[i]
			p.Error = false // Codex does not keep it
			if p.Type == "result" {
				p.Parts = foreigntest.Joined([]foreigntest.Turn{{Parts: p.Parts}})[:min(1, len(p.Parts))][0].Parts
			}
		}
	}
	return foreigntest.Joined(turns)
}

// texts returns all that was said, however it is divided into turns and parts.
func texts(turns []foreigntest.Turn) string {
	var all []string
	for _, turn := range turns {
		for _, p := range turn.Parts {
			text := p.Text
			for _, inner := range p.Parts {
				text += " " + inner.Text
			}
			all = append(all, fmt.Sprint(turn.Role, " ", p.Type, " ", p.Name, p.Input, " ", strings.Join(strings.Fields(text), " ")))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// TestToldThere converts the samples to pi and to Codex again: what the model sees is what
// Codex sent.
func TestToldThere(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/samples/*/*.request.json")
	if err != nil || len(all) < 18 {
		t.Fatalf("%d samples, %v", len(all), err)
	}
	for _, request := range all {
		t.Run(filepath.Base(filepath.Dir(request))+"/"+filepath.Base(request)[:18], func(t *testing.T) {
			t.Parallel()
			s := open(t, file(t, filepath.Dir(request), strings.TrimSuffix(filepath.Base(request), ".request.json")))
			home := scratch.OwnDir(t)
			pi, err := s.Convert(context.Background(), session.ConvertOptions{To: "pi", Path: filepath.Join(home, "pi.jsonl")})
			if err != nil {
				t.Fatal(err)
			}
			at, err := session.Open(context.Background(), pi.Path, options(home))
			if err != nil {
				t.Fatal(err)
			}
			there, _ := made(t, at, options(home))
			if got, want := texts(sees(t, there, true)), texts(sees(t, s, true)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for _, s := range []*session.Session{at, there} {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestWriteLosesNothingUnsaid converts random sessions of every dialect to Codex: the model sees
// there what it sees in pi, unless the report says that something of it is told otherwise.
func TestWriteLosesNothingUnsaid(t *testing.T) {
	t.Parallel()
	for k, d := range sessiongen.Dialects() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			toldThere(t, d, uint64(k))
		})
	}
}

// toldThere converts 500 sessions of a dialect.
func toldThere(t *testing.T, d sessiongen.Dialect, k uint64) {
	t.Helper()
	same := 0
	home := scratch.OwnDir(t)
	for n := k; n < 2000; n += 4 {
		rng := rand.New(rand.NewPCG(n, 19))
		whole := sessiongen.Random(rng, sessiongen.Options{Dialect: d, Clean: true, Entries: 2 + rng.IntN(12), Appendable: true, NoSlot: true})
		dir := filepath.Join(home, strconv.Itoa(int(n)))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, whole.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		o := options(dir)
		from := o
		from.Dialect = dialect.Name(d)
		s, err := session.Open(context.Background(), path, from)
		if err != nil {
			t.Fatal(err)
		}
		there, done := made(t, s, o)
		said := done.Report.Counts
		pi, err := s.Convert(context.Background(), session.ConvertOptions{To: "pi", Path: filepath.Join(dir, "pi.jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		middle, err := session.Open(context.Background(), pi.Path, o)
		if err != nil {
			t.Fatal(err)
		}
		got, want := sees(t, there, true), sees(t, middle, true)
		if reflect.DeepEqual(texts(got), texts(want)) {
			same++
		} else if said[foreign.Reworded]+said["orphan"]+said["system"]+said[foreign.Silent] == 0 {
			t.Errorf("seed %d of %s, report %v\n got %s\nwant %s", n, d, said, texts(got), texts(want))
		}
		text, err := os.ReadFile(done.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := foreigntest.Sound(lines(t, filepath.Join(dir, rollout), text), text); err != nil {
			t.Errorf("seed %d: %v", n, err)
		}
		for _, s := range []*session.Session{s, there, middle} {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if same < 250 {
		t.Errorf("only %d sessions are told as they were", same)
	}
}
