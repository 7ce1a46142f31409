//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// crowding is what the table of several writers is called, and crowdTime how
// long they write, in milliseconds.
const (
	crowding  = "eight writers"
	crowdTime = 2000
)

// A crowd is what several processes that append to one session at once came to,
// medians of all runs but for the largest wait, which is the largest of all.
type crowd struct {
	wait, largest float64 // microseconds for one append
	fairness      float64 // entries of the slowest writer for one of the fastest
	perSecond     float64 // entries of all
}

// crowd measures several writers.
func (b *bench) crowd() (*crowd, error) {
	path := filepath.Join(b.dir, "crowd.jsonl")
	if _, err := b.output(nil, "corpus", "big", "1000000", path); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(path) }() // the directory goes anyway
	var waits, fairness, speeds []float64
	c := new(crowd)
	for range b.repeat {
		out, err := b.output(nil, "writers", path, strconv.Itoa(crowdTime))
		if err != nil {
			return nil, err
		}
		var m struct {
			PerEntry float64 `json:"usPerEntry"`
			Largest  float64 `json:"largestUs"`
			Fairness float64 `json:"fairness"`
			Entries  float64 `json:"entries"`
		}
		if err := json.Unmarshal(bytes.TrimSpace(out), &m); err != nil {
			return nil, fmt.Errorf("measure writers: read answer: %w", err)
		}
		waits, fairness = append(waits, m.PerEntry), append(fairness, m.Fairness)
		speeds = append(speeds, m.Entries*1000/crowdTime)
		c.largest = max(c.largest, m.Largest)
	}
	c.wait, c.fairness, c.perSecond = median(waits), median(fairness), median(speeds)
	return c, nil
}

// render returns the crowd as Markdown; nothing for one that was not measured.
func (c *crowd) render() string {
	if c == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n## %s\n\n", strings.ToUpper(crowding[:1])+crowding[1:])
	out.WriteString("| one append, median | largest wait of all runs | slowest writer / fastest | appended in a second |\n")
	out.WriteString("| ---: | ---: | ---: | ---: |\n")
	fmt.Fprintf(&out, "| %s | %s | %.2f | %.0f |\n",
		figure(c.wait, "µs"), figure(c.largest/1000, "ms"), c.fairness, c.perSecond)
	return out.String()
}
