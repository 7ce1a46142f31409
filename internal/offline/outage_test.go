package offline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/cambium-dev/cambium/storage"
)

// What a store that is away makes of a look is told from a store that has nothing.
func TestOutage(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "one")
	s := m.open()
	read(t, logOf(t, s, "/p/a", storage.Read))
	listed := func(dir string) (found bool) {
		for _, err := range s.List(t.Context(), dir) {
			if err != nil && !errors.Is(err, storage.ErrNotExist) {
				t.Error(err)
			}
			found = found || err == nil
		}
		return found
	}
	for _, test := range []struct {
		dir  string
		away bool
		want offline.Outage
	}{
		{"/p", false, offline.None}, {"/q", false, offline.None},
		{"/p", true, offline.Partly}, {"/q", true, offline.Unreachable},
		{"/q", true, offline.Unreachable}, // though it was not asked again
	} {
		store.set(test.away)
		look := s.Look()
		got, why := look.Outage(listed(test.dir))
		if got != test.want || (why != nil) != test.away {
			t.Errorf("%s, away %v: %v, %v, want %v", test.dir, test.away, got, why, test.want)
		}
	}
	look := s.Look()
	m.later()
	store.set(false)
	if got, why := look.Outage(listed("/p")); got != offline.None {
		t.Errorf("back: %v, %v", got, why)
	}
	var none *offline.Store
	if got, why := none.Look().Outage(false); got != offline.None || why != nil {
		t.Errorf("no store: %v, %v", got, why)
	}
}

// One that was back in the end did not answer all the same.
func TestOutageInBetween(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "one")
	s := m.open()
	look := s.Look()
	store.set(true)
	for range s.List(t.Context(), "/p") {
	}
	m.later()
	store.set(false)
	for range s.List(t.Context(), "/p") {
	}
	if got, why := look.Outage(true); got != offline.Partly || !errors.Is(why, errGone) || s.Away() != nil {
		t.Errorf("%v, %v, %v", got, why, s.Away())
	}
}

// A report says which store it is, why, and how much is kept of it.
func TestReport(t *testing.T) {
	store, blobs := newStore()
	m := newMachine(t, store, blobs)
	appendTo(t, logOf(t, store, "/p/a", storage.Create), storage.Mark{}, "one")
	s := m.open()
	read(t, logOf(t, s, "/p/a", storage.Read))
	missing := s.Missing(errGone)
	if want := (offline.Report{Store: "the store", Error: "no answer", Kept: 1}); missing.Report != want {
		t.Errorf("%+v, want %+v", missing.Report, want)
	}
	if text := missing.Error(); !strings.Contains(text, "cannot be reached: no answer") || !errors.Is(missing, offline.ErrAway) || !errors.Is(missing, errGone) || !s.Lacks(missing) {
		t.Errorf("%v", missing)
	}
}
