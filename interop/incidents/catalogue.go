//go:build linux

package main

import (
	"bytes"
	"fmt"
)

// incidents is how many there are in the published catalogue, C01 to C71. Each
// has a test of its name in this package, but those of untested.
const incidents = 71

// untested says of incidents without a test of their name why.
func untested() map[string]string {
	return map[string]string{
		"C58": "a file larger than 512 MiB takes too long for a test: M05 and M28 of the table, and `make large` (1 GB)",
		"C59": "4.8 GB of files: M65 of the table; the windows of a list are tested in catalog",
		"C61": "a line of 173 MB: M26 (64 MiB) and M28 (600 MiB) of the table",
		"C62": "37.8 GB: a session is indexed as a whole, not from its end; `make large` keeps the memory bounded, M65 that of a list",
		"C64": "nothing collects blobs here: `TestC64BlobsStay` (internal/cli)",
		"C70": "nothing is exported to HTML here",
	}
}

// catalogue is the part of the page about the incidents.
func catalogue() []byte {
	var b bytes.Buffer
	b.WriteString("\n## The catalogue of incidents\n\nThe tests are in `interop/incidents` and part of `make test`.\n\n| id | test |\n| --- | --- |\n")
	for i := range incidents {
		id := fmt.Sprintf("C%02d", i+1)
		if why, ok := untested()[id]; ok {
			fmt.Fprintf(&b, "| %s | none: %s |\n", id, why)
		} else {
			fmt.Fprintf(&b, "| %s | `Test%s` |\n", id, id)
		}
	}
	return b.Bytes()
}
