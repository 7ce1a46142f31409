package sessiongen

import (
	"math/rand/v2"
)

// Dialect names whose spelling a session has.
type Dialect string

// The four dialects. Cambium's sessions are the published format with the
// entry kinds of xcsh.
const (
	Pi      Dialect = "pi"
	Omp     Dialect = "omp"
	Xcsh    Dialect = "xcsh"
	Cambium Dialect = "cambium"
)

// Dialects returns the four dialects in a fixed order.
func Dialects() []Dialect { return []Dialect{Pi, Omp, Xcsh, Cambium} }

// Newlines says how the lines of a session end.
type Newlines int

// How lines end. AnyNewlines lets chance decide: mostly LF with a final one,
// one session in six CRLF, one in six without the final newline.
const (
	AnyNewlines      Newlines = iota
	LF                        // every line ends in LF
	CRLF                      // every line ends in CR LF (a title slot in LF: it has a fixed size)
	LFUnterminated            // LF, the last line has no newline
	CRLFUnterminated          // CR LF, the last line has no newline
)

// Options says what Random makes. The zero value is a wild pi session of
// version 3 with about 40 entries.
type Options struct {
	// Dialect is the spelling; empty means Pi.
	Dialect Dialect
	// Entries is the number of entries to write, header and title slot not
	// counted; 0 means chance decides between 1 and 80.
	Entries int
	// Version is the header's version. 1 (a linear session without ids, header
	// without version) and 2 (pre-3 role names) are older formats; 0 means 3.
	Version int
	// Clean leaves out what the dialect's own program cannot read without a
	// defect: damaged and glued lines, scalars, cycles, second headers,
	// duplicate and missing ids, messages without usage or content. Every line
	// is then a whole entry. Odd spellings stay (shuffled members, numbers that
	// a double cannot hold, lone surrogates): compare as JavaScript values.
	Clean bool
	// Newlines is how lines end; 0 means chance decides.
	Newlines Newlines
	// Appendable leaves out the unterminated endings, because omp and xcsh glue
	// their next entry to such a line.
	Appendable bool
	// NoSlot leaves out omp's title slot, which otherwise half of omp's
	// sessions begin with.
	NoSlot bool
}

// Session is a generated session and what is in it.
type Session struct {
	// Dialect is the spelling that was used.
	Dialect Dialect
	// ID and CWD are the header's.
	ID, CWD string
	// Bytes is the whole file.
	Bytes []byte
	// IDs lists the ids of the entries, hazards not among them, in file order.
	// It is nil for version 1, where entries have none.
	IDs []string
	// Leaves lists the ids no other entry names as its parent, in file order.
	Leaves []string
	// Parents maps an entry id to its parent's, "" for a root.
	Parents map[string]string
	// Labels maps an entry id to the label in effect at the end of the file.
	Labels map[string]string
	// Messages lists the ids of the message entries, in file order.
	Messages []string
	// Kinds counts the entries by type.
	Kinds map[string]int
	// CRLF says that lines end in CR LF, Unterminated that the last one ends in
	// nothing, Slot that a title slot comes first.
	CRLF, Unterminated, Slot bool
	// Hazards names what was put in that a strict reader must survive, in file
	// order; empty when Clean.
	Hazards []string
}

// Leaf returns the id of the last entry, where the published format puts the
// leaf, or "" for a session without entries or of version 1.
func (s Session) Leaf() string {
	if len(s.IDs) == 0 {
		return ""
	}
	return s.IDs[len(s.IDs)-1]
}

// Random returns a random session. It draws only from rng, so equal seeds give
// equal bytes. It does not retain rng and is safe to call concurrently with
// different sources.
func Random(rng *rand.Rand, opts Options) Session {
	g := newGenerator(rng, opts)
	g.header()
	for range g.opts.Entries {
		if !g.opts.Clean && rng.IntN(12) == 0 {
			g.hazard()
		}
		g.wander()
		g.next()
	}
	return g.finish()
}
