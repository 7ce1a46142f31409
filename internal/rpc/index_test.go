package rpc_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/rpc"
)

// kept is an index that counts what it is given, and is broken if it has an error.
type kept struct {
	mu    sync.Mutex
	paths []string
	err   error
}

func (k *kept) Known(context.Context) iter.Seq2[catalog.Record, error] {
	return func(yield func(catalog.Record, error) bool) {
		if k.err != nil {
			yield(catalog.Record{}, k.err)
		}
	}
}

func (k *kept) Keep(_ context.Context, records []catalog.Record, _ []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range records {
		k.paths = append(k.paths, filepath.Base(r.Path))
	}
	return k.err
}

func TestListingsUseTheIndex(t *testing.T) {
	for name, broken := range map[string]error{"whole": nil, "broken": errors.New("broken")} {
		t.Run(name, func(t *testing.T) {
			index := &kept{err: broken}
			l := serve(t, rpc.Options{Index: index})
			path := filepath.Join(l.home, ".pi/agent/sessions/--w--/1_s.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			session := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n" +
				`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"found","timestamp":1}}` + "\n"
			if err := os.WriteFile(path, []byte(session), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
			if got := l.call("listAll", `{}`); !strings.Contains(string(got), `"allMessagesText":"found"`) {
				t.Errorf("listAll: %s", got)
			}
			l.stop()
			<-l.serve
			if got := strings.Join(index.paths, " "); broken == nil && got != "1_s.jsonl" {
				t.Errorf("the index was given %q", got)
			}
		})
	}
}
