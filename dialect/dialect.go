package dialect

// Name names a dialect. The zero Name is none.
type Name string

// The dialects.
const (
	// Cambium is the published format (P1) to the letter.
	Cambium Name = "cambium"
	// Pi is living pi.
	Pi Name = "pi"
	// Omp is living omp, its title slot included.
	Omp Name = "omp"
	// Xcsh is living xcsh.
	Xcsh Name = "xcsh"
)

// Sources of a title.
const (
	AutoTitle = "auto"
	UserTitle = "user"
)
