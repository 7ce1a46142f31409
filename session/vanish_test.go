package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
)

// vanishing is a store in which somebody else makes a log and takes it away, between
// one opening of it and the next.
type vanishing struct {
	storage.Store
	before func(name string, mode storage.Mode) error
}

func (v vanishing) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	if err := v.before(name, mode); err != nil {
		return nil, err
	}
	return v.Store.Open(ctx, name, mode)
}

// put writes a log of some lines.
func put(t *testing.T, store storage.Store, name string, lines ...string) {
	t.Helper()
	log, err := store.Open(t.Context(), name, storage.Create)
	if err != nil {
		t.Fatal(err)
	}
	var raw [][]byte
	for _, line := range lines {
		raw = append(raw, []byte(line))
	}
	_, err = log.Append(t.Context(), storage.Mark{}, raw)
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestLogVanishes: a log that was there when a session was begun, and is not, or is
// another, when it is opened to go on with, is no session that takes entries.
func TestLogVanishes(t *testing.T) {
	const path = "/w/s.jsonl"
	other := "" // what somebody else put in the place of a log
	tests := map[string]struct {
		there  []string // the lines at path, nil for no log
		begin  func(o session.Options) (*session.Session, error)
		before func(store storage.Store, opened int, name string, mode storage.Mode) error
		is     error
	}{
		"made by another": {
			before: func(_ storage.Store, _ int, _ string, mode storage.Mode) error {
				if mode == storage.Create {
					return storage.ErrExist
				}
				return nil
			},
			is: session.ErrNotFound,
		},
		"no session made by another": {
			before: func(store storage.Store, _ int, name string, mode storage.Mode) error {
				if mode == storage.Create {
					put(t, store, name, "notes")
					return storage.ErrExist
				}
				return nil
			},
			is: storage.ErrExist,
		},
		"filled": {
			there: []string{""},
			before: func(store storage.Store, opened int, name string, _ storage.Mode) error {
				if opened == 3 {
					return store.Remove(context.Background(), name)
				}
				return nil
			},
			is: session.ErrNotFound,
		},
		"forked": {
			there: []string{headerLine, userLine, answerLine},
			begin: func(o session.Options) (*session.Session, error) {
				return session.ForkFrom(context.Background(), path, "/v", o)
			},
			before: func(store storage.Store, _ int, name string, mode storage.Mode) error {
				if name != path && mode == storage.Write {
					return store.Remove(context.Background(), name)
				}
				return nil
			},
			is: session.ErrNotFound,
		},
		"forked over": {
			there: []string{headerLine, userLine, answerLine},
			begin: func(o session.Options) (*session.Session, error) {
				return session.ForkFrom(context.Background(), path, "/v", o)
			},
			before: func(store storage.Store, _ int, name string, mode storage.Mode) error {
				if name == path || mode != storage.Write {
					return nil
				}
				if err := store.Remove(context.Background(), name); err != nil {
					return err
				}
				put(t, store, name, "notes")
				other = name
				return nil
			},
			is: storage.ErrExist,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := memory.New(memory.Options{})
			if test.there != nil {
				put(t, store, path, test.there...)
			}
			other = ""
			opened := 0
			o := session.Options{Env: env(t.TempDir()), FirstWrite: session.Immediately, Store: vanishing{store, func(name string, mode storage.Mode) error {
				opened++
				return test.before(store, opened, name, mode)
			}}}
			begin := test.begin
			if begin == nil {
				begin = func(o session.Options) (*session.Session, error) { return session.Open(t.Context(), path, o) }
			}
			s, err := begin(o)
			if !errors.Is(err, test.is) {
				t.Errorf("begun: %v, want %v", err, test.is)
			}
			if _, err := store.Stat(t.Context(), other); other != "" && err != nil {
				t.Errorf("what somebody else put there: %v", err)
			}
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("more than a line: %q", err)
				}
				return
			}
			defer s.Close()
			if id, err := s.Append(t.Context(), user("one")); err == nil {
				t.Errorf("appended %q to nothing", id)
			}
		})
	}
}
