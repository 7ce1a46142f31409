package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

// unusable are bodies that say nothing to any program, with the member that is to
// blame.
var unusable = []struct {
	name   string
	body   entry.Body
	member string
}{
	{"no message", &entry.MessageBody{}, "message"},
	{"a message that is no object", &entry.MessageBody{Message: []byte(`[1]`)}, "message"},
	{"a message without a role", &entry.MessageBody{Message: []byte(`{"content":"x"}`)}, "message.role"},
	{"a message whose role is a number", &entry.MessageBody{Message: []byte(`{"role":1}`)}, "message.role"},
	{"a second header", &entry.Verbatim{Name: "session", Members: []byte(`{"version":3,"cwd":"/"}`)}, "type"},
	{"a title slot", &entry.Verbatim{Name: "title", Members: []byte(`{"v":1,"title":"x"}`)}, "type"},
	{"no model", &entry.ModelChangeBody{}, "model"},
	{"a message of bytes", &entry.Verbatim{Name: "message", Members: []byte(`{"message":null}`)}, "message"},
	{"a custom entry without a type", &entry.Verbatim{Name: "custom", Members: []byte(`{"data":1}`)}, "customType"},
	{"a compaction without a summary", &entry.Verbatim{Name: "compaction", Members: []byte(`{"firstKeptEntryId":"x","tokensBefore":1}`)}, "summary"},
}

// TestUnusableIsRefused: what doctor would call unusable is neither appended nor put
// in the place of an entry, and the error says which member is to blame.
func TestUnusableIsRefused(t *testing.T) {
	for _, d := range []dialect.Name{dialect.Pi, dialect.Omp, dialect.Xcsh, dialect.Cambium} {
		path := file(t, headerLine, say("a", ""))
		s := open(t, path, session.Options{Dialect: d, Env: env(filepath.Dir(path))})
		if _, err := s.Append(t.Context(), answer("more")); err != nil {
			t.Fatal(err)
		}
		before := s.Len()
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		refused := func(name, member string, err error) {
			t.Helper()
			var bad *entry.BodyError
			if !errors.As(err, &bad) || bad.Member != member || !errors.Is(err, entry.ErrNotBody) {
				t.Errorf("%s, %s: error %v, want one about %s", d, name, err, member)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != string(was) || s.Len() != before {
				t.Errorf("%s, %s: something was written: %v", d, name, err)
			}
		}
		for _, u := range unusable {
			id, err := s.Append(t.Context(), u.body)
			if refused(u.name, u.member, err); id != "" {
				t.Errorf("%s, %s: id %s", d, u.name, id)
			}
			line, err := entry.Encode(nil, entry.Stamp{ID: "a", Time: 1}, u.body)
			if err != nil {
				continue
			}
			refused("rewrite with "+u.name, u.member, s.Rewrite(t.Context(), func(e entry.Entry) ([]byte, error) {
				if e.ID != "a" {
					return nil, nil
				}
				return line, nil
			}))
		}
	}
}

// TestUnusableMayBeMended: an entry that is unusable already may be rewritten, also
// to one that still is.
func TestUnusableMayBeMended(t *testing.T) {
	s := open(t, file(t, headerLine, `{"type":"message","id":"a","parentId":null,"message":null}`, say("b", "a")), session.Options{})
	for _, now := range []string{`null`, `{"role":"user","content":"mended"}`} {
		err := s.Rewrite(t.Context(), func(e entry.Entry) ([]byte, error) {
			if e.ID != "a" {
				return nil, nil
			}
			return jsonedit.Set(jsonedit.Set(e.Raw(), "message", []byte(now)), "note", []byte(`"looked at"`)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
