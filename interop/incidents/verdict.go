//go:build linux

package main

import (
	"slices"
	"strings"
)

// A Verdict says how a program came through a recipe.
type Verdict string

// The verdicts, as the published table has them.
const (
	OK     Verdict = "OK"    // nothing lost, usable
	Ref    Verdict = "REF"   // refused with a clear error, file untouched
	Silent Verdict = "SIL"   // nothing erased, but part hidden or a hazard passed on
	Opaque Verdict = "OPQ"   // unusable, opaque error, file untouched
	Dead   Verdict = "DEAD"  // stops saving
	Lost   Verdict = "LOST"  // bytes or entries gone or altered
	Hang   Verdict = "HANG"  //
	Crash  Verdict = "CRASH" //
	// NotRun is for a recipe that could not be carried out; it counts as failed.
	NotRun Verdict = "NOT RUN"
)

// graveness orders the verdicts: of several findings the last one counts.
func graveness(v Verdict) int {
	return slices.Index([]Verdict{OK, Ref, Silent, Opaque, Dead, Lost, Hang, Crash, NotRun}, v)
}

// Good reports whether a verdict counts for the score.
func (v Verdict) Good() bool { return v == OK || v == Ref }

// A Result is one cell of the table.
type Result struct {
	Verdict Verdict
	Note    string
	// Recorded says that it was not measured in this run.
	Recorded bool
}

// finding is something that a check found.
type finding struct {
	verdict Verdict
	note    string
}

// sum makes one result of what was found: the gravest, with what was said of it.
func sum(all []finding) Result {
	r := Result{Verdict: OK}
	for _, f := range all {
		if graveness(f.verdict) > graveness(r.Verdict) {
			r.Verdict = f.verdict
		}
	}
	var notes []string
	for _, f := range all {
		if f.verdict == r.Verdict && f.note != "" && !slices.Contains(notes, f.note) {
			notes = append(notes, f.note)
		}
	}
	if len(notes) > 4 {
		notes = append(notes[:4], "…")
	}
	r.Note = strings.Join(notes, "; ")
	return r
}
