package repair_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

func idsOf(list *entry.List) []string {
	var ids []string
	for i := range list.Len() {
		id, _ := list.ID(i)
		ids = append(ids, id)
	}
	return ids
}

// TestWrongVersion: a bit of the header that makes version 1 of version 3 gives no
// entry another id, neither when it is read nor when it is appended to. It is found,
// and mended in the header alone.
func TestWrongVersion(t *testing.T) {
	for _, bad := range []string{`"version":1,`, `"version":0,`, `"versioo":3,`} {
		w := newWard(t)
		other := said("e0000004", "e0000001", "another branch")
		file := lines(strings.Replace(head, `"version":3,`, bad, 1), one, two, three, other)
		path := w.write(name, file)
		s, err := session.Open(t.Context(), path, session.Options{Env: w.env})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"e0000001", "e0000002", "e0000003", "e0000004"}
		if got := idsOf(s.List()); !slices.Equal(got, want) {
			t.Errorf("%s: ids %q", bad, got)
		}
		if _, err := s.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":"more","timestamp":1}`)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := w.read(path); !strings.HasPrefix(got, file) || strings.Count(got, "\n") != 6 || !strings.Contains(got, `"parentId":"e0000004"`) {
			t.Errorf("%s: appended to is\n%s", bad, got)
		}
		r := w.look(path)
		if got := kinds(r); got != "version:1+" {
			t.Errorf("%s: found %q", bad, got)
		}
		before := w.read(path)
		w.fix(r)
		after := w.read(path)
		_, rest, _ := strings.Cut(before, "\n")
		if !strings.HasSuffix(after, "\n"+rest) || !strings.Contains(after, `"version":3`) || len(w.look(path).Findings) > 0 {
			t.Errorf("%s: mended is\n%s", bad, after)
		}
		w.undo(r.Findings[0].UndoID)
		if got := w.read(path); got != before {
			t.Errorf("%s: taken back is\n%s", bad, got)
		}
	}
}

// TestVersionOfEntries: a session without ids is read as one of version 1 whatever
// its header says, and when it has none; the context has all of its messages, before
// and after it was mended, under the same ids.
func TestVersionOfEntries(t *testing.T) {
	var all []string
	for i := range 99 {
		all = append(all, fmt.Sprintf(`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"said %d","timestamp":1}}`, i))
	}
	for what, first := range map[string][]string{"no header": nil, "a wrong version": {head}, "the right one": {strings.Replace(head, `"version":3,`, "", 1)}} {
		w := newWard(t)
		path := w.write(name, lines(append(first, all...)...))
		var ids []string
		for _, when := range []string{"before", "after"} {
			s, err := session.Open(t.Context(), path, session.Options{Env: w.env, ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Context(t.Context(), session.ContextOptions{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range c.Messages() {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n != 99 {
				t.Errorf("%s, %s: %d messages in context", what, when, n)
			}
			if now := idsOf(s.List()); ids != nil && !slices.Equal(ids, now) {
				t.Errorf("%s: ids were %.40q and are %.40q", what, ids[0], now[0])
			} else {
				ids = now
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if r := w.look(path); len(r.Findings) > 0 {
				w.fix(r)
			}
		}
	}
}
