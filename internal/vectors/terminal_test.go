package vectors_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// variables returns an environment of a vector.
func variables(env jsontext.Value) map[string]string {
	vars := map[string]string{}
	for name, value := range jsonedit.Members(env) {
		vars[name], _ = jsonedit.String(value)
	}
	return vars
}

// terminalID names the terminal by each environment.
func terminalID(b *sandbox) []part {
	var out jsonedit.Array
	for raw := range jsonedit.Elements(b.input("envs")) {
		vars := variables(raw)
		id, ok := places.TerminalID(b.v.System, "", layout.Env{Getenv: func(name string) string { return vars[name] }})
		if ok {
			out.String(id)
		} else {
			out.Add(jsontext.Value("null"))
		}
	}
	return b.whole(out.Value())
}

// A teller runs what a vector of breadcrumbs does: sessions of one program in
// one terminal, found again by its note.
type teller struct {
	b     *sandbox
	o     session.Options
	place places.Place
}

func newTeller(b *sandbox) *teller {
	t := &teller{b: b, o: b.options()}
	vars := variables(b.input("env"))
	vars["CAMBIUM_STATE_DIR"] = filepath.Join(b.dir, "state")
	t.o.Env.Getenv = func(name string) string { return vars[name] }
	t.o.Dir = filepath.Join(b.dir, "st")
	t.place = places.For(b.v.System, t.o.Env, layout.Overrides{})
	b.must(os.MkdirAll(t.place.Agent, 0o700))
	trail := catalog.Trail{Env: t.o.Env}
	t.o.OnVisit = func(v session.Visit) { b.must(trail.Visit(catalog.Visit(v))) }
	return t
}

// begin makes a session, with an answer in it if it is to be written.
func (t *teller) begin(cwd string, written bool) string {
	ctx := context.Background()
	s, err := session.Create(ctx, cwd, t.o)
	t.b.must(err)
	if written {
		_, err := s.Append(ctx, &entry.MessageBody{Message: entry.JSON(`{"role":"assistant","content":[],"stopReason":"stop","timestamp":1}`)})
		t.b.must(err)
	}
	path := s.Path()
	t.b.must(s.Close())
	return path
}

// next is the session that --continue finds, "" for a new one.
func (t *teller) next(cwd, dir string) string {
	o := catalog.Options{Env: t.o.Env, Agents: []dialect.Name{t.o.Dialect}, CWD: cwd, SessionDir: dir}
	next, err := catalog.Continue(context.Background(), "", o)
	t.b.must(err)
	return next.Path
}

var cwdstat = regexp.MustCompile(`cwdstat \d+ \d+`)

// note returns the one note that there is.
func (t *teller) note() (name, content string) {
	list, err := os.ReadDir(t.place.Breadcrumbs)
	t.b.must(err)
	if len(list) != 1 {
		t.b.t.Fatalf("%d notes, want 1", len(list))
	}
	data, err := os.ReadFile(filepath.Join(t.place.Breadcrumbs, list[0].Name()))
	t.b.must(err)
	return list[0].Name(), cwdstat.ReplaceAllString(string(data), "cwdstat <dev> <ino>")
}

func breadcrumbs(b *sandbox) []part {
	t := newTeller(b)
	var out jsonedit.Object
	if b.v.System == string(dialect.Omp) {
		fresh := t.begin(b.dir, false)
		name, content := t.note()
		out.String("fileName", name).String("freshContent", content)
		out.Bool("freshContinueIsNew", t.next(b.dir, t.o.Dir) == "")
		path := t.begin(b.dir, true)
		_, content = t.note()
		out.String("materialisedContent", content)
		out.Bool("continueUsesCrumb", t.next(b.dir, t.o.Dir) == path && path != fresh)
		list, err := os.ReadDir(t.place.Custom)
		out.Bool("customRegistryFiles", err == nil && len(list) > 0)
		return b.byKey(out.Value())
	}
	path := t.begin(b.dir, true)
	name, content := t.note()
	out.String("fileName", name).String("content", content)
	other := filepath.Join(b.dir, "other")
	b.must(os.Mkdir(other, 0o700))
	out.Bool("continueSameCwdUsesCrumb", t.next(b.dir, other) == path)
	out.Bool("continueOtherCwdIgnoresCrumb", t.next(other, other) == "")
	return b.byKey(out.Value())
}
