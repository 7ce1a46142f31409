package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// A sandbox is where one vector runs: a directory with s.jsonl in it, and a
// home and a state directory that nothing else uses.
type sandbox struct {
	t    *testing.T
	v    vectors.Vector
	dir  string
	s    *session.Session
	past []jsontext.Value // what the steps so far returned
}

func newSandbox(t *testing.T, v vectors.Vector) *sandbox {
	b := &sandbox{t: t, v: v, dir: t.TempDir()}
	if data, ok := vectors.File(v.Input); ok {
		if err := os.WriteFile(b.file(), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { b.close() })
	return b
}

func (b *sandbox) close() {
	if b.s != nil {
		if err := b.s.Close(); err != nil {
			b.t.Errorf("close: %v", err)
		}
		b.s = nil
	}
}

func (b *sandbox) file() string { return filepath.Join(b.dir, "s.jsonl") }

func (b *sandbox) cwd() string { return filepath.Join(b.dir, "work") }

func (b *sandbox) env() layout.Env {
	vars := map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(b.dir, "state")}
	return layout.Env{
		Home: filepath.Join(b.dir, "home"), TempDir: "/nowhere/tmp", Cwd: b.cwd(),
		Getenv: func(name string) string { return vars[name] },
	}
}

func (b *sandbox) options() session.Options {
	return session.Options{Dialect: dialect.Name(b.v.System), Version: b.v.Version, Env: b.env()}
}

// A step is the name of an operation and its arguments.
type step struct {
	name string
	args []jsontext.Value
}

func (b *sandbox) parse(raw jsontext.Value) step {
	var s step
	i := 0
	for e := range jsonedit.Elements(raw) {
		if i == 0 {
			s.name, _ = jsonedit.String(e)
		} else {
			s.args = append(s.args, b.past0(vectors.Expand(e)))
		}
		i++
	}
	return s
}

// past0 puts the result of step k in place of "$k".
func (b *sandbox) past0(v jsontext.Value) jsontext.Value {
	s, ok := jsonedit.String(v)
	if !ok || !strings.HasPrefix(s, "$") {
		return v
	}
	k, err := strconv.Atoi(s[1:])
	if err != nil || k >= len(b.past) {
		return v
	}
	return b.past[k]
}

func (s step) arg(i int) jsontext.Value {
	if i >= len(s.args) {
		return jsontext.Value("null")
	}
	return s.args[i]
}

func (s step) text(i int) string {
	text, _ := jsonedit.String(s.arg(i))
	return text
}

func (s step) id(i int) *entry.ID {
	if jsonedit.IsNull(s.arg(i)) {
		return nil
	}
	id := s.text(i)
	return &id
}

// run does a step and returns its value, nil for undefined.
func (b *sandbox) run(s step) (jsontext.Value, error) {
	ctx := context.Background()
	switch s.name {
	case "open":
		return b.open(ctx)
	case "create":
		return b.create(ctx, s.text(0))
	case "exists":
		_, err := os.Lstat(b.which(s))
		return jsonedit.BoolValue(err == nil), nil
	case "file", "rawFile":
		return b.lines(ctx, s)
	case "externalAppend":
		return nil, appendTo(b.file(), s.text(0))
	case "flush", "ensureOnDisk":
		return nil, b.s.Flush(ctx)
	}
	if v, done, err := b.append(ctx, s); done {
		return v, err
	}
	if v, done, err := b.read(ctx, s); done {
		return v, err
	}
	return b.act(ctx, s)
}

func (b *sandbox) open(ctx context.Context) (jsontext.Value, error) {
	b.close()
	s, err := session.Open(ctx, b.file(), b.options())
	if err != nil {
		return nil, err
	}
	b.s = s
	var ids jsonedit.Array
	for e, err := range s.Entries(ctx) {
		if err != nil {
			return nil, err
		}
		ids.String(e.ID)
	}
	out := new(jsonedit.Object).String("sessionId", s.ID())
	if leaf, ok := s.Leaf(); ok {
		out.String("leafId", leaf)
	} else {
		out.Null("leafId")
	}
	return out.Add("entryIds", ids.Value()).Value(), nil
}

