package spelling

import (
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
)

// FirstUser reports whether a version of a program, such as "1.5.2", writes a session
// with the first message of the user; else it waits for the first answer. pi 1.5.2
// does, 0.87.1 does not.
func FirstUser(name dialect.Name, version string) bool {
	return name == dialect.Pi && reached(version, 1, 5)
}

// reached reports whether a version is at least major.minor; what is no version is not.
func reached(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	b, err := strconv.Atoi(second)
	return err == nil && (a > major || a == major && b >= minor)
}
