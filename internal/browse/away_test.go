package browse_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/browse"
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/internal/offline/offlinetest"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// TestBrowseSaysThatTheStoreIsAway: a line of the browser says that the store does not
// answer, for as long as it does not.
func TestBrowseSaysThatTheStoreIsAway(t *testing.T) {
	far := offlinetest.New()
	near, strange := far.Offline(t, t.TempDir()), far.Offline(t, t.TempDir())
	o := session.Options{
		Store: near, FirstWrite: session.Immediately, ID: "known",
		Env: layout.Env{Home: "/", Cwd: "/work", Getenv: func(string) string { return "" }},
	}
	s, err := session.Create(t.Context(), "/work", o)
	if err == nil {
		_, err = s.Append(t.Context(), &entry.MessageBody{Message: message.Encode(&message.User{Content: message.TextContent("something new"), Timestamp: 1})})
	}
	if err == nil {
		err = s.Close()
	}
	if err == nil { // what is read is kept
		o.ReadOnly = true
		if s, err = session.Open(t.Context(), s.Path(), o); err == nil {
			err = s.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	is := func(away bool) func() { return func() { far.Away.Store(away) } }
	for _, test := range []struct {
		store *offline.Store
		want  []string // of each step
		has   []bool   // the session
	}{
		{near, []string{"", "only what is kept of it here is listed (no answer)", "only what is kept", ""}, []bool{true, true, true, true}},
		{strange, []string{"", "nothing of it is kept here (no answer)", "nothing of it is kept here", ""}, []bool{true, false, false, true}},
	} {
		screens := browse.Lists(t.Context(), t.TempDir(), test.store, is(false), is(true), is(true), is(false))
		for n, screen := range screens {
			says := strings.Contains(screen, "The store does not answer")
			if says != (test.want[n] != "") || !strings.Contains(screen, test.want[n]) || strings.Contains(screen, "something new") != test.has[n] {
				t.Errorf("look %d: want %q in\n%s", n+1, test.want[n], screen)
			}
		}
		far.Away.Store(false)
	}
}
