//go:build peers

package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// programs are the real programs and the dialect that each writes.
func programs() map[peers.Program]dialect.Name {
	return map[peers.Program]dialect.Name{peers.Pi: dialect.Pi, peers.Omp: dialect.Omp}
}

// managers are the session managers that can be driven: those of the programs, and of
// a pi that cannot be installed.
func managers() map[peers.Program]dialect.Name {
	all := programs()
	all[peers.PiNewer] = dialect.Pi
	return all
}

// options are those of a session of Cambium's beside nothing else: home and
// state in dir, new sessions in dir/store.
func options(dir string, d dialect.Name) session.Options {
	vars := map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(dir, "state")}
	return session.Options{
		Dialect: d, Dir: filepath.Join(dir, "store"), Sync: session.SyncNone,
		Env: layout.Env{
			Home: filepath.Join(dir, "home"), TempDir: "/nowhere/tmp", Cwd: dir,
			Getenv: func(name string) string { return vars[name] },
		},
	}
}

// A view is what one reader says of a session, part by part in the names of
// the driver's dump.
type view map[string]jsontext.Value

// theirs is what the real program says of the file, with a context for every
// leaf.
func theirs(d *peers.Driver, path string, leaves []string) (view, error) {
	raw, err := d.Call("load", path, map[string]any{"leaves": leaves})
	if err != nil {
		return nil, err
	}
	return parts(raw), nil
}

// parts cuts a dump into its parts.
func parts(raw jsontext.Value) view {
	v := view{}
	for name, value := range jsonedit.Members(raw) {
		switch name {
		case "contexts", "llms":
			for leaf, context := range jsonedit.Members(value) {
				v[name+" "+leaf] = context
			}
		default:
			v[name] = value
		}
	}
	return v
}

// oursOf is what Cambium says of the file, which it only reads.
func oursOf(t *testing.T, path string, d dialect.Name, leaves []string) (view, error) {
	o := options(t.TempDir(), d)
	o.ReadOnly = true
	s, err := session.Open(t.Context(), path, o)
	if err != nil {
		return nil, err
	}
	v, err := ours(t, s, leaves)
	return v, errors.Join(err, s.Close())
}

