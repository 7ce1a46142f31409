package entry

// A row is what an index keeps of each entry: 20 bytes. Much of what could be
// asked for follows from the entries around it and is not kept: offsets and
// times count from those of the chunk, lines from the first of the chunk, and
// the message ends where the line does but for its brace.
type row struct {
	off   uint32
	len   uint32
	time  uint32 // untimed for none
	name  uint32 // see flag
	body  uint8  // offset of the message in the line, 0 for none
	kind  Kind
	role  Role
	flags flag
}

// mark sets the flags that say nothing of names.
func (r *row) mark(e *Envelope) {
	if r.flags &^= kept; e.Todos {
		r.flags |= listed
	}
	if e.Unsaid {
		r.flags |= unsaid
	}
}

// untimed is the time of a row that has none.
const untimed = 1<<32 - 1

const (
	rowBits  = 12
	rowChunk = 1 << rowBits
	// maxLen is the longest line, in bytes; a longer one counts as this long.
	maxLen = 1<<32 - 1
)

// A place is what a row says of where and when, in full.
type place struct {
	off, time     int64
	line          uint32
	len           uint32
	body, bodyLen uint32
}

func placeOf(e *Envelope, at At) place {
	p := place{off: at.Off, time: e.Time, line: uint32(at.Line), len: uint32(min(at.Len, maxLen))}
	if e.Body.End > e.Body.Start && e.Body.End <= maxLen {
		p.body, p.bodyLen = uint32(e.Body.Start), uint32(e.Body.End-e.Body.Start)
	}
	return p
}

// A chunk is a stretch of rows. Where one of them does not fit in a row, because
// lines between entries were passed over, weeks went by or the message is not
// the last member, all rows of the chunk have their places in wide instead.
type chunk struct {
	rows  []row
	wide  []place
	off   int64 // of the first row
	time  int64 // that times count from, if timed
	timed bool
	line  uint32 // of the first row
}

// add appends a row.
func (c *chunk) add(r row, p place) {
	if len(c.rows) == 0 {
		c.off, c.line = p.off, p.line
	}
	c.rows = append(c.rows, r)
	if c.wide != nil {
		c.wide = append(c.wide, place{})
	}
	c.put(len(c.rows)-1, p)
}

// put gives row j another place.
func (c *chunk) put(j int, p place) {
	if c.wide == nil {
		if c.fit(j, p) {
			return
		}
		c.widen()
	}
	c.wide[j] = p
}

// fit keeps a place in row j alone, if it can.
func (c *chunk) fit(j int, p place) bool {
	if !c.timed && p.time != NoTime {
		c.time, c.timed = p.time-1<<31, true // some come out of order
	}
	off, time := uint64(p.off)-uint64(c.off), uint64(p.time)-uint64(c.time)
	if p.time == NoTime {
		time = untimed
	} else if time >= untimed {
		return false
	}
	if off >= 1<<32 || p.line != c.line+uint32(j) {
		return false
	}
	if p.body > 255 || p.bodyLen > 0 && (p.body == 0 || uint64(p.body)+uint64(p.bodyLen)+1 != uint64(p.len)) {
		return false
	}
	r := &c.rows[j]
	r.off, r.len, r.time, r.body = uint32(off), p.len, uint32(time), uint8(p.body)
	return true
}

// widen keeps the places of all rows in full from here on.
func (c *chunk) widen() {
	wide := make([]place, len(c.rows), cap(c.rows))
	for j := range wide {
		wide[j] = c.place(j)
	}
	c.wide = wide
}

func (c *chunk) place(j int) place {
	if c.wide != nil {
		return c.wide[j]
	}
	r := &c.rows[j]
	p := place{off: c.off + int64(r.off), time: NoTime, line: c.line + uint32(j), len: r.len}
	if r.time != untimed {
		p.time = c.time + int64(r.time)
	}
	if r.body != 0 {
		p.body, p.bodyLen = uint32(r.body), r.len-1-uint32(r.body)
	}
	return p
}
