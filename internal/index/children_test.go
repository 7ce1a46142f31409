package index_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"zombiezen.com/go/sqlite"
)

// childHome names the home that a process is to search, when it is a child of
// TestProcesses.
const childHome = "CAMBIUM_TEST_INDEX_HOME"

// TestMain is the program of children too.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childHome); dir != "" {
		os.Exit(child(dir))
	}
	scratch.InMemory()
	scratch.CollectSeldom()
	os.Exit(m.Run())
}

// child lists, keeps texts and searches, and prints what it found.
func child(dir string) int {
	h := &home{dir: dir}
	x := index.New(index.Options{Dir: h.cache(), Report: func(err error) { fmt.Fprintln(os.Stderr, err) }})
	sum, err := digest(context.Background(), catalog.Options{
		Env: layout.Env{Home: dir, TempDir: "/nowhere", Cwd: "/work/a"}, Index: x,
		Trouble: func(err error) { fmt.Fprintln(os.Stderr, err) },
	})
	if err == nil {
		err = x.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(sum)
	return 0
}

// digest is a sum of all answers, before and after the texts are kept.
func digest(ctx context.Context, o catalog.Options) (string, error) {
	sum := crc32.NewIEEE()
	for range 2 {
		for _, text := range queries {
			q, err := search.Parse(text, now)
			if err != nil {
				return "", err
			}
			for hit, err := range search.Run(ctx, q, search.Options{Options: o, PerSession: 3}) {
				if err != nil {
					return "", err
				}
				fmt.Fprintln(sum, hit.Info.Path, hit.EntryID, hit.Snippet, hit.Ranges, hit.Score)
			}
		}
		// A busy file is an error of the call: it is tried again.
		err := search.Update(ctx, o)
		for try := 0; try < 100 && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy; try++ {
			err = search.Update(ctx, o)
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%08x", sum.Sum32()), nil
}

// TestProcesses has several processes make, fill and use one index at once,
// beginning with none.
func TestProcesses(t *testing.T) {
	h := newHome(t)
	h.random(rand.New(rand.NewPCG(31, 32)), 16)
	want, err := digest(t.Context(), h.options(nil))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []string{"none", "filled"} {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				cmd := exec.CommandContext(t.Context(), program)
				cmd.Env = append(os.Environ(), childHome+"="+h.dir)
				var complaints strings.Builder
				cmd.Stderr = &complaints
				out, err := cmd.Output()
				if got := strings.TrimSpace(string(out)); err != nil || got != want {
					t.Errorf("index %s: got %s, want %s (%v): %s", round, got, want, err, complaints.String())
				}
			})
		}
		group.Wait()
	}
	// What one of them kept is there and good.
	x := h.index()
	if got, err := digest(t.Context(), h.options(x)); err != nil || got != want || len(h.say) > 0 {
		t.Errorf("at the end: %s, want %s (%v), told %q", got, want, err, h.say)
	}
	if n := countTexts(t.Context(), t, x); n == 0 {
		t.Error("no texts were kept")
	}
}