// ours is what Cambium says of an open session. Links are strict, as the
// programs take them.
func ours(t *testing.T, s *session.Session, leaves []string) (view, error) {
	v := view{"header": jsontext.Value(s.HeaderJSON()), "sessionId": jsonedit.Quoted(s.ID()), "leafId": jsontext.Value("null")}
	if leaf, ok := s.Leaf(); ok {
		v["leafId"] = jsonedit.Quoted(leaf)
	}
	if name, _ := s.Title(); name != "" {
		v["name"] = jsonedit.Quoted(name)
	}
	var ids jsonedit.Array
	var labels jsonedit.Object
	for e, err := range s.Entries(t.Context()) {
		if err != nil {
			return nil, err
		}
		ids.String(e.ID)
		label, ok, err := s.Label(e.ID)
		if err != nil {
			return nil, err
		}
		if ok {
			labels.String(e.ID, label)
		}
	}
	v["entryIds"], v["labels"] = ids.Value(), labels.Value()
	full, err := tree.Of(s.Tree()).AppendJSON(nil, tree.Strict)
	if err != nil {
		return nil, err
	}
	v["tree"] = reduced(full)
	at := session.ContextOptions{Strict: true}
	if v["context"], v["llm"], err = contextOf(t, s, at); err != nil {
		return nil, err
	}
	for _, leaf := range leaves {
		at.Leaf = &leaf
		if v["contexts "+leaf], v["llms "+leaf], err = contextOf(t, s, at); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// contextOf returns a context as the dialect's program gives it, and what a
// model is sent of it.
func contextOf(t *testing.T, s *session.Session, o session.ContextOptions) (context, llm jsontext.Value, err error) {
	c, err := s.Context(t.Context(), o)
	if err != nil {
		return nil, nil, err
	}
	var messages, sent jsonedit.Array
	for m, err := range c.Messages() {
		if err != nil {
			return nil, nil, err
		}
		messages.Add(m.JSON)
	}
	converted, _ := s.LLM(t.Context(), c)
	for m, err := range converted {
		if err != nil {
			return nil, nil, err
		}
		sent.Add(m)
	}
	out := append([]byte(`{"messages":`), messages.Value()...)
	return append(c.AppendState(append(out, ','), replay.OwnShape), '}'), sent.Value(), nil
}

// reduced is a full tree with ids, labels and children only.
func reduced(nodes jsontext.Value) jsontext.Value {
	var out jsonedit.Array
	for n := range jsonedit.Elements(nodes) {
		var node jsonedit.Object
		id, _ := jsonedit.Path(n, "entry", "id")
		node.Add("id", id)
		if label, ok := jsonedit.Get(n, "label"); ok {
			node.Add("label", label)
		}
		children, _ := jsonedit.Get(n, "children")
		out.Add(node.Add("children", reduced(children)).Value())
	}
	return out.Value()
}

// agree returns an error that names every part in which the two differ. What
// is sent to a model is compared as Cambium cleans it (D23), because no
// provider takes half a pair, and without the sentence before a summary, which
// is in Cambium's own words.
func agree(theirs, ours view) error {
	var errs []error
	for name := range union(theirs, ours) {
		want, has := theirs[name]
		got, gives := ours[name]
		switch {
		case !has:
			errs = append(errs, fmt.Errorf("%s: the program says nothing, Cambium %.120s", name, got))
			continue
		case !gives:
			errs = append(errs, fmt.Errorf("%s: Cambium says nothing, the program %.120s", name, want))
			continue
		case name == "name": // a title is text, which has no half pairs
			want, _ = jsonedit.Scrub(want)
		case strings.HasPrefix(name, "llm"):
			want, _ = jsonedit.Scrub(want)
			want, got = withoutLead(withoutControls(want)), withoutLead(got)
		}
		if err := peers.Compare(want, got); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// leafBeforeExit says whether the two differ in the leaf because the file ends
// in the note that a program ended, which Cambium passes over (D17). What
// depends on it is then taken out of both; the leaves themselves stay.
func leafBeforeExit(theirs, ours view, file []byte) bool {
	file = bytes.TrimSpace(file)
	last := file[bytes.LastIndexByte(file, '\n')+1:]
	if string(theirs["leafId"]) == string(ours["leafId"]) || !bytes.Contains(last, []byte(`"session_exit"`)) {
		return false
	}
	for _, part := range []string{"leafId", "context", "llm"} {
		delete(theirs, part)
		delete(ours, part)
	}
	return true
}

// withoutControls takes control characters out of the names of tools in messages.
func withoutControls(messages jsontext.Value) jsontext.Value {
	clean := func(obj jsontext.Value, key string) jsontext.Value {
		name, ok := jsonedit.Text(obj, key)
		if !ok || strings.IndexFunc(name, unicode.IsControl) < 0 {
			return obj
		}
		return jsonedit.Set(obj, key, jsonedit.Quoted(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, name)))
	}
	var out jsonedit.Array
	for m := range jsonedit.Elements(messages) {
		m = clean(m, "toolName")
		if role, _ := jsonedit.Text(m, "role"); role == "assistant" && jsonedit.Kind(get(m, "content")) == '[' {
			var blocks jsonedit.Array
			for b := range jsonedit.Elements(get(m, "content")) {
				if kind, _ := jsonedit.Text(b, "type"); kind == "toolCall" {
					b = clean(b, "name")
				}
				blocks.Add(b)
			}
			m = jsonedit.Set(m, "content", blocks.Value())
		}
		out.Add(m)
	}
	return out.Value()
}

// withoutLead takes out of messages the sentence that introduces a summary.
func withoutLead(messages jsontext.Value) jsontext.Value {
	return jsonedit.Walk(messages, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if at.Key != "text" || jsonedit.Kind(v) != '"' {
			return nil, jsonedit.Into
		}
		text, _ := jsonedit.String(v)
		from := max(strings.Index(text, "<summary>\n"), strings.Index(text, "<handoff>\n"))
		if from <= 0 {
			return nil, jsonedit.Into
		}
		return jsonedit.Quoted("(lead) " + text[from:]), jsonedit.Into
	}})
}

// union has the names of both.
func union(a, b view) map[string]bool {
	names := map[string]bool{}
	for _, v := range []view{a, b} {
		for name := range v {
			names[name] = true
		}
	}
	return names
}

// get returns a member that is there.
func get(v jsontext.Value, name string) jsontext.Value {
	member, _ := jsonedit.Get(v, name)
	return member
}

// message is an entry in which the user says a text.
func message(text string) jsontext.Value {
	said := new(jsonedit.Object).String("role", "user").String("content", text).Int("timestamp", 1).Value()
	return new(jsonedit.Object).String("type", "message").Add("message", said).Value()
}
