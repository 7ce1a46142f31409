// Package scratch lets the tests of a package make their files in memory. Disks take
// most of the time of tests that make and delete many small files.
package scratch
