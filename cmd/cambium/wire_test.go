package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/rogpeppe/go-internal/testscript"
)

// wire FILE: serve the replies of a script as model providers would until the
// test script ends, and write settings by which they are asked: provider claude
// with the model test, provider chat with test (the default) and provider
// responses with test. A model that is asked again is asked at once. What was
// asked is in the file FILE.log, a request a line.
func wire(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wire FILE")
	}
	script, err := wiretest.ParseScript([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	log := &logFile{path: ts.MkAbs(args[0]) + ".log"}
	script.Log = log
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- wiretest.Serve(ctx, l, script) }()
	ts.Defer(func() {
		stop()
		ts.Check(<-served)
	})
	settings(ts, "http://"+l.Addr().String())
}

// settings writes settings with providers at an address.
func settings(ts *testscript.TestScript, url string) {
	window := ts.Getenv("WINDOW")
	if window == "" {
		window = "100000"
	}
	ts.Check(writeSettings(ts.Getenv("HOME"), url, window, ts.Getenv("SETTINGS")))
}

// writeSettings writes settings; more are further members, "" for none.
func writeSettings(home, url, window, more string) error {
	const model = `[{"id":"test","contextWindow":%[2]s,"maxTokens":4000,"thinkingLevels":["off","high"],"images":true,` +
		`"price":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}]`
	text := fmt.Sprintf(`{"model":"chat/test","retry":{"maxTries":3,"baseDelayMs":0,"maxDelayMs":0},"providers":{`+
		`"chat":{"api":"openai-completions","baseUrl":"%[1]s/v1","keyEnv":"","models":`+model+`},`+
		`"responses":{"api":"openai-responses","baseUrl":"%[1]s/v1","keyEnv":"","models":`+model+`},`+
		`"claude":{"api":"anthropic-messages","baseUrl":"%[1]s","keyEnv":"TEST_KEY","models":`+model+`}},%[3]s}`,
		url, window, cmp.Or(more, `"hooks":{}`))
	path := filepath.Join(home, ".config", "cambium", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// unreachable: write settings like those of wire whose providers nobody is.
func unreachable(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(l.Close()) // nobody listens there any more
	settings(ts, "http://"+l.Addr().String())
}

// A logFile is a file to which requests are added.
type logFile struct {
	mu   sync.Mutex
	path string
	all  bytes.Buffer // guarded by mu
}

func (f *logFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all.Write(line)
	return len(line), os.WriteFile(f.path, f.all.Bytes(), 0o666)
}
