package journal_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
)

// A mute store loses the answer to some appends, as a network does.
type mute struct {
	storage.Store
	lose int // how many answers are lost yet
}

var errMute = errors.New("no answer")

func (m *mute) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	log, err := m.Store.Open(ctx, name, mode)
	return &muteLog{log, m}, err
}

type muteLog struct {
	storage.Log
	store *mute
}

func (l *muteLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	mark, err := l.Log.Append(ctx, after, lines)
	if err == nil && len(lines) > 0 && l.store.lose > 0 {
		l.store.lose--
		return after, errMute
	}
	return mark, err
}

// TestAnswerLost: an entry whose append took place unheard is not written
// again, whoever looks first and whatever is written between.
func TestAnswerLost(t *testing.T) {
	for _, refresh := range []bool{false, true} {
		store := &mute{Store: storagetest.NewRows()}
		opt := journal.Options{Store: store, Name: "/d/s.jsonl", Write: true}
		h, _ := entry.ParseHeader([]byte(header))
		saved := 0
		opt.OnEvent = func(e journal.Event) {
			if e.Kind == journal.Saved {
				saved++
			}
		}
		j, err := journal.Create(t.Context(), opt, h, nil)
		if err != nil {
			t.Fatal(err)
		}
		store.lose = 2
		for _, id := range []string{"a", "b"} {
			if _, err := j.Append(t.Context(), []byte(user(id, "", "text of "+id)), true); !errors.Is(err, errMute) {
				t.Fatalf("append %s: %v", id, err)
			}
		}
		if refresh {
			if _, err := j.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := j.Append(t.Context(), []byte(user("c", "b", "text of c")), true); err != nil {
			t.Fatal(err)
		}
		if n := j.Queued(); n != 0 || saved == 0 {
			t.Errorf("%d entries wait; said %d times that all is saved", n, saved)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		read, err := journal.Open(t.Context(), journal.Options{Store: store, Name: opt.Name})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for i := range read.List().Len() {
			id, _ := read.List().ID(i)
			ids = append(ids, string(id))
		}
		if len(ids) != 3 || ids[0] != "a" || ids[1] != "b" || ids[2] != "c" {
			t.Errorf("refresh %v: the log holds %q, want a, b, c once each", refresh, ids)
		}
		if err := read.Close(); err != nil {
			t.Error(err)
		}
	}
}
