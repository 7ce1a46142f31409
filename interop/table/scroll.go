//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/interop/peers"
)

// entryBytes is about how long the entries are.
const entryBytes = 639

// scrolled measures pages of a long transcript, beside the same in a short one in
// the column of pi: they are to take the same. How much is read for each stands in
// the name of the row.
func (b *bench) scrolled() (rows []row, err error) {
	const page, pages = "a page up in 9,000 messages", 60
	if !b.wants(page) {
		return nil, nil
	}
	home, err := b.models("http://127.0.0.1:9/v1") // nothing is said
	if err != nil {
		return nil, err
	}
	var read []float64 // KB a page
	var one []measure
	for _, long := range []struct{ messages, pages int }{{9000, pages}, {90, 6}} {
		path, err := b.spoken(fmt.Sprintf("scrolled-%d", long.messages), "small", long.messages*entryBytes)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.Remove(path)) }()
		one = append(one, func() (peers.Measurement, error) {
			m, bytes, err := b.paged(home, path, long.pages)
			if long.pages == pages {
				read = append(read, bytes/1000/pages)
			}
			return m, err
		})
	}
	r, err := b.row(append(one, nil), false)
	if err != nil {
		return nil, err
	}
	r.name, r.wanted = fmt.Sprintf("%s of 5.8 MB in all, for which %.0f KB are read (beside 90)", page, median(read)), 1/1.3
	return []row{r}, nil
}

// paged opens a session and goes up so many pages. It returns the median of the
// times from a key until the screen is another one without a message that is
// missing, and the bytes that were read meanwhile.
func (b *bench) paged(home, path string, pages int) (m peers.Measurement, bytes float64, err error) {
	err = restored(path, func() error {
		d, err := b.chat(home, path)
		if err != nil {
			return err
		}
		m.PeakKB, err = d.during(func() error {
			if _, err := d.shows(lastWords); err != nil {
				return err
			}
			if err := d.rest(); err != nil {
				return err
			}
			before, err := number(d.cmd.Process.Pid, "io", "rchar")
			if err != nil {
				return err
			}
			var times []float64
			for range pages {
				took, err := d.page()
				if err != nil {
					return err
				}
				times = append(times, took)
			}
			m.Milliseconds = median(times)
			if err := d.rest(); err != nil {
				return err
			}
			after, err := number(d.cmd.Process.Pid, "io", "rchar")
			bytes = after - before
			return err
		})
		return err
	})
	return m, bytes, err
}

// page goes up a page and returns how long that took, in ms.
func (d *desk) page() (float64, error) {
	d.mu.Lock()
	was := d.rows()
	d.mu.Unlock()
	missing := func(row string) bool { return strings.TrimSpace(row) == "…" }
	from, err := d.types("\x1b[5~")
	if err != nil {
		return 0, err
	}
	at, err := d.until("another page", func(rows []string) bool {
		return !slices.Equal(rows[:deskRows/2], was[:deskRows/2]) && !slices.ContainsFunc(rows, missing)
	})
	return milliseconds(at.Sub(from)), err
}
