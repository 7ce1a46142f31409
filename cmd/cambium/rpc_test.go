package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// server starts the command rpc in a home of its own.
func server(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser, dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd = exec.Command("cambium", "rpc")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, out, dir
}

func openSession(t *testing.T, in io.Writer, out io.Reader, path string) {
	t.Helper()
	say(t, in, `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":`+strconv.Quote(path)+`}}`)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"handle":"1"`) {
		t.Fatalf("opened %q, %v", line, err)
	}
}

func say(t *testing.T, in io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

const appendCall = `{"jsonrpc":"2.0","id":2,"method":"appendCustomEntry","params":{"handle":"1","customType":"last words"}}`

// A client that dies takes nothing with it: the server notices at its next
// answer and saves what it has.
func TestRPCClientGone(t *testing.T) {
	cmd, in, out, dir := server(t)
	path := filepath.Join(dir, "s.jsonl")
	openSession(t, in, out, path)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, in, appendCall)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "last words") {
		t.Errorf("session is %q, %v", data, err)
	}
}

// An interrupted server saves what it has and ends with 130.
func TestRPCInterrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, in, out, dir := server(t)
		path := filepath.Join(dir, "s.jsonl")
		openSession(t, in, out, path)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, out) // to its end, so that Wait can be called
		_ = cmd.Wait()                  // the exit code says it
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%v: exit code %d", signal, code)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v: %v", signal, err)
		}
	}
}
