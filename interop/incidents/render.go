//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// columns are the programs in the table.
func columns() []string { return []string{"cambium", "pi", "omp", "xcsh"} }

// version names a program with the version that the lock file has.
func version(who string) string {
	switch who {
	case "pi":
		return "pi 0.87.1"
	case "omp":
		return "omp 18.2.3"
	case "xcsh":
		return "xcsh 17.4.4"
	}
	return who
}

// complete fills the cells that were not measured with what was recorded.
func complete(table map[string]map[string]Result) {
	for id, row := range recorded() {
		if table[id] == nil {
			continue
		}
		for i, who := range columns()[1:] {
			if _, ok := table[id][who]; ok {
				continue
			}
			verdict, note, _ := strings.Cut(row[i], " ")
			table[id][who] = Result{Verdict: Verdict(verdict), Note: note, Recorded: true}
		}
	}
}

// score counts, for a program, what is OK or REF, and of how many; measured
// says how many cells are of this run.
func score(table map[string]map[string]Result, who string) (good, all, measured int) {
	for _, row := range table {
		r, ok := row[who]
		if !ok {
			continue
		}
		all++
		if r.Verdict.Good() {
			good++
		}
		if !r.Recorded {
			measured++
		}
	}
	return good, all, measured
}

// scoreLine says all scores in one line.
func scoreLine(table map[string]map[string]Result) string {
	var parts []string
	for _, who := range columns() {
		if good, all, measured := score(table, who); all > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d (%d measured today)", version(who), good, all, measured))
		}
	}
	return strings.Join(parts, " · ")
}

// render writes the page.
func render(table map[string]map[string]Result) []byte {
	var b bytes.Buffer
	b.WriteString(`# What happened to sessions, and what happens to them here

Each row is something that was reported of programs that keep such sessions. It is
carried out on Cambium's library, in a process of its own with limits of time and
memory, and on the real programs pi and omp through their own session managers.
Every verdict is found by checks in code: entries on the disk by id, the size of
the context, bytes before and after, whether an error names the file.

**OK** nothing lost, usable · **REF** refused with a clear error, file untouched ·
**SIL** nothing erased, but part silently hidden or a hazard passed on · **OPQ**
unusable, opaque error, file untouched · **LOST** bytes or entries gone or altered ·
**DEAD** stops saving · **HANG** · **CRASH** · **NOT RUN** could not be carried out,
which counts as failed.

Cells with an asterisk were not measured in this run but recorded on 2026-11-21;
all others were measured on the day of this page. The peers are driven through
their session managers, so that a row whose hazard lies in their command alone can
come out better than it was recorded.

`)
	fmt.Fprintf(&b, "Made by `make incidents` on %s: %s.\n\n**%s**\n\n", time.Now().UTC().Format(time.DateOnly), machine(), scoreLine(table))
	b.Write(counts(table))
	b.WriteString("\n| id | recipe | cambium | pi 0.87.1 | omp 18.2.3 | xcsh 17.4.4 |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range Recipes() {
		row, ok := table[r.ID]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", r.ID, r.What)
		for _, who := range columns() {
			fmt.Fprintf(&b, " %s |", row[who].cell())
		}
		b.WriteByte('\n')
	}
	b.WriteString(notes)
	b.Write(catalogue())
	return b.Bytes()
}

// cell is a result as the page has it.
func (r Result) cell() string {
	if r.Verdict == "" {
		return "–"
	}
	mark := ""
	if r.Recorded {
		mark = "\\*"
	}
	note := strings.NewReplacer("|", "\\|", "\n", " ").Replace(r.Note)
	return strings.TrimSpace(fmt.Sprintf("**%s**%s %s", r.Verdict, mark, note))
}

// machine says on what the run was.
func machine() string {
	var u syscall.Utsname
	kernel := "Linux"
	if syscall.Uname(&u) == nil {
		var name []byte
		for _, c := range u.Release {
			if c == 0 {
				break
			}
			name = append(name, byte(c))
		}
		kernel += " " + string(name)
	}
	revision := ""
	if out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		revision = ", cambium at " + strings.TrimSpace(string(out))
	}
	return fmt.Sprintf("%s %s, %d cores, user %d, %s%s", kernel, runtime.GOARCH, runtime.NumCPU(), os.Getuid(), runtime.Version(), revision)
}

// notes say how recipes are carried out that need more than a file.
const notes = `
How some rows are carried out

- M35, M36, M65: a list stands for a picker: the library's, and the command's
  ` + "`ls`" + ` on a pty of 200 columns. The peers' are their managers' lists.
- M45–M48: processes of one program. The peers run M46 and M47 twice.
- M46, M47: Cambium syncs nothing here, as the peers do not; in M45 it does.
- M47, M48, M51: the full rewrite is ` + "`Rewrite`" + ` here, the manager's own in the peers.
- M49–M51: the peers, which take a second to begin, are killed five times each.
- M52: ` + "`chattr +i`" + ` on file and directory, which denies even root; afterwards taken
  off again. M58: ` + "`chattr +a`" + `, which denies renaming over the file. Where a
  user may not do that: M52 by a read-only mount of the directory and, as what is
  open can still be written then, for Cambium by a file system that denies it; M58
  by a mount over the file.
- M53: a tmpfs of 1 MiB. M54: a file in the place of the directory of blobs.
- M66: with omp's record of an exit, and again with a message, in the last line.
- M67: nothing here reads history.db or agent.db; opening and listing go on.
`
