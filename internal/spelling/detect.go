package spelling

import (
	"slices"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Marks are what in a file gives its dialect away (D19). The zero Marks has
// seen nothing.
type Marks struct {
	omp, pi, xcsh bool
}

// Slot notes that the file begins with a title slot.
func (m *Marks) Slot() { m.omp = true }

// See notes an entry. Of its line, which may be nil, only a model_change is
// looked into.
func (m *Marks) See(kind entry.Kind, line []byte) {
	switch kind {
	case entry.TitleChange, entry.ModelUsage, entry.CredentialPin, entry.ResetBoundary:
		m.omp = true
	case entry.SessionInfo, entry.ContextEdit, entry.Usage:
		m.pi = true
	case entry.ModelChange:
		if !m.pi {
			_, m.pi = jsonedit.Get(line, "provider")
		}
	case entry.MCPToolSelection:
		m.xcsh = true
	}
}

// Detect returns the dialect of a file that lies in the given home ("" when it
// lies in none) and has the given marks: the home's, else the one that the marks
// tell, omp before pi before xcsh, else cambium (D19).
func Detect(home dialect.Name, m Marks) dialect.Name {
	switch {
	case home != "":
		return home
	case m.omp:
		return dialect.Omp
	case m.pi:
		return dialect.Pi
	case m.xcsh:
		return dialect.Xcsh
	}
	return dialect.Cambium
}

// NameOf returns the name of the dialect of a session: that of the home it lies
// in, unless home is "" or unknown, else the one that a converted session names
// in its header (cambium.agent), else what its header and its marks tell
// ([Detect]).
func NameOf(home dialect.Name, h *entry.Header, m Marks) dialect.Name {
	if known(home) || slices.Contains(Foreign, home) {
		return home
	}
	agent, _ := jsonedit.Path(h.Raw, "cambium", "agent")
	if name, _ := jsonedit.String(agent); known(dialect.Name(name)) {
		return dialect.Name(name)
	}
	if h.Slot != nil {
		m.Slot()
	}
	return Detect("", m)
}

// Of returns the dialect of a session, as [NameOf] does by what its entries
// tell. It loads model changes only, and only until one tells; a line that
// cannot be loaded tells nothing.
func Of(home dialect.Name, l *entry.List, h entry.Header) Dialect {
	var m Marks
	if l != nil && !l.Has(entry.ModelChange) {
		for kind := range l.Kinds() {
			m.See(kind, nil)
		}
		l = nil
	}
	for i := 0; !known(home) && l != nil && i < l.Len() && !m.omp; i++ {
		kind := l.Kind(i)
		var line []byte
		if kind == entry.ModelChange && !m.pi {
			line, _ = l.Load(i) // an unreadable line has no marks
		}
		m.See(kind, line)
	}
	return Reading(NameOf(home, &h, m))
}

// known reports whether there is a dialect of that name.
func known(name dialect.Name) bool {
	return name == dialect.Cambium || name == dialect.Pi || name == dialect.Omp || name == dialect.Xcsh
}
