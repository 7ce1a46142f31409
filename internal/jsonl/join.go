package jsonl

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Limits of a [Joiner].
const (
	MaxJoinLines = 1000
	MaxJoinBytes = 16 << 20
)

// A Joined is what a [Joiner] makes of the lines so far.
type Joined int

const (
	// JoinNever says that no further line can make them one object.
	JoinNever Joined = iota
	// JoinMore says that they are the beginning of one.
	JoinMore
	// JoinWhole says that they are one object.
	JoinWhole
)

// A Joiner tells whether lines that are no records by themselves are one JSON
// object together: pretty-printed, with bare line ends written into its strings, or
// broken where they were too long. A line end inside of a name, an escape, a number or
// a letter of more than one byte was never part of it, nor is one inside of an id or
// the like; inside of another string it is, unless all lines but the last are equally
// long. Give it the lines from the first bad one on, one after another, also
// those that are values by themselves (`1`, `{}`), which stand in arrays. The
// zero Joiner is ready for the first line. It is not safe for concurrent use.
type Joiner struct {
	machine *Machine
	value   []byte
	lines   int
	state   Joined
	cr      bool      // the last line ended in CR
	breaks  []span    // line ends in values that are strings
	widths  [2][2]int // the shortest and the longest of the lines but the last, in bytes and in letters
	last    [2]int    // the width of the last one
	behind  int       // bytes of the last line behind the object
}

type span struct{ start, end int }

// Reset makes j ready for the first line of another object.
func (j *Joiner) Reset() {
	if j.machine != nil {
		j.machine.Reset()
	}
	*j = Joiner{machine: j.machine, value: j.value[:0], breaks: j.breaks[:0], state: JoinMore}
}

// Behind returns how many bytes of the last line stand behind the object: what parts it
// from the next one of an array, or ends the array.
func (j *Joiner) Behind() int { return j.behind }

// Lines returns how many lines were added.
func (j *Joiner) Lines() int { return j.lines }

// Value returns the object once Add has returned [JoinWhole], else nil. It is
// valid JSON: a line end that belongs to a string stands in it as an escape, one
// between tokens as it was. It is valid until Reset.
func (j *Joiner) Value() []byte {
	if j.state != JoinWhole {
		return nil
	}
	return j.value
}

// Add takes the next line without its LF. It gives up ([JoinNever]) beyond
// [MaxJoinLines] lines or [MaxJoinBytes] bytes, at a byte that cannot be, and
// after an object that is whole.
func (j *Joiner) Add(line []byte) Joined {
	if j.machine == nil {
		j.machine = NewMachine(&Query{Inside: -1})
		j.state = JoinMore
	}
	if j.state != JoinMore || j.lines >= MaxJoinLines || len(j.value)+len(line) > MaxJoinBytes {
		j.state = JoinNever
		return j.state
	}
	end := len(line)
	if end > 0 && line[end-1] == '\r' {
		end--
	}
	if j.lines > 0 {
		j.lineEnd(line[:end])
	}
	n := element(line[:end])
	if j.feed(line[:n]); n > 0 && j.machine.Whole() {
		j.behind = len(line) - n
		n = end
	}
	j.feed(line[n:end])
	if j.cr = end < len(line) && j.machine.state > atEnd; end < len(line) && !j.cr {
		j.feed([]byte{'\r'})
	}
	j.last = [2]int{end, utf8.RuneCount(line[:end])}
	j.lines++
	if j.machine.err != nil || j.machine.first != 0 && j.machine.first != '{' {
		j.state = JoinNever
	} else if j.machine.Whole() {
		j.state = JoinWhole
		j.unbreak()
	}
	return j.state
}

// element returns where a value may end that a comma or the end of an array follows at
// the end of a line, 0 for nowhere.
func element(line []byte) int {
	text := bytes.TrimRight(line, " \t")
	if n := len(text); n > 1 && (text[n-1] == ',' || text[n-1] == ']') {
		text = bytes.TrimRight(text[:n-1], " \t")
		if n := len(text); n > 0 && text[n-1] == '}' {
			return n
		}
	}
	return 0
}

// lineEnd feeds the line end before next, escaped where a string is open, and nothing
// where it cannot have been part of what it stands in.
func (j *Joiner) lineEnd(next []byte) {
	for k, w := range j.last {
		if r := &j.widths[k]; j.lines == 1 {
			*r = [2]int{w, w}
		} else {
			*r = [2]int{min(r[0], w), max(r[1], w)}
		}
	}
	m := j.machine
	bare := "\n"
	if j.cr { // a string or a number is open
		bare = "\r\n"
	}
	switch {
	case m.state == inText && (m.name || len(next) > 0 && !utf8.RuneStart(next[0])):
		return
	case m.state == inText:
		from := len(j.value)
		if bare = `\n`; j.cr {
			bare = `\r\n`
		}
		j.breaks = append(j.breaks, span{from, from + len(bare)})
	case m.state > inText && m.state <= inLiteral:
		return
	case m.state > inLiteral && len(next) > 0 && (isDigit(next[0]) || slices.Contains([]byte(".eE+-"), next[0])):
		return
	}
	j.feed([]byte(bare))
}

// unbreakable are the members whose values hold no line ends.
var unbreakable = []string{
	"type", "id", "parentId", "timestamp", "role", "targetId", "fromId", "firstKeptEntryId", "toolCallId", "toolName", "customType",
}

// unbreak takes line ends out of the strings of which they are no part.
func (j *Joiner) unbreak() {
	if len(j.breaks) == 0 {
		return
	}
	// Two lines have no width that they share: the last one may be shorter.
	folded := j.lines > 2 && (j.widths[0][0] == j.widths[0][1] || j.widths[1][0] == j.widths[1][1])
	out, done := make([]byte, 0, len(j.value)), 0
	key := ""
	for i, at := 0, 0; i < len(j.value) && at < len(j.breaks); {
		if j.value[i] != '"' {
			i++
			continue
		}
		end := stringEnd(j.value, i+1)
		if end < 0 {
			return
		}
		if next := blank(j.value, end); next < len(j.value) && j.value[next] == ':' {
			key = string(j.value[i+1 : end-1])
		}
		for ; at < len(j.breaks) && j.breaks[at].start < end; at++ {
			if b := j.breaks[at]; folded || slices.Contains(unbreakable, key) {
				out = append(out, j.value[done:b.start]...)
				done = b.end
			}
		}
		i = end
	}
	j.value = append(out, j.value[done:]...)
}

func (j *Joiner) feed(p []byte) {
	_, _ = j.machine.Write(p) // the machine keeps its error
	j.value = append(j.value, p...)
}
