//go:build share

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
)

// TestShareServe: a program without the store has its sessions in it, by a server
// on a machine that has.
func TestShareServe(t *testing.T) { eachStore(t, testShareServe) }

func testShareServe(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	token := strings.TrimSpace(one.run(t, "", 0, "serve", "token", "add", "t", "--scope", "write"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, out := io.Pipe()
	var problems bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(ctx, []string{"serve", "--listen", "127.0.0.1:0"}, cli.System{
			Stdin: strings.NewReader(""), Stdout: out, Stderr: &problems, Env: one.env, Dir: work, Now: time.Now, Random: rand.Reader,
		})
		_ = out.Close()
	}()
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("serve: %v: %s", err, problems.String())
	}
	address = strings.TrimSpace(address)
	session := ""
	call := func(method, params string) string {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
		req, err := http.NewRequestWithContext(t.Context(), "POST", address+"/rpc", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Cambium-Session", session)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if id := resp.Header.Get("Cambium-Session"); id != "" {
			session = id
		}
		return string(answer)
	}
	call("create", `{"cwd":"/w","id":"0123456789abcdef"}`)
	if got := call("getSessionFile", `{"handle":"1"}`); !strings.Contains(got, `"/.cambium/agent/sessions/`) {
		t.Errorf("it is at %s", got)
	}
	call("appendMessage", `{"handle":"1","message":{"role":"user","content":"said by wire"}}`)
	// It is there at once, for others too, and they may go on with it.
	if got := two.run(t, "", 0, "entries", "0123456789abcdef"); !strings.Contains(got, "said by wire") {
		t.Errorf("entries %s", got)
	}
	if got := call("listAll", `{}`); !strings.Contains(got, "said by wire") {
		t.Errorf("listed %s", got)
	}
	line := `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"0123456789abcdef","readOnly":true}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"getEntries","params":{"handle":"1"}}` + "\n"
	if got := two.run(t, line, 0, "rpc"); !strings.Contains(got, "said by wire") {
		t.Errorf("rpc: %s", got)
	}
	for _, path := range []string{"/x.jsonl", "/.cambium/agent/x.jsonl", "/.cambium/agent/sessions/../x.jsonl", "/etc/passwd"} {
		if got := call("open", `{"path":"`+path+`"}`); !strings.Contains(got, "-32008") {
			t.Errorf("open %s: %s", path, got)
		}
	}
	resp, err := http.Get(address + "/readyz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("ready: %v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	call("appendMessage", `{"handle":"1","message":{"role":"assistant","content":[]}}`)
	stop()
	if code := <-done; code != 0 {
		t.Errorf("serve ended with %d: %s", code, problems.String())
	}
	if got := two.run(t, "", 0, "entries", "0123456789abcdef", "--raw"); strings.Count(got, "\n") != 3 {
		t.Errorf("entries %s", got)
	}
}
