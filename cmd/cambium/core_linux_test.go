package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoCore: when the command crashes, and may leave its memory behind as a file, no key
// of its environment is in any file.
func TestNoCore(t *testing.T) {
	const key = "sk-ant-planted-key-0123456789abcdef"
	dir, err := os.MkdirTemp("/tmp", "cambium") // paths of sockets are short, that of another directory may not be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cmd := exec.Command("sh", "-c", "ulimit -S -c $(ulimit -H -c); exec cambium serve --socket s")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GOTRACEBACK=crash", "ANTHROPIC_API_KEY=" + key}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGQUIT)
	} else {
		_ = cmd.Process.Kill()
	}
	if ended := cmd.Wait(); err != nil || ended == nil {
		t.Fatalf("it said %q: %v, %v, %s", said, err, ended, &errs)
	}
	if !bytes.Contains(errs.Bytes(), []byte("goroutine")) || bytes.Contains(errs.Bytes(), []byte(key)) {
		t.Errorf("it did not crash, or told the key: %.2000s", &errs)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(key)) {
			t.Errorf("the key is in %q, %d bytes", filepath.Base(path), len(data))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
