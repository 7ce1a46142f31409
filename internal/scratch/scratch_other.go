//go:build !linux

package scratch

// InMemory does nothing here.
func InMemory() {}
