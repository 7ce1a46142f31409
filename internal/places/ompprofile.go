package places

import (
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/layout"
)

// Profile returns the name of omp's active profile, "" for none. OMP_PROFILE
// decides when it is set, be it empty, else PI_PROFILE; blanks around it are
// ignored, nothing and "default" mean none. A name that omp would refuse is an
// error that says why.
func Profile(on layout.Env) (string, error) {
	env := machine(on)
	name, set := env.lookup("OMP_PROFILE")
	if !set {
		name = env.getenv("PI_PROFILE")
	}
	return normalProfile(name)
}

// normalProfile trims and checks a profile's name by the rule of omp 18.2.3.
func normalProfile(given string) (string, error) {
	name := strings.TrimSpace(given)
	if name == "" || name == "default" {
		return "", nil
	}
	if !validProfile(name) {
		return "", fmt.Errorf("use profile %q: want 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit, not ending in a dot, and no device name", given)
	}
	return name, nil
}

func validProfile(name string) bool {
	if len(name) > 64 || !ident.IsAlnum(name[0]) {
		return false
	}
	for i := range len(name) {
		b := name[i]
		if !ident.IsDigit(b) && (b < 'a' || b > 'z') && b != '.' && b != '_' && b != '-' {
			return false
		}
	}
	return !strings.HasSuffix(name, ".") && !ident.Reserved(name)
}
