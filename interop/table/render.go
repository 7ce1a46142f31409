//go:build linux

package main

import (
	"fmt"
	"strings"
)

// notes say what the figures mean.
const notes = `Each figure is the median of %d fresh processes of one run, in which the programs
took turns on the same files. Times are taken inside the process: loading the
program is not in them. Memory is the peak of the whole process. "faster" and
"smaller" compare with the better of the two programs; "wanted" is what they
should reach at least, "x" where they do not.

- **open**: every line is checked and indexed; the two programs also decode
  every message here.
- **open + context**: and the context of the last entry is rebuilt. Cambium has
  then located and checked its messages and decoded none; the programs have
  them decoded.
- **open + context, bytes read**: the same, and every message's bytes are read
  again and handed out one by one. For the programs it is the row above.
- **tree**: the whole tree built from an open session.
- **append**: an entry of 2 KB, not synced, as the programs do it: in the kernel
  when the call returns. Cambium's is under the lock, and has looked whether
  another writer was there. Its ids are entered by then: the first appends to a
  long session that was just opened look through all of them instead. "as pi" and "as omp" are in the dialect of that
  program; omp's takes its lock file as well.
- **fork**: the session copied into another project.
- **reopen through the index**: a session that was read before, in a new process,
  to append to it: the index is opened, what it keeps of the session is checked,
  and the last 200 entries are read and handed out one by one. The programs open
  it as they always do.
- **switch**: a running agent goes to the session, to append to it: it is opened,
  its context rebuilt, model, thinking level, mode and todos restored, and what it
  lacks appended. No message is decoded: the agent gets the context and reads what
  it needs. "through the index" is with an index that the agent has open. For the
  programs it is their opening alone.
- **complete, cold**: everything a row says of 2,000 sessions, no index: every
  byte is read and checked. **warm**: with what the index kept. pi's list also collects all that was said: see the
  row below it. omp's reads 36 KB of each file. **recent**: the last four.
- **--version**: whole processes, from their start to their end.
- **from start to the first request on the wire**: whole processes with a prompt
  and no terminal, "cambium run -p hi", "pi --offline -p hi" and "omp -p hi", in one
  private home, until the server, which is the same for all, has the headers of the
  request of the model. Memory is that of the whole run.
- **a turn of 10,000 events**: what a turn takes beside the wire: each event told as
  a line of JSON, the prompt and the answer appended, divided by 10,000.
- **growth**: a listing in a new process, and what opening the index takes. Of a
  session that did not change since the last one its state is asked for and compared
  where the index keeps it; nothing of its file is read. **asking the state of each
  file** is what no listing can be faster than, as an append changes nothing but the
  file itself: the names in each directory and statx of each, on both cores, by a
  program that knows nothing of sessions. The rest of a warm listing is its own.
- **cambium chat**: the whole program on a terminal of 120 by 40 that is emulated,
  in a private home; a time ends when what is waited for has been written to the
  terminal. Memory is the peak of the process. "from start to the first key": from
  the start of the process until what is typed meanwhile, again and again, stands
  in the editor; pi and omp as a person starts them, offline, past their first
  dialogs. "switch": from the Enter of "/resume PATH" until the last message is on
  the screen; for the programs it is their opening alone, without a screen. "200
  events a second": a model answers at that pace while a key is typed every 45 ms; a
  key that is lost, or comes in another order, ends the run. "at rest": the memory of
  that moment, after half a second without output or work.
- **cambium acp**: the agent of an editor, at the other end of a pipe, each program
  in a home with the same sessions in it. "all of it told" is each message as an
  update, and the answer behind them.
- **the machine**: what the kernel alone takes, asked by the measuring program: no
  program that looks at every byte, or appends beside others, is faster than that.
- **append, bare write**: beside a bare write(2) of 2 KB to another file (in the
  column of pi), which the same process does in turn; medians of 2,000.
- **append, synced**: durable when the call returns, beside a bare write of
  2 KB with one fdatasync (in the column of pi), which the same process does in
  turn; medians of 300.

Files: entries of about 12 KB (1, 10 and 110 MB), of 6 KB full of escapes
(dense), of 640 bytes (small) and of 289 bytes (the million), all of them messages
on one branch. **Eight writers**: processes of Cambium that append to one session
as fast as they can for 2 s, not synced, each reading what the others wrote.
`

// render returns the table as Markdown.
func render(rows []row, c *crowd, s setting) string {
	var out strings.Builder
	out.WriteString("# Measured beside the real programs\n\n")
	out.WriteString("Made by `make bench-peers`.\n\n")
	for _, fact := range s.facts {
		fmt.Fprintf(&out, "- %s\n", fact)
	}
	fmt.Fprintf(&out, "\n"+notes, s.repeat)
	last := ""
	for _, r := range rows {
		if r.file != last {
			last = r.file
			fmt.Fprintf(&out, "\n## %s\n\n", r.file)
			out.WriteString("| operation | Cambium | pi | omp | faster | wanted | Cambium | pi | omp | smaller | wanted |\n")
			out.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		}
		out.WriteString(line(r))
	}
	out.WriteString(c.render())
	return out.String()
}

// line is one row of the table.
func line(r row) string {
	cells := []string{r.name}
	unit := "ms"
	if r.perEntry {
		unit = "µs"
	}
	for _, c := range r.cells {
		cells = append(cells, figure(c.time, unit))
	}
	cells = append(cells, ratio(r.faster(), r.wanted), wanted(r.wanted))
	for _, c := range r.cells {
		cells = append(cells, figure(c.kb/1024, "MB"))
	}
	cells = append(cells, ratio(r.smaller(), r.wantedMemory), wanted(r.wantedMemory))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// figure has three digits and a unit; nothing for what was not measured.
func figure(v float64, unit string) string {
	switch {
	case v == 0:
		return ""
	case v < 0.1:
		return fmt.Sprintf("%.3f %s", v, unit)
	case v < 10:
		return fmt.Sprintf("%.2f %s", v, unit)
	case v < 100:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}

// ratio marks what does not reach what is wanted.
func ratio(v, wanted float64) string {
	if v == 0 {
		return ""
	}
	text := fmt.Sprintf("%.1f", v)
	if v < 10 {
		text = fmt.Sprintf("%.2f", v)
	}
	if wanted > 0 && v < wanted {
		return text + " x"
	}
	return text
}

func wanted(v float64) string {
	if v == 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}
