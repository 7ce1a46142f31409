package entry

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// A name is packed if and only if it is eight lower-case hexadecimal digits.
func TestPackedNames(t *testing.T) {
	for _, name := range []string{"00000000", "ffffffff", "01234567", "89abcdef", "9a0f1e2d"} {
		if k := keyOf([]byte(name)); !k.packed || fmt.Sprintf("%08x", k.number) != name || k.String() != name {
			t.Errorf("%q: %v %q", name, k, k)
		}
	}
	for c := range 256 {
		for at := range 8 {
			name := []byte("9a0f1e2d")
			name[at] = byte(c)
			hex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
			if k := keyOf(name); k.packed != hex || k.String() != string(name) {
				t.Errorf("%q: %v %q", name, k, k)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("09afAF`:g@GÿP\x00")), 7, 9, -1).Draw(t, "name")
		if k := keyOf([]byte(name)); k.String() != name {
			t.Fatalf("%q: %v %q", name, k, k)
		}
	})
}