func (b *sandbox) create(ctx context.Context, cwd string) (jsontext.Value, error) {
	o := b.options()
	o.Dir = filepath.Join(b.dir, "store")
	s, err := session.Create(ctx, cwd, o)
	if err != nil {
		return nil, err
	}
	b.s = s
	return new(jsonedit.Object).String("sessionId", s.ID()).String("file", s.Path()).Value(), nil
}

// which is the file that a step is about.
func (b *sandbox) which(s step) string {
	if s.text(0) == "session" {
		return b.s.Path()
	}
	return b.file()
}

func (b *sandbox) lines(ctx context.Context, s step) (jsontext.Value, error) {
	if s.name == "file" && b.s != nil {
		if err := b.s.Flush(ctx); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(b.which(s))
	if err != nil {
		return nil, err
	}
	return jsonedit.Strings(strings.Split(string(data), "\n")...), nil
}

func appendTo(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.WriteString(text)
	return err
}

// append does the steps that append one entry each.
func (b *sandbox) append(ctx context.Context, s step) (jsontext.Value, bool, error) {
	var body jsonedit.Object
	switch s.name {
	case "message":
		body.String("type", "message").Add("message", s.arg(0))
	case "thinking":
		body.String("type", "thinking_level_change").Add("thinkingLevel", s.arg(0))
	case "custom":
		body.String("type", "custom").Add("customType", s.arg(0))
		if len(s.args) > 1 {
			body.Add("data", s.arg(1))
		}
	case "label":
		body.String("type", "label").Add("targetId", s.arg(0))
		if !jsonedit.IsNull(s.arg(1)) {
			body.Add("label", s.arg(1))
		}
	case "compaction":
		id, err := b.s.Append(ctx, b.compaction(s))
		return idValue(id, err), true, err
	default:
		return nil, false, nil
	}
	parsed, err := entry.ParseBody(body.Value())
	if err != nil {
		return nil, true, err
	}
	id, err := b.s.Append(ctx, parsed)
	return idValue(id, err), true, err
}

func (b *sandbox) compaction(s step) entry.Body {
	tokens, _ := jsonedit.Int(s.arg(2))
	body := &entry.CompactionBody{Summary: s.text(0), FirstKeptEntryID: s.text(1), TokensBefore: tokens}
	if len(s.args) > 3 {
		body.Details = entry.JSON(s.arg(3))
	}
	if len(s.args) > 4 {
		from, _ := jsonedit.Bool(s.arg(4))
		body.FromHook = &from
	}
	return body
}

func idValue(id entry.ID, err error) jsontext.Value {
	if id == "" && err != nil {
		return nil
	}
	return jsonedit.Quoted(id)
}

// read does the steps that change nothing.
func (b *sandbox) read(ctx context.Context, s step) (jsontext.Value, bool, error) {
	switch s.name {
	case "getBranch":
		all, err := gathered(b.s.Branch(s.id(0)))
		return ids(all), true, err
	case "getChildren":
		all, err := gathered(b.s.Children(s.id(0)))
		return ids(all), true, err
	case "getLabel":
		label, ok, err := b.s.Label(s.text(0))
		if !ok || err != nil {
			return nil, true, err
		}
		return jsonedit.Quoted(label), true, nil
	case "leaf":
		id, ok := b.s.Leaf()
		if !ok {
			return nil, true, nil
		}
		return jsonedit.Quoted(id), true, nil
	case "header":
		return jsontext.Value(b.s.HeaderJSON()), true, nil
	case "name":
		name, _ := b.s.Title()
		if name == "" {
			return nil, true, nil
		}
		return jsonedit.Quoted(name), true, nil
	case "entry":
		e, err := b.s.Entry(s.text(0))
		return e.Raw(), true, err
	case "entries":
		var all jsonedit.Array
		for e, err := range b.s.Entries(ctx) {
			if err != nil {
				return nil, true, err
			}
			all.Add(e.Raw())
		}
		return all.Value(), true, nil
	case "context":
		v, err := b.context(ctx, session.ContextOptions{Strict: true})
		return v, true, err
	case "contextAt":
		v, err := b.context(ctx, session.ContextOptions{Leaf: s.id(0), Root: s.id(0) == nil, Strict: true})
		return v, true, err
	case "tree":
		v, err := b.tree()
		return v, true, err
	}
	return nil, false, nil
}

func ids(all []entry.Entry) jsontext.Value {
	var out jsonedit.Array
	for _, e := range all {
		out.String(e.ID)
	}
	return out.Value()
}

// act does the steps that change the session.
func (b *sandbox) act(ctx context.Context, s step) (jsontext.Value, error) {
	switch s.name {
	case "setName":
		done, err := b.s.Rename(ctx, s.text(0), session.Title{Source: s.text(1), Trigger: s.text(2)})
		return jsonedit.BoolValue(done), err
	case "sessionInfo":
		if _, err := b.s.Rename(ctx, s.text(0), session.Title{}); err != nil {
			return nil, err
		}
		id, _ := b.s.Leaf()
		return jsonedit.Quoted(id), nil
	case "contextEdit":
		id, err := b.s.EditContext(ctx, s.text(0), entry.JSON(s.arg(1)))
		return idValue(id, err), err
	case "branch":
		return nil, b.s.MoveLeaf(s.text(0))
	case "resetLeaf":
		b.s.ResetLeaf()
		return nil, nil
	case "branchWithSummary":
		sum := session.BranchSummary{Target: s.id(0), Summary: s.text(1)}
		if len(s.args) > 2 && !jsonedit.IsNull(s.arg(2)) {
			sum.Details = entry.JSON(s.arg(2))
		}
		if len(s.args) > 3 {
			from, _ := jsonedit.Bool(s.arg(3))
			sum.FromExtension = &from
		}
		id, err := b.s.BranchWithSummary(ctx, sum)
		return idValue(id, err), err
	case "createBranchedSession":
		path, err := b.s.SaveBranch(ctx, s.text(0))
		return jsonedit.Quoted(path), err
	case "fork":
		old, now, err := b.s.Fork(ctx)
		return new(jsonedit.Object).String("oldSessionFile", old).String("newSessionFile", now).Value(), err
	case "newSession":
		parent, _ := jsonedit.Text(s.arg(0), "parentSession")
		path, err := b.s.New(ctx, parent)
		return jsonedit.Quoted(path), err
	case "moveTo":
		return nil, b.s.Move(ctx, s.text(0))
	}
	return nil, fmt.Errorf("step %q: nobody runs it", s.name)
}

// outcome is what a step's result looks like in a vector.
func outcome(v jsontext.Value, err error) jsontext.Value {
	switch {
	case err != nil && v != nil && errors.Is(err, session.ErrUnsaved):
		return new(jsonedit.Object).Add("value", v).String("flushError", err.Error()).Value()
	case err != nil:
		return new(jsonedit.Object).String("error", err.Error()).Value()
	case v == nil:
		return jsontext.Value("null")
	}
	return v
}

func (b *sandbox) context(ctx context.Context, o session.ContextOptions) (jsontext.Value, error) {
	c, err := b.s.Context(ctx, o)
	if err != nil {
		return nil, err
	}
	var messages jsonedit.Array
	for m, err := range c.Messages() {
		if err != nil {
			return nil, err
		}
		messages.Add(m.JSON)
	}
	out := append([]byte(`{"messages":`), messages.Value()...)
	out = append(out, ',')
	return append(c.AppendState(out, replay.OwnShape), '}'), nil
}

// tree is the full tree as a vector shows it: id, label, children.
func (b *sandbox) tree() (jsontext.Value, error) {
	full, err := tree.Of(b.s.Tree()).AppendJSON(nil, tree.Strict)
	if err != nil {
		return nil, err
	}
	return idsOnly(full), nil
}

func idsOnly(nodes jsontext.Value) jsontext.Value {
	var out jsonedit.Array
	for n := range jsonedit.Elements(nodes) {
		id, _ := jsonedit.Path(n, "entry", "id")
		label, _ := jsonedit.Get(n, "label")
		children, _ := jsonedit.Get(n, "children")
		out.Add(new(jsonedit.Object).Add("id", id).Add("label", label).Add("children", idsOnly(children)).Value())
	}
	return out.Value()
}

// gathered returns the entries of a sequence, up to the first that cannot be read.
func gathered(entries iter.Seq2[entry.Entry, error]) (all []entry.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}
