//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(tt.of); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.of, got, tt.want)
		}
	}
}

// measured is a row in which pi is the faster program and omp the smaller one.
func measured(wanted, memory float64) row {
	return row{file: "1 MB", name: "open", wanted: wanted, wantedMemory: memory,
		cells: [3]cell{{10, 1024}, {50, 9 * 1024}, {60, 8 * 1024}}}
}

func TestRatiosAreToTheBetterProgram(t *testing.T) {
	r := measured(0, 0)
	if r.faster() != 5 || r.smaller() != 8 {
		t.Errorf("%v times as fast, %v times as small, want 5 and 8", r.faster(), r.smaller())
	}
	r.cells[1] = cell{} // pi was not measured
	if r.faster() != 6 {
		t.Errorf("%v times as fast as omp, want 6", r.faster())
	}
}

func TestGate(t *testing.T) {
	for _, tt := range []struct {
		wanted, memory float64
		fails          bool
	}{{5, 8, false}, {10, 16, false}, {10.1, 1, true}, {1, 16.1, true}, {0, 0, false}} {
		if err := gate([]row{measured(tt.wanted, tt.memory)}); (err != nil) != tt.fails {
			t.Errorf("wanted %v and %v: %v", tt.wanted, tt.memory, err)
		}
	}
}

func TestRender(t *testing.T) {
	append2 := row{file: "1 MB", name: "append", perEntry: true, cells: [3]cell{{0.015, 0}, {150, 0}, {}}}
	text := render([]row{measured(6, 8), append2}, &crowd{12, 34000, 0.5, 678}, setting{facts: []string{"Date: today"}, repeat: 7})
	for _, want := range []string{
		"- Date: today\n", "median of 7 fresh processes", "\n## 1 MB\n",
		"| open | 10.0 ms | 50.0 ms | 60.0 ms | 5.00 x | 6 | 1.00 MB | 9.00 MB | 8.00 MB | 8.00 | 8 |\n",
		"\n## Eight writers\n", "| 12.0 µs | 34.0 ms | 0.50 | 678 |\n",
		"| append | 0.015 µs | 150 µs |  | 10000.0 |  |  |  |  |  |  |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Count(text, "## 1 MB") != 1 {
		t.Error("one file has two headings")
	}
}
