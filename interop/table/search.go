//go:build linux

package main

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
)

// searching is the group of rows about search. The programs have nothing to set
// beside it: what is wanted stands in the column of pi.
const searching = "search: 2,000 sessions, 446 MB, a new process"

// soon is what a first hit may take, in milliseconds.
const soon = 50

// searches are the queries that are asked.
var searches = [...]struct{ name, query string }{
	{"a common word", "error"},
	{"a rare word", "file_901"},
	{"the beginning of a word", "pars*"},
	{"a phrase", `"gives the"`},
	{"a rare phrase of common words", `"wackbra hendbra"`},
	{"an absent phrase of common words", `"zoca woca worcha"`},
	{"an expression", `re:HasPrefix\(torn,`},
	{"a rare expression", `re:HasPrefix\(wopa,`},
	{"an expression of two common words", `re:woca\s+zoca`},
	{"an absent expression", "re:quagga"},
	{"an absent word", "quagga"},
}

// searching measures the first hits of searches in the sessions of a directory,
// and what keeping their text takes.
func (b *bench) searching(dir string, index []string) (rows []row, err error) {
	if !b.wants(searching) {
		return nil, nil
	}
	out, err := b.output(index, "texts", dir)
	if err != nil {
		return nil, err
	}
	var kept struct {
		MS     float64 `json:"ms"`
		Bytes  float64 `json:"bytes"`
		Text   float64 `json:"textBytes"`
		PeakKB float64 `json:"rssKb"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(out), &kept); err != nil {
		return nil, fmt.Errorf("measure search: read answer: %w", err)
	}
	rows = append(rows, row{
		file: searching, name: fmt.Sprintf("index of all text made once, %.2f times the text", kept.Bytes/kept.Text),
		cells: [3]cell{{kept.MS, kept.PeakKB}, {}, {}},
	})
	for _, s := range searches {
		var times, memory []float64
		for range b.repeat {
			out, err := b.output(append([]string{"BENCH_QUERY=" + s.query}, index...), "search", dir)
			if err != nil {
				return nil, err
			}
			var m struct {
				MS     float64 `json:"ms"`
				PeakKB float64 `json:"rssKb"`
			}
			if err := json.Unmarshal(bytes.TrimSpace(out), &m); err != nil {
				return nil, fmt.Errorf("measure search: read answer: %w", err)
			}
			times, memory = append(times, m.MS), append(memory, m.PeakKB)
		}
		rows = append(rows, row{
			file: searching, name: "first hit: " + s.name + " (beside 50 ms)", wanted: 1,
			cells: [3]cell{{median(times), median(memory)}, {soon, 0}, {}},
		})
	}
	return rows, nil
}
