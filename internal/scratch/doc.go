// Package scratch makes the tests of a package cheap: their files lie in memory, where
// disks do not take most of the time of tests that make and delete many small files, and
// garbage is collected seldom.
package scratch
