// Command share measures what sessions cost in the stores that machines share, on
// servers of its own on the loopback, and prints one table.
//
// Usage: share [-only TEXT] [-gate] [-write FILE]
//
// It runs the benchmarks of storage/postgres, storage/jetstream and unite and
// compares their figures. With -write the table goes between the marks of a file
// too, with the date, the versions and the machine. With -gate the exit status is 1
// when something wanted does not hold.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
)

// options are what the command line says.
type options struct {
	only, write string
	gate        bool
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "run the benchmarks whose package contains this only; nothing is written then")
	flag.BoolVar(&o.gate, "gate", false, "fail when something wanted does not hold")
	flag.StringVar(&o.write, "write", "", "write the table between the marks of this file too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		os.Exit(1)
	}
}

// A suite is one run of go test.
type suite struct {
	pack, bench, time string
}

// suites are all that are run. What is quick is measured for a time, what moves
// much a few times.
func suites() []suite {
	return []suite{
		{"./storage/postgres", "^Benchmark(Append|OneText|AppendAtOnce|List)$", "1s"},
		{"./storage/postgres", "^BenchmarkRead$/^(session|raw)$", "3x"},
		{"./storage/jetstream", "^Benchmark(Append|AppendAtOnce)$/^(R1|R3)$", "1s"},
		{"./storage/jetstream", "^BenchmarkOpen$/^R1$", "3x"},
		{"./storage/jetstream", "^BenchmarkList$", "5x"},
		{"./reconcile", "^BenchmarkSyncStore$/^(postgres|jetstream)$/^(first|second)$", "1x"},
	}
}

// run measures everything and prints it.
func run(ctx context.Context, o options) error {
	if flag.NArg() > 0 {
		return errors.New("usage: share [-only TEXT] [-gate] [-write FILE]")
	}
	root, err := peers.Root()
	if err != nil {
		return err
	}
	began := time.Now()
	found := figures{}
	for _, s := range suites() {
		if !strings.Contains(s.pack, o.only) {
			continue
		}
		out, err := s.run(ctx, root)
		if err != nil {
			return err
		}
		found.read(strings.TrimPrefix(s.pack, "./"), out)
	}
	rows, held := found.rows()
	text := table(rows) + "\n" + about(ctx, time.Since(began))
	fmt.Print("\n", text)
	if o.write != "" && o.only == "" {
		if err := put(o.write, text); err != nil {
			return err
		}
	}
	if o.gate && !held {
		return errors.New("something wanted does not hold")
	}
	return nil
}

// run runs the benchmarks, shows what they print and returns it.
func (s suite) run(ctx context.Context, root string) (string, error) {
	args := []string{"test", "-count=1", "-tags=share", "-timeout=10m", "-run=^$", "-bench=" + s.bench, "-benchtime=" + s.time, s.pack}
	fmt.Println("go", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stdout), os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("measure %s: %w", s.pack, err)
	}
	return out.String(), nil
}

// about says when, where and with what it was measured.
func about(ctx context.Context, took time.Duration) string {
	version := func(name string, args ...string) string {
		out, err := exec.CommandContext(ctx, name, args...).Output()
		if err != nil {
			return name
		}
		return strings.TrimSpace(string(out))
	}
	server := version("sh", "-c", "$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1 || command -v postgres) --version")
	nats := version("sh", "-c", `sed -n 's/.*nats-server\/v2 \(v[0-9.]*\).*/\1/p' .ci/nats/go.mod | head -1`)
	return fmt.Sprintf("Measured on %s in %s: %s, nats-server %s, %s; %s, %d CPUs, %s.\n",
		time.Now().UTC().Format(time.DateOnly), took.Round(time.Second), server, nats, runtime.Version(),
		field("/proc/cpuinfo", "model name"), runtime.NumCPU(), field("/proc/meminfo", "MemTotal"))
}

// field returns what a file of the system says under a name.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "?"
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}

// The marks between which the table stands.
const (
	markBegin = "<!-- make bench-share: from here -->\n"
	markEnd   = "<!-- make bench-share: to here -->\n"
)

// put writes the table between the marks of a file.
func put(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(data), markBegin)
	_, tail, also := strings.Cut(rest, markEnd)
	if !ok || !also {
		return fmt.Errorf("write %q: it has no place for the table", path)
	}
	return os.WriteFile(path, []byte(head+markBegin+"\n"+text+"\n"+markEnd+tail), 0o644)
}
