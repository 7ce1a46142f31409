package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkingDirectories: a session that is begun where none was has the working
// directory of the handle, or that which was given, not that of the server.
func TestWorkingDirectories(t *testing.T) {
	c := start(t)
	made := unquoted(c.on(c.open("open", `{"path":`+quoted(filepath.Join(c.home, "new.jsonl"))+`,"cwd":"/given"}`), "getCwd", ""))
	if made != "/given" {
		t.Errorf("a session that is begun is of %q", made)
	}
	bare := c.write("bare.jsonl", `{"type":"session","version":3,"id":"bare","timestamp":"2026-02-16T10:20:30.000Z"}`+"\n")
	if got := unquoted(c.on(c.open("open", `{"path":`+quoted(bare)+`,"cwd":"/given"}`), "getCwd", "")); got != "/given" {
		t.Errorf("a session that does not say is of %q", got)
	}
	for _, path := range []string{filepath.Join(c.home, "missing.jsonl"), bare} {
		handle := c.open("create", `{"cwd":"/own"}`)
		c.on(handle, "setSessionFile", `"path":`+quoted(path))
		if got := unquoted(c.on(handle, "getCwd", "")); got != "/own" {
			t.Errorf("%s: the handle of /own is of %q", filepath.Base(path), got)
		}
	}
}

// TestEmptyID: an id that is given has to be one.
func TestEmptyID(t *testing.T) {
	c := start(t)
	if _, fault := c.try("create", `{"cwd":"/w","id":""}`); !strings.Contains(string(fault), "Session id must be non-empty") {
		t.Errorf("create with an empty id: %s", fault)
	}
}

// TestUnlinkedBeforeClose: what was appended is in a file again when the handle is
// flushed, or closed, after somebody removed it.
func TestUnlinkedBeforeClose(t *testing.T) {
	for _, method := range []string{"flush", "close"} {
		c := start(t)
		path := c.write("a/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", sample)
		handle := c.open("open", `{"path":`+quoted(path)+`}`)
		c.on(handle, "appendMessage", `"message":{"role":"user","content":"kept","timestamp":1}`)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		c.on(handle, method, "")
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"kept"`) || !strings.Contains(string(data), `"a3"`) {
			t.Errorf("%s: %v, %d bytes", method, err, len(data))
		}
	}
}
