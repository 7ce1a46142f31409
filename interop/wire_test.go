//go:build peers

package interop_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/go-json-experiment/json/jsontext"
)

// A line is a connection to a server in this process.
type line struct {
	t    *testing.T
	conn *rpc.Conn
}

func connect(t *testing.T, home string, name dialect.Name) *line {
	t.Helper()
	o := rpc.Options{Env: layout.Env{Home: home, TempDir: "/nowhere/tmp", Cwd: home, Getenv: func(string) string { return "" }}, Agent: name, Poll: -1}
	conn := rpc.Connect(t.Context(), o, func(...entry.JSON) {})
	t.Cleanup(func() {
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return &line{t, conn}
}

// call calls a method of the server.
func (l *line) call(method string, params map[string]any) (jsontext.Value, error) {
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	answer, err := l.conn.Do(l.t.Context(), message)
	if err != nil {
		return nil, err
	}
	result, ok := jsonedit.Get(answer, "result")
	if !ok {
		return nil, fmt.Errorf("%s: %s", method, answer)
	}
	return result, nil
}

// TestWireSaysWhatTheProgramsSay: what only the wire offers is what the programs' own
// functions give, on random sessions and for every leaf: transcripts and sums of omp,
// the entries of contexts and the trees of pi.
func TestWireSaysWhatTheProgramsSay(t *testing.T) {
	for p, name := range programs() {
		t.Run(string(p), func(t *testing.T) {
			d := start(t, p)
			dir := t.TempDir()
			l := connect(t, dir, name)
			compared := 0
			for seed := range uint64(sessions) {
				s := sessiongen.Random(rand.New(rand.NewPCG(seed, 31)), sessiongen.Options{Dialect: sessiongen.Dialect(name), Clean: true})
				path := filepath.Join(dir, fmt.Sprint(seed, ".jsonl"))
				if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := d.Call("open", path); err != nil {
					t.Fatal(err)
				}
				n, err := l.agrees(d, name, path, s.Leaves)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if compared += n; t.Failed() {
					return
				}
			}
			t.Logf("%d answers compared", compared)
		})
	}
}

// agrees compares what both say of one session, and counts the answers.
func (l *line) agrees(d *peers.Driver, name dialect.Name, path string, leaves []string) (n int, err error) {
	opened, err := l.call("open", map[string]any{"path": path, "readOnly": true})
	if err != nil {
		return 0, err
	}
	handle, _ := jsonedit.Text(opened, "handle")
	on := func(more map[string]any) map[string]any {
		all := map[string]any{"handle": handle}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	same := func(method string, params map[string]any, part, theirs string, args ...any) {
		if err != nil {
			return
		}
		n++
		var got, want jsontext.Value
		if want, err = d.Call(theirs, args...); err != nil {
			return
		}
		if got, err = l.call(method, on(params)); err != nil {
			return
		}
		if part != "" {
			got, _ = jsonedit.Get(got, part)
			want, _ = jsonedit.Get(want, part)
		}
		if err = peers.Compare(want, got); err != nil {
			err = fmt.Errorf("%s %v: %w\n got %s\nwant %s", method, params, err, got, want)
		}
	}
	for _, leaf := range leaves {
		if name == dialect.Pi {
			entries, failed := l.call("buildContextEntries", on(map[string]any{"leafId": leaf}))
			want, missing := d.Call("contextEntriesAt", leaf)
			if failed != nil || missing != nil {
				return n, fmt.Errorf("%v, %v", failed, missing)
			}
			var ids jsonedit.Array
			for e := range jsonedit.Elements(entries) {
				id, _ := jsonedit.Get(e, "id")
				ids.Add(id)
			}
			if err := peers.Compare(want, ids.Value()); err != nil {
				return n, fmt.Errorf("buildContextEntries %s: %w", leaf, err)
			}
			n++
			continue
		}
		for _, o := range []map[string]any{
			{}, {"keepDanglingToolCalls": true}, {"collapseCompactedHistory": true}, {"collapseCompactedHistory": true, "keepDanglingToolCalls": true},
		} {
			params := map[string]any{"leafId": leaf, "transcript": true}
			for k, v := range o {
				params[k] = v
			}
			same("buildSessionContext", params, "messages", "transcriptAt", leaf, o)
			same("buildSessionContext", params, "cacheMissExplainedAt", "transcriptAt", leaf, o)
		}
	}
	if name == dialect.Pi {
		same("getTree", nil, "", "treeEntries")
	} else {
		same("getUsageStatistics", nil, "", "usageStatistics")
	}
	if err == nil {
		_, err = l.call("close", on(nil))
	}
	return n, err
}
