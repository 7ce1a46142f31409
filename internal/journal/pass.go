package journal

import (
	"context"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/tree"
)

// A Pass reads logs, each of them once and from one end to the other, and tells
// of every entry as it passes: for those who ask what is in a log and do not
// open it. Nothing of a line is kept but its envelope. A Pass is used by one
// goroutine at a time and may read any number of logs.
type Pass struct {
	// Scanner finds, beside the envelopes, what the caller wants of a line.
	Scanner *entry.Scanner
	// Entry is told of every entry in the order of the log. The scanner has
	// scanned its line last. line is valid until Entry returns, and nil for
	// one longer than MaxLine.
	Entry func(e *entry.Envelope, line []byte, at entry.At)
	// ParseSlot reads a title slot; see [Options].
	ParseSlot func(line []byte) (entry.Slot, bool)
	// MaxLine is the longest line that is held, in bytes; 0 means 64 MiB.
	MaxLine int64

	window []byte
	part   part   // of the log that was read last
	last   []byte // of its run
}

// A Glance is what one reading of a log tells of it as a whole. It is valid until
// its [Pass] reads again.
type Glance struct {
	Found  Found
	Header entry.Header
	Damage *defects.Report
	// Gaps are what is legible of damaged lines, for [tree.New].
	Gaps []tree.Gap

	// Straight says that every entry but the first names the one before it as its
	// parent.
	Straight bool

	n int
	x *entry.Index // nil of a long log that is straight
}

// Len returns the number of entries.
func (g *Glance) Len() int { return g.n }

// List returns the envelopes of the entries; nil of one that is Straight. Their
// lines cannot be loaded.
func (g *Glance) List() *entry.List {
	if g.Straight {
		return nil
	}
	g.x.RehashLater()
	return &entry.List{Index: g.x, Load: func(int) ([]byte, error) { return nil, ErrClosed }}
}

// Read reads the first size bytes of a log; twice where a branch begins only
// after very many entries. The error is of the reading, or ctx's: what is wrong
// with what was read is in the answer. A log that is shorter than size is
// io.ErrUnexpectedEOF.
func (p *Pass) Read(ctx context.Context, r io.ReaderAt, size int64) (*Glance, error) {
	whole := &p.part
	if whole.x == nil {
		whole.x = entry.NewStretch()
	}
	whole.x.Reset()
	*whole = part{x: whole.x, headers: whole.headers[:0], open: true, see: p, run: &run{last: p.last[:0]}}
	if err := whole.stretch(ctx, r, 0, size, true); err != nil {
		return nil, err
	}
	p.last = whole.run.last
	g := &Glance{Straight: !whole.run.bent, n: whole.run.n, x: whole.x}
	if whole.run.bent && whole.run.short {
		again := newPart(true)
		again.see = &Pass{Scanner: p.Scanner, Entry: func(*entry.Envelope, []byte, entry.At) {}, MaxLine: p.MaxLine, window: p.window}
		if err := again.stretch(ctx, r, 0, size, true); err != nil {
			return nil, err
		}
		g.x, g.n = again.x, again.x.Len()
	}
	whole.see = nil
	j := Journal{opt: Options{ParseSlot: p.ParseSlot}, p: whole}
	if err := j.fold(); err != nil {
		return nil, err
	}
	g.Found, g.Header, g.Damage, g.Gaps = j.found, j.header, &whole.damage, whole.gaps
	return g, nil
}

// options say how the lines are read: through one window for all logs.
func (p *Pass) options() jsonl.Options {
	if p.window == nil {
		p.window = make([]byte, jsonl.DefaultWindow)
	}
	return jsonl.Options{MaxLine: p.MaxLine, Buffer: p.window}
}
