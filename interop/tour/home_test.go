//go:build peers

package tour_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/interop/tour"
)

// TestMain lets a shell run this binary as the command, at the time of the tour.
func TestMain(m *testing.M) {
	os.Exit(tuitest.Main(m, func() int {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		now := clock() // the rest of the environment is the command's
		dir, err := os.Getwd()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return cli.Run(ctx, os.Args[1:], cli.System{
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: dir,
			Now: now, Random: rand.Reader,
		})
	}))
}

// A house is a home with a store, and with cambium, pi and omp on the PATH.
type house struct {
	*tour.Store
	bin  string
	more []string // in the environment of programs
}

// newHouse builds the store in a directory, which is empty.
func newHouse(t *testing.T, top string) *house {
	t.Helper()
	h := &house{bin: filepath.Join(top, ".bin")}
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	if h.Store, err = tour.Build(t.Context(), top); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{"cambium": fmt.Sprintf("CAMBIUM_TUITEST_COMMAND=1 exec '%s'", self)}
	scripts["fd"], scripts["rg"] = "echo 1.0; exit", "echo 1.0; exit" // pi would like to have them
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		scripts[string(p)] = fmt.Sprintf("exec '%s' '%s'", p.Runtime(root), filepath.Join(root, "interop", string(p), "node_modules/.bin", string(p)))
	}
	write(t, filepath.Join(top, ".pi/agent/models.json"), `{"providers":{"local":{"baseUrl":"http://127.0.0.1:9/v1","apiKey":"none","api":"openai-completions",
		"models":[{"id":"oak-large","contextWindow":128000,"maxTokens":8192}]}}}`)
	write(t, filepath.Join(top, ".omp/agent/config.yml"), "startup:\n  checkUpdate: false\n")
	for name, run := range scripts {
		write(t, filepath.Join(h.bin, name), "#!/bin/sh\n"+run+` "$@"`+"\n")
	}
	return h
}

// env is the environment of programs in the house, and more.
func (h *house) env(more ...string) []string {
	return slices.Concat([]string{
		"PATH=" + h.bin + ":/usr/bin:/bin", "LANG=C.UTF-8", "PI_OFFLINE=1", "BUN_RUNTIME_TRANSPILER_CACHE_PATH=0",
	}, h.more, more)
}

// A ran is what a command line without a terminal left.
type ran struct {
	out, err string
	code     int
}

// run runs cambium in a directory below the home, without a terminal.
func (h *house) run(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return h.runWith(t, nil, dir, args...)
}

// runWith is run with more variables in the environment.
func (h *house) runWith(t *testing.T, env []string, dir string, args ...string) ran {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(h.bin, "cambium"), args...)
	cmd.Dir, cmd.Env = filepath.Join(h.Home, dir), append(h.env("HOME="+h.Home, "TZ=UTC"), env...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// ofClaude adds a session of Claude Code in the bakery to a house.
func ofClaude(t *testing.T, top string) {
	t.Helper()
	bakery := filepath.Join(top, "bakery")
	folder := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(bakery, "-")
	const id = "5b2c8a52-7d1e-4c3f-9a60-2f4be1d07c11"
	line := func(uuid, parent, when, more string) string {
		if parent = fmt.Sprintf("%q", parent); parent == `""` {
			parent = "null"
		}
		return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"uuid":%q,"timestamp":%q,"userType":"external","entrypoint":"cli","cwd":%q,"sessionId":%q,"version":"2.1.330",%s}`+"\n", parent, uuid, when, bakery, id, more)
	}
	answer := func(name, stop, block string) string {
		return fmt.Sprintf(`"type":"assistant","message":{"id":%q,"type":"message","role":"assistant","model":"claude-sonnet-5","content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":{"input_tokens":1900,"output_tokens":60,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}`, name, block, stop)
	}
	const day = "2026-11-19T05:1"
	text := line("b1", "", day+"0:00.000Z", `"type":"user","message":{"role":"user","content":"When do I feed the starter?"}`) +
		line("b2", "b1", day+"0:04.000Z", answer("msg_b2", "tool_use", `{"type":"text","text":"I look it up."},{"type":"tool_use","id":"toolu_b2","name":"Read","input":{"file_path":"starter.md"}}`)) +
		line("b3", "b2", day+"0:05.000Z", `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_b2","content":"rye, 50 g, 26 °C"}]}`) +
		line("b4", "b3", day+"0:09.000Z", answer("msg_b4", "end_turn", `{"type":"text","text":"Twice a day in summer. In winter, once."}`)) +
		fmt.Sprintf(`{"type":"custom-title","customTitle":"feed the starter","sessionId":%q}`+"\n", id)
	write(t, filepath.Join(top, ".claude", "projects", folder, id+".jsonl"), text)
}
