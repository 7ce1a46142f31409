package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed is what go test prints of some of the benchmarks.
const printed = `goos: linux
pkg: github.com/cambium-dev/cambium/storage/postgres
BenchmarkAppend/1MB-2         	     500	    250000 ns/op
BenchmarkAppend/10MB-2        	     500	    260000 ns/op
BenchmarkAppend/100MB-2       	     500	    270000 ns/op
BenchmarkOneText/1MB-2        	      50	  25000000 ns/op
BenchmarkOneText/10MB-2       	      20	 250000000 ns/op
BenchmarkOneText/100MB-2      	       1	2500000000 ns/op
BenchmarkAppendAtOnce/1-2     	    4000	    300000 ns/op	 1.000 slowest-session/median	 4.0 longest-wait/median
BenchmarkAppendAtOnce/16-2    	    4000	    200000 ns/op	 1.100 slowest-session/median	 7.0 longest-wait/median	 2000 µs-median	 5000 µs-p99	 9000 µs-p99.9	 14000 µs-longest
PASS
`

func TestFigures(t *testing.T) {
	f := figures{}
	f.read("storage/postgres", printed)
	rows, held := f.rows()
	text := table(rows)
	for _, want := range []string{
		"| append of 600 bytes at 1, 10, 100 MB, PostgreSQL | 0.25 ms, 0.26 ms, 0.27 ms | flat (at most 2 ×) | yes |",
		"| beside one text at 100 MB, PostgreSQL | 9259 × | 100 × | yes |",
		"| sixteen sessions at once, PostgreSQL | 1.5 × one (0.20 ms a line) | 2 × one | **no** |",
		"| their waits, PostgreSQL | the slowest session 1.10 ×; median 2.00 ms, 99 of 100 under 5.00 ms, 999 of 1000 under 9.00 ms, longest 14 ms (7 ×) | no session's median 10 × that of all | yes |",
		"| one text in one row: append of 600 bytes at 1, 10, 100 MB | 25 ms, 250 ms, 2.5 s |  |  |",
		"| opening a session of 110 MB, JetStream | not measured | at most 3 × its rows read raw |  |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %s", want)
		}
	}
	if held {
		t.Error("what does not hold is said to")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(path, []byte("head\n"+markBegin+"old\n"+markEnd+"tail\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := put(path, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if want := "head\n" + markBegin + "\nnew\n\n" + markEnd + "tail\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if err := put(filepath.Join(t.TempDir(), "none"), ""); err == nil {
		t.Error("written to a file that is not there")
	}
}
