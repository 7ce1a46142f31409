package state

// A Glance is what was just seen of the file of a session, by who listed many.
type Glance struct {
	// Path is the file, which is no link.
	Path string
	// Dev and Ino say which file it is.
	Dev, Ino uint64
	// ModTime is when it changed, in nanoseconds since 1970.
	ModTime int64
	// Beside says that in its directory there are files whose names begin with a
	// dot, as locks do.
	Beside bool
}

// suspects are the sessions of which more must be asked.
type suspects struct {
	paths map[string]bool
	files map[file]bool
}

type file struct{ dev, ino uint64 }

// Idle reports whether Who would find nobody who has a session open, if that can
// be told by what was seen of its file. It asks the system for nothing.
func (v *View) Idle(g *Glance) bool {
	if v.suspects == nil {
		v.suspects = v.suspect()
	}
	s := v.suspects
	return !g.Beside && !s.files[file{g.Dev, g.Ino}] && !s.paths[g.Path] && !v.p.recent(g.ModTime)
}

// suspect finds the sessions that somebody may have open.
func (v *View) suspect() *suspects {
	s := &suspects{paths: map[string]bool{}, files: map[file]bool{}}
	for _, is := range v.entered {
		s.paths[string(is.Path)] = true
		s.files[file{is.Dev, is.Ino}] = true
	}
	for _, p := range v.procs {
		for _, d := range p.files {
			s.files[file{d.dev, d.ino}] = true
		}
	}
	for _, n := range v.notes {
		if _, ok := n.runs(v); ok {
			s.paths[v.p.real(n.path)] = true
		}
	}
	return s
}
