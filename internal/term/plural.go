package term

import (
	"fmt"
	"strings"
)

// Plural returns "1 thing" or "n things".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	stem, y := strings.CutSuffix(one, "y")
	switch {
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	case strings.HasSuffix(one, "ch"):
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}
