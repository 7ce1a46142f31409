package cli_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/scratch"
)

// A machine is what the command of a test runs on.
type machine struct {
	home, dir string
	env       []string
	stdin     string
	heeds     bool // the modes of files count, for root too
}

// newMachine returns a machine with an empty home and working directory.
func newMachine(t *testing.T) *machine {
	t.Helper()
	root := scratch.OwnDir(t)
	m := &machine{home: filepath.Join(root, "home"), dir: filepath.Join(root, "work")}
	for _, dir := range []string{m.home, m.dir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What the index keeps is no part of the home.
	m.env = []string{"HOME=" + m.home, "COLUMNS=80", "LINES=24", "CAMBIUM_CACHE_DIR=" + scratch.OwnDir(t)}
	return m
}

// run runs a command line and returns what it wrote and its exit code.
func (m *machine) run(args ...string) (stdout, stderr string, code int) {
	return m.runIn(context.Background(), args...)
}

// runIn is run in a context.
func (m *machine) runIn(ctx context.Context, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	if m.heeds {
		code = m.heed(args, &out, &errs)
		return out.String(), errs.String(), code
	}
	code = cli.Run(ctx, args, cli.System{
		Stdin: strings.NewReader(m.stdin), Stdout: &out, Stderr: &errs, Env: m.env, Dir: m.dir,
		Now:    func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
		Random: rand.NewChaCha8([32]byte{1}),
	})
	return out.String(), errs.String(), code
}

// put copies a session of testdata to a place and sets its time.
func (m *machine) put(t *testing.T, name, path string, modified time.Time) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "sessions", name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, data)
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A command of one's own is no answer, so its session is a draft; --continue goes on
// with that, and the model will see all of them.
func TestRunContinuesOwnCommands(t *testing.T) {
	for _, agent := range []string{"cambium", "pi", "omp", "xcsh"} {
		t.Run(agent, func(t *testing.T) { continuesOwnCommands(t, agent) })
	}
}

func continuesOwnCommands(t *testing.T, agent string) {
	m := newMachine(t)
	for _, args := range [][]string{{"--shell", "echo first"}, {"-c", "--shell", "echo second"}, {"-c", "--secret", "--shell", "echo third"}} {
		out, errs, code := m.run(append([]string{"run", "--agent", agent}, args...)...)
		if strings.Contains(errs, "open in") {
			t.Errorf("%q is said to be open elsewhere: %s", args, errs)
		}
		if code != 0 || !strings.Contains(out, strings.Fields(args[len(args)-1])[1]) {
			t.Fatalf("%q: %d, %s%s", args, code, out, errs)
		}
	}
	found, err := filepath.Glob(filepath.Join(m.home, "."+agent, "agent/sessions/*/*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("sessions %q, %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"echo first"`, `"echo second"`, `"echo third"`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	if out, errs, code := m.run("drafts"); code != 0 || strings.Contains(out, "entr") {
		t.Errorf("drafts: %d, %s%s", code, out, errs)
	}
}
