package state

// Alive reports whether there is a process of that number.
func Alive(pid int) bool { return alive(pid) }
