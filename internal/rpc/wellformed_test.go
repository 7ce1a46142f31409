package rpc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// TestAnswersAreJSONWhateverLiesOnDisk calls everything that reads on sessions that are
// torn, glued, full of bytes that are no text, and overwritten under an open handle.
// The client of these tests takes nothing that is not JSON.
func TestAnswersAreJSONWhateverLiesOnDisk(t *testing.T) {
	c := start(t)
	dir := ".cambium/agent/sessions/--w-one--"
	spoil := map[string]func(string) string{
		"whole":   func(s string) string { return s },
		"torn":    func(s string) string { return s[:len(s)*2/3] },
		"zeros":   func(s string) string { return strings.Replace(s, `"title":"First"`, `"title":"Fi`+"\x00\x00"+`st"`, 1) },
		"bytes":   func(s string) string { return strings.ReplaceAll(s, "one", "o\xff\xfe\"e\xc3\x28") },
		"cwd":     func(s string) string { return strings.Replace(s, `"/w/one"`, `"/w/\ud800 one"`, 1) },
		"id":      func(s string) string { return strings.ReplaceAll(s, `"u1"`, `"\u0000\ud83d"`) },
		"glued":   func(s string) string { return strings.ReplaceAll(s, "}\n{", "}{") },
		"nothing": func(string) string { return strings.Repeat("\x00", 4096) },
		"array":   func(s string) string { return "[" + strings.ReplaceAll(strings.TrimSpace(s), "}\n{", "},{") + "]" },
	}
	paths := map[string]string{}
	n := 0
	for name, spoiled := range spoil {
		n++
		paths[name] = c.write(filepath.Join(dir, fmt.Sprintf("2026-02-16T10-20-30-000Z_0badc0de0000000%d.jsonl", n)), spoiled(sample))
	}
	for _, call := range []string{"listAll", "listDrafts", "doctor", "listOperations"} {
		c.try(call, `{}`)
	}
	c.try("search", `{"query":"re:.","limit":1000,"perSession":0}`)
	c.try("list", `{"cwd":"/w/one"}`)
	c.try("getRecentSessions", `{"sessionDir":`+quoted(filepath.Join(c.home, dir))+`,"limit":20}`)
	c.try("resolve", `{"session":"0badc0de"}`)
	for name, path := range paths {
		for _, call := range []string{"peekSessionInit", "doctor"} {
			c.try(call, `{"path":`+quoted(path)+`}`)
		}
		c.try("resolve", `{"session":`+quoted(path)+`}`)
		opened, fault := c.try("open", `{"readOnly":true,"path":`+quoted(path)+`}`)
		if fault != nil {
			continue
		}
		handle, _ := jsonedit.Get(opened, "handle")
		c.readsAll(string(handle))
		// Saved in place, and longer: what was known is not there any more.
		other := spoil["bytes"](strings.Repeat("x", 7) + sample + sample)
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(name, err)
		}
		c.readsAll(string(handle))
	}
}

// readsAll calls every method that reads from an open session.
func (c *client) readsAll(handle string) {
	c.t.Helper()
	for _, call := range [][2]string{
		{"getHeader", ""}, {"getEntries", ""}, {"getTree", ""}, {"getTree", `"flat":true`}, {"getBranch", ""}, {"getLeafEntry", ""},
		{"getEntry", `"id":"a3"`}, {"getChildren", `"parentId":null`}, {"getLabel", `"id":"a1"`}, {"getSessionName", ""}, {"getUsageStatistics", ""},
		{"buildSessionContext", ""}, {"buildSessionContext", `"llm":true`}, {"buildSessionContext", `"transcript":true`}, {"buildSessionContext", `"since":"x"`},
		{"buildContextEntries", ""}, {"prepareCompaction", `"keepRecentTokens":0`}, {"getArtifacts", ""}, {"getAdditionalDirectories", ""},
	} {
		c.try(call[0], onHandle(handle, call[1]))
	}
}
