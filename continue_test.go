package cambium_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// TestContinueByTerminal goes on in two terminals with what each used last, as
// the engine itself noted it.
func TestContinueByTerminal(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	cwd := filepath.Join(home, "w")
	engine := func(terminal string, unnoted bool) *cambium.Engine {
		t.Helper()
		e, err := cambium.Open(ctx, cambium.Options{
			Env: layout.Env{Home: home}, Terminal: terminal, Unnoted: unnoted, FirstWrite: session.Immediately,
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	path := func(s *session.Session, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return s.Path()
	}
	one, two := engine("/dev/pts/1", false), engine("/dev/pts/2", false)
	first := path(one.Create(ctx, cwd, cambium.New{}))
	second := path(two.Create(ctx, cwd, cambium.New{}))
	worker := path(engine("/dev/pts/2", true).Create(ctx, cwd, cambium.New{}))
	if got := path(one.Continue(ctx, cwd)); got != first {
		t.Errorf("first terminal: %q, want %q", got, first)
	}
	if got := path(two.Continue(ctx, cwd)); got != second {
		t.Errorf("second terminal: %q, want %q", got, second)
	}
	if got := path(engine("/dev/pts/3", false).Continue(ctx, cwd)); got != worker {
		t.Errorf("a new terminal: %q, want the newest, %q", got, worker)
	}
	path(two.Read(ctx, first))
	if got := path(two.Continue(ctx, cwd)); got != second {
		t.Errorf("after looking at another: %q, want %q", got, second)
	}
	path(two.Open(ctx, first))
	if got := path(two.Continue(ctx, cwd)); got != first {
		t.Errorf("after opening another: %q, want %q", got, first)
	}
}
