package picker

// A supply is how far the sessions were brought.
type supply struct {
	read Progress
	done bool
	err  error
	away string // that the store does not answer; "" when it does
}

// progress notes how many were read.
func (s *supply) progress(p Progress) { s.read = p }

// end notes that all are there, or why not.
func (s *supply) end(d Done) { s.done, s.err = true, d.Err }

// reach notes how the store answered.
func (s *supply) reach(a Away) { s.away = a.Text }
