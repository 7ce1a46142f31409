package jsonl

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
// object together: pretty-printed, or with bare line ends written into its
// strings. Give it the lines from the first bad one on, one after another, also
// those that are values by themselves (`1`, `{}`), which stand in arrays. The
// zero Joiner is ready for the first line. It is not safe for concurrent use.
type Joiner struct {
	machine *Machine
	value   []byte
	lines   int
	state   Joined
}

// Reset makes j ready for the first line of another object.
func (j *Joiner) Reset() {
	if j.machine != nil {
		j.machine.Reset()
	}
	j.value, j.lines, j.state = j.value[:0], 0, JoinMore
}

// Lines returns how many lines were added.
func (j *Joiner) Lines() int { return j.lines }

// Value returns the object once Add has returned [JoinWhole], else nil. It is
// valid JSON: a line end within a string stands in it as an escape, one between
// tokens as it was. It is valid until Reset.
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
		j.lineEnd("\n", `\n`)
	}
	j.feed(line[:end])
	if end < len(line) {
		j.lineEnd("\r", `\r`)
	}
	j.lines++
	if j.machine.err != nil || j.machine.first != 0 && j.machine.first != '{' {
		j.state = JoinNever
	} else if j.machine.Whole() {
		j.state = JoinWhole
	}
	return j.state
}

// lineEnd feeds a line end, escaped where a string is open.
func (j *Joiner) lineEnd(bare, escaped string) {
	if j.machine.state == inText {
		bare = escaped
	}
	j.feed([]byte(bare))
}

func (j *Joiner) feed(p []byte) {
	_, _ = j.machine.Write(p) // the machine keeps its error
	j.value = append(j.value, p...)
}
