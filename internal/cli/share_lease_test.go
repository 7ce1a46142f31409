//go:build share

package cli_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
)

// A process is a command of a home that runs until its input ends.
type process struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	code chan int
	stop context.CancelFunc
}

func (h home) start(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	in, inW := io.Pipe()
	out, outW := io.Pipe()
	p := &process{in: inW, out: bufio.NewReader(out), code: make(chan int, 1), stop: stop}
	go func() {
		p.code <- cli.Run(ctx, args, cli.System{
			Stdin: in, Stdout: outW, Stderr: io.Discard, Env: h.env, Dir: h.dir, Now: time.Now, Random: io.Reader(rand.Reader),
		})
		_ = in.Close()
		_ = outW.Close()
	}()
	t.Cleanup(stop)
	return p
}

// line reads a line with a text.
func (p *process) line(t *testing.T, from *bufio.Reader, want string) {
	t.Helper()
	got, err := from.ReadString('\n')
	if err != nil || !strings.Contains(got, want) {
		t.Fatalf("read %q, %v; want %q", got, err, want)
	}
}

// TestShareLeases: who has a session open is known on the other machine, and what
// to do about it is said and done; what is appended is followed.
func TestShareLeases(t *testing.T) {
	eachStore(t, func(t *testing.T, url string) {
		work := t.TempDir()
		one, two := newHome(t, work, url), newHome(t, work, url)
		one.env = append(one.env, "USER=ada")
		const id = "0123456789abcdef"
		one.run(t, "", 0, "new", "--id", id, "--name", "held")
		one.run(t, user("begun"), 0, "append", id)
		writer := one.start(t, "append", id)
		if _, err := io.WriteString(writer.in, user("said while it is open")); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			text string
			code int
			args []string
		}{
			{"[open on ada@", 0, []string{"ls"}},
			{`"program":"cambium"`, 0, []string{"ls", "--json"}},
			{"open in cambium on ada@", 6, []string{"append", id, "--if-busy", "fail"}},
			{"open in cambium on ada@", 1, []string{"resume", id}},
			{"this is done to a fork of it", 0, []string{"append", id, "--if-busy", "fork"}},
			{"open in cambium on ada@", 0, []string{"append", id, "--if-busy", "go"}},
			{"/.cambium/agent/sessions/", 0, []string{"fork", id}},
			{"hello", 0, []string{"run", "--resume", id, "--shell", "echo hello"}},
			{": cambium on ada@", 0, []string{"store", "status"}},
			{`"leases":[{"path":"/.cambium/agent/sessions/`, 0, []string{"store", "status", "--json"}},
			{`cambium run --resume ` + id, 1, []string{"resume", id, "--if-busy", "take"}},
		} {
			if got := two.run(t, user("of two"), want.code, want.args...); !strings.Contains(got, want.text) {
				t.Errorf("cambium %q: %s, want %q", want.args, got, want.text)
			}
		}
		if got := two.run(t, "", 0, "ls"); strings.Contains(got, "[open on") {
			t.Errorf("taken and left, it is listed as %s", got)
		}

		follower := two.start(t, "follow", id, "--json", "-n", "1")
		follower.line(t, follower.out, `"type"`)
		for i := range 3 {
			if _, err := io.WriteString(writer.in, user("followed "+string(rune('a'+i)))); err != nil {
				t.Fatal(err)
			}
			follower.line(t, follower.out, "followed "+string(rune('a'+i)))
			if _, err := writer.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		follower.stop()
		if err := writer.in.Close(); err != nil {
			t.Fatal(err)
		}
		if code := <-writer.code; code != 0 {
			t.Errorf("the writer ended with %d", code)
		}
		<-follower.code
	})
}

