package message

// Forget makes m one that was made in the program: of what it was decoded from only the
// extra members are left.
func Forget(m Message) { m.origin().raw = nil }
