package places

import "github.com/cambium-dev/cambium/layout"

// Owner returns the dialect in whose home the path lies (its sessions roots and
// its agent directory, as spelled and with links resolved), "" when it lies in
// none or in one that several dialects share: PI_CODING_AGENT_DIR names one
// directory for pi, omp and xcsh alike. Of homes inside each other the inner one
// counts.
func Owner(path string, on layout.Env) string {
	env := machine(on)
	lexical := env.resolve(path)
	canon := env.real(lexical)
	owner, depth := "", 0
	for _, name := range Names() {
		place := For(name, on, layout.Overrides{})
		best := 0
		for _, dir := range append(place.Roots(), place.Agent, place.Flat) {
			if dir == "" {
				continue
			}
			_, spelled := env.under(dir, lexical)
			_, resolved := env.under(env.real(dir), canon)
			if spelled || resolved {
				best = max(best, len(dir))
			}
		}
		switch {
		case best == 0 || best < depth:
		case best == depth:
			owner = ""
		default:
			owner, depth = name, best
		}
	}
	return owner
}
