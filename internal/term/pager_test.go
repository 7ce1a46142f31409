package term_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/cambium-dev/cambium/internal/term"
)

// TestMain lets the test binary play the pager.
func TestMain(m *testing.M) {
	switch os.Getenv("TERM_TEST_PAGER") {
	case "copy":
		fmt.Printf("[LESS=%s]", os.Getenv("LESS"))
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			os.Exit(1)
		}
		os.Exit(3) // the status must not matter
	case "quit":
		os.Exit(0)
	case "stay":
		// Reads and never ends by itself.
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	}
	os.Exit(m.Run())
}

func pagerOptions(t *testing.T, mode string) term.PagerOptions {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return term.PagerOptions{Terminal: true, Cols: 10, Rows: 5, Command: self, Env: []string{"TERM_TEST_PAGER=" + mode}}
}

func TestPager(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		change func(*term.PagerOptions)
		paged  bool
	}{
		{"short", "1\n2\n3\n4\n", nil, false},
		{"long", "1\n2\n3\n4\n5\n", nil, true},
		{"very long", strings.Repeat("line\n", 50_000), nil, true},
		{"long lines", strings.Repeat("x", 25) + "\n" + strings.Repeat("x", 15) + "\n", nil, true},
		{"long line without end", strings.Repeat("x", 41), nil, true},
		{"full line", strings.Repeat("x", 40), nil, false},
		{"styled", strings.Repeat("\x1b[1mx\x1b[22m", 40), nil, false},
		{"nothing", "", nil, false},
		{"not a terminal", strings.Repeat("line\n", 50), func(o *term.PagerOptions) { o.Terminal = false }, false},
		{"cat", strings.Repeat("line\n", 50), func(o *term.PagerOptions) { o.Command = " cat " }, false},
		{"missing", strings.Repeat("line\n", 50), func(o *term.PagerOptions) { o.Command = "/no/such/pager" }, false},
		{"own LESS", "1\n2\n3\n4\n5\n", func(o *term.PagerOptions) { o.Env = append(o.Env, "LESS=own") }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opt := pagerOptions(t, "copy")
			less := "FRX"
			if test.change != nil {
				test.change(&opt)
			}
			if len(opt.Env) > 1 {
				less = "own"
			}
			var out bytes.Buffer
			p := term.NewPager(t.Context(), &out, opt)
			for chunk := range strings.SplitAfterSeq(test.text, "\n") {
				if n, err := io.WriteString(p, chunk); err != nil || n != len(chunk) {
					t.Fatalf("write = %d, %v, want %d", n, err, len(chunk))
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			want := test.text
			if test.paged {
				want = "[LESS=" + less + "]" + want
			}
			if got := out.String(); got != want {
				t.Errorf("output begins %.60q (%d bytes), want %.60q (%d bytes)", got, len(got), want, len(want))
			}
		})
	}
}

func TestPagerThatIsLeft(t *testing.T) {
	var out bytes.Buffer
	p := term.NewPager(t.Context(), &out, pagerOptions(t, "quit"))
	// More than a pipe holds, so that the last write meets a closed pipe.
	text := strings.Repeat("line\n", 500_000)
	if _, err := io.WriteString(p, text); !errors.Is(err, term.ErrPagerClosed) {
		t.Errorf("write to a pager that has gone = %v, want ErrPagerClosed", err)
	}
	if _, err := io.WriteString(p, "more"); !errors.Is(err, term.ErrPagerClosed) {
		t.Errorf("the next write = %v, want ErrPagerClosed", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("close = %v, want nil: leaving a pager is no failure", err)
	}
}

func TestPagerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	p := term.NewPager(ctx, &out, pagerOptions(t, "stay"))
	if _, err := io.WriteString(p, strings.Repeat("line\n", 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("close = %v, want nil or the context's error", err)
	}
}

func TestScreen(t *testing.T) {
	vars := map[string]string{"COLUMNS": "120", "LINES": "x"}
	getenv := func(name string) string { return vars[name] }
	var buf bytes.Buffer
	if term.IsTerminal(&buf) {
		t.Error("a buffer is taken for a terminal")
	}
	if cols, rows := term.Size(&buf, getenv); cols != 120 || rows != 24 {
		t.Errorf("Size without a terminal = %d, %d, want 120, 24", cols, rows)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = master.Close(), slave.Close() }()
	if err := pty.Setsize(master, &pty.Winsize{Cols: 61, Rows: 17}); err != nil {
		t.Fatal(err)
	}
	if !term.IsTerminal(slave) {
		t.Error("a pseudo terminal is not taken for one")
	}
	if cols, rows := term.Size(slave, getenv); cols != 61 || rows != 17 {
		t.Errorf("Size = %d, %d, want 61, 17", cols, rows)
	}
}

func TestProgress(t *testing.T) {
	now := time.UnixMilli(0)
	var out strings.Builder
	p := term.NewProgress(&out, term.ProgressOptions{
		Label: "read \x1b[31msessions", Terminal: true, Cols: 40, Now: func() time.Time { return now },
	})
	steps := []struct {
		wait        time.Duration
		done, total int64
		want        string
	}{
		{499 * time.Millisecond, 1, 10, ""},
		{time.Millisecond, 2, 10, "\rread sessions:  20% (2 of 10)\x1b[K"},
		{99 * time.Millisecond, 3, 10, ""},
		{time.Millisecond, 12, 10, "\rread sessions: 100% (12 of 10)\x1b[K"},
		{time.Second, 7, 0, "\rread sessions: 7\x1b[K"},
		{time.Second, 1 << 60, 1 << 61, "\rread sessions:  50% (11529215046068469…\x1b[K"},
	}
	for i, step := range steps {
		now = now.Add(step.wait)
		out.Reset()
		p.Step(step.done, step.total)
		if got := out.String(); got != step.want {
			t.Errorf("step %d drew %q, want %q", i, got, step.want)
		}
	}
	out.Reset()
	p.Clear()
	p.Clear()
	if got, want := out.String(), "\r\x1b[K"; got != want {
		t.Errorf("Clear drew %q, want %q once", got, want)
	}
	p.Step(1, 2)
	out.Reset()
	p.Close()
	now = now.Add(time.Second)
	p.Step(2, 2)
	p.Close()
	if got, want := out.String(), "\r\x1b[K"; got != want {
		t.Errorf("Close drew %q, want %q and nothing behind it", got, want)
	}
}

func TestProgressWithoutTerminal(t *testing.T) {
	var out strings.Builder
	p := term.NewProgress(&out, term.ProgressOptions{Label: "x", Now: func() time.Time { return time.UnixMilli(0) }})
	p.Step(1, 2)
	p.Clear()
	p.Close()
	if out.Len() > 0 {
		t.Errorf("drew %q where no terminal is", out.String())
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 812: "812 B", 1023: "1023 B", 1024: "1.0 KB", 1434: "1.4 KB", 10 << 10: "10 KB", 1<<20 - 1: "1.0 MB",
		110 << 20: "110 MB", 5 << 30: "5.0 GB", 1<<63 - 1: "8192 PB", 10188: "9.9 KB", 10190: "10 KB",
	} {
		if got := term.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