// TestShareAway: what was read is read when the server is gone, what is written
// waits and is sent when it is back.
func TestShareAway(t *testing.T) {
	type server interface {
		Kill() error
		Start() error
	}
	run := func(t *testing.T, url string, s server) {
		work := t.TempDir()
		one, two := newHome(t, work, url), newHome(t, work, url)
		const id, other = "0123456789abcdef", "fedcba9876543210"
		one.run(t, "", 0, "new", "--id", id, "--name", "shared work")
		two.run(t, "", 0, "new", "--id", other)
		two.run(t, user("said elsewhere"), 0, "append", other)
		one.run(t, user("said before"), 0, "append", id)
		path := strings.TrimSpace(strings.Split(one.run(t, "", 0, "ls", "--null"), "\x00")[0])
		one.run(t, "", 0, "show", id)
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if got := one.run(t, "", 0, "show", id); !strings.Contains(got, "said before") || !strings.Contains(got, "was read of it here before") {
			t.Errorf("away, it shows %s", got)
		}
		if got := one.run(t, user("said away 1"), 0, "append", id); !strings.Contains(got, "waits here") {
			t.Errorf("away, append says %s", got)
		}
		one.run(t, user("said away 2"), 0, "append", id)
		if got := one.run(t, "", 0, "context", id); !strings.Contains(got, "said away 1") || !strings.Contains(got, "said away 2") {
			t.Errorf("away, the context is %s", got)
		}
		if got := one.run(t, "", 1, "store", "status", "--json"); !strings.Contains(got, `"lines":2`) || !strings.Contains(got, `"away":`) {
			t.Errorf("away, the store is %s", got)
		}
		two.run(t, "", 1, "show", strings.Replace(path, id, "nothing", 1))
		// A home that has never read anything of the store knows its address only.
		three := newHome(t, work, url)
		for _, h := range []home{three} {
			for _, args := range [][]string{{"ls"}, {"ls", "--json"}, {"search", "before"}, {"show", id}, {"doctor"}, {"resume", id, "--print"}} {
				if got := h.run(t, "", 1, args...); !strings.Contains(got, "cannot be reached") && !strings.Contains(got, "does not answer") || strings.Contains(got, "no sessions") || strings.Contains(got, "nothing is wrong") {
					t.Errorf("away, and nothing kept, %q says %s", args, got)
				}
			}
		}
		call := func(method, params string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + "}\n"
		}
		if got := one.run(t, call("list", `{"cwd":"/nowhere"}`), 0, "rpc"); !strings.Contains(got, `"code":-32010`) || !strings.Contains(got, `"away":[{"store":"`) {
			t.Errorf("away, and nothing kept, rpc answers %s", got)
		}
		if got := one.run(t, call("listAll", `{}`), 0, "rpc"); !strings.Contains(got, "said before") || !strings.Contains(got, `"away":[{"store":"`) || strings.Contains(got, `"code"`) {
			t.Errorf("away, rpc answers %s", got)
		}
		if got := one.run(t, call("session/list", `{"cwd":"/nowhere"}`), 0, "acp"); !strings.Contains(got, `"code":-32010`) {
			t.Errorf("away, and nothing kept, acp answers %s", got)
		}
		if got := one.run(t, call("session/list", `{}`), 0, "acp"); !strings.Contains(got, `"sessionId":"`+id) || !strings.Contains(got, `"_meta":{"cambium":{"away":[`) {
			t.Errorf("away, acp answers %s", got)
		}
		for _, args := range [][]string{{"ls"}, {"search", "before"}} {
			if got := one.run(t, "", 7, args...); !strings.Contains(got, "was read of it here before") && !strings.Contains(got, "cannot be reached") {
				t.Errorf("away, %q says %s", args, got)
			}
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		two.run(t, user("said on two"), 0, "append", id)
		if got := one.run(t, "", 0, "ls"); !strings.Contains(got, "the 2 lines that had waited for the store were sent") {
			t.Errorf("back, it says %s", got)
		}
		for _, h := range []home{one, two} {
			got := h.run(t, "", 0, "entries", id)
			for _, text := range []string{"said before", "said away 1", "said away 2", "said on two"} {
				if strings.Count(got, text) != 1 {
					t.Errorf("%q is not there once: %s", text, got)
				}
			}
			if got := h.run(t, "", 0, "tree", id); !strings.Contains(got, "4 entries") && !strings.Contains(got, "5 entries") {
				t.Errorf("the tree is %s", got)
			}
		}
		if got := one.run(t, "", 0, "store", "status"); strings.Contains(got, "waiting") || !strings.Contains(got, "durability") {
			t.Errorf("back, the store is %s", got)
		}
		one.run(t, "", 0, "store", "init")
		one.run(t, "", 0, "store", "upgrade")
		one.run(t, "", 0, "store", "gc")
	}
	t.Run("postgres", func(t *testing.T) {
		s := shareServer(t)
		run(t, s.URL("postgres"), s)
	})
	t.Run("nats", func(t *testing.T) {
		s := natsServer(t)
		run(t, s.URL(), s)
	})
}
