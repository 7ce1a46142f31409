package entry

// A List is an index with a way to the lines behind it. What it lists may grow
// while it is held; positions stay. A List is as safe for concurrent use as its
// index and its loader are.
type List struct {
	*Index
	// Load returns the line of entry i as JSON text without a newline, in
	// the present version of the format. The bytes must not be changed and
	// stay valid. The error says which line of what could not be read.
	Load func(i int) ([]byte, error)
}

// Entry returns entry i with its bytes.
func (l *List) Entry(i int) (Entry, error) {
	raw, err := l.Load(i)
	if err != nil {
		return Entry{}, err
	}
	return Parse(raw)
}

// NewList returns the list of the given lines, held in memory. Each must be
// one JSON object; the error is that of the first that is not.
func NewList(lines [][]byte) (*List, error) {
	x := NewIndex()
	for i, line := range lines {
		var e Envelope
		if err := e.Scan(line); err != nil {
			return nil, err
		}
		x.Add(&e, At{Off: int64(i), Len: int64(len(line)), Line: i + 1})
	}
	return &List{Index: x, Load: func(i int) ([]byte, error) { return lines[i], nil }}, nil
}
