package rpc_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// TestReadWhileWaiting: another process holds the lock of a session. A call that
// writes waits for it; a call that reads, sent behind it on the same handle, is
// answered first, and sees what was appended. When the lock is free all is done.
func TestReadWhileWaiting(t *testing.T) {
	for _, call := range []string{
		`appendMessage "message":{"role":"user","content":"new","timestamp":1}`,
		`appendLabelChange "targetId":"00000001","label":"good"`,
		`appendSessionInfo "name":"new"`,
		`setSessionName "name":"new"`,
		`branchWithSummary "id":"00000001","summary":"gone"`,
		`rewriteEntries "entries":[{"type":"message","id":"00000001","parentId":"00000000","timestamp":"2026-02-16T10:21:00.000Z","message":{"role":"user","content":"new","timestamp":1}}]`,
		`moveTo "cwd":"/w/two"`,
		`fork `,
		`newSession `,
		`setSessionFile "path":"HOME/three.jsonl"`,
		`createBranchedSession "leafId":"00000001"`,
		`flush `,
		`close `,
	} {
		method, params, _ := strings.Cut(call, " ")
		t.Run(method, func(t *testing.T) {
			c := start(t)
			path := c.write("a/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", conversation(3))
			handle := c.open("open", `{"path":`+quoted(path)+`}`)
			f, err := vfs.OS().Open(path, os.O_RDWR)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := f.Lock(t.Context()); err != nil {
				t.Fatal(err)
			}
			if params != "" {
				params = "," + strings.ReplaceAll(params, "HOME", c.home)
			}
			first := "{}"
			if !strings.HasPrefix(method, "append") { // there is something to flush
				first = c.request("appendMessage", `{"handle":`+handle+`,"message":{"role":"user","content":"waits","timestamp":1}}`)
			}
			write := c.request(method, `{"handle":`+handle+params+`}`)
			read := c.request("getEntries", `{"handle":`+handle+`}`)
			m := c.answer()
			id, _ := jsonedit.Get(m, "id")
			entries, ok := jsonedit.Get(m, "result")
			if string(id) != read || !ok {
				t.Fatalf("%s is answered first: %.300s", id, m)
			}
			n := 0
			for range jsonedit.Elements(entries) {
				n++
			}
			if want := 4; strings.HasPrefix(method, "append") && n != want {
				t.Errorf("%d entries are seen, want %d", n, want)
			}
			if err := f.Unlock(); err != nil {
				t.Fatal(err)
			}
			waiting := map[string]bool{write: true, first: first != "{}"}
			for waiting[write] || waiting[first] {
				m := c.answer()
				if fault, bad := jsonedit.Get(m, "error"); bad {
					t.Errorf("%s: %s", method, fault)
				}
				id, _ := jsonedit.Get(m, "id")
				waiting[string(id)] = false
			}
		})
	}
}
