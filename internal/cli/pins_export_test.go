package cli

import "github.com/cambium-dev/cambium/catalog"

// Pins pins sessions, or no longer, and returns which of some sessions are
// pinned then: p1 and p2 of pi, o1 and o2 of omp.
func Pins(env []string, dir string, ids []string, on bool) (refused, pinned []string, err error) {
	a := newApp(System{Env: env, Dir: dir})
	if refused, err = a.lib.Pin(ids, on); err != nil {
		return refused, nil, err
	}
	all := a.lib.Pins()
	for _, info := range []catalog.Info{{ID: "p1", Agent: "pi"}, {ID: "p2", Agent: "pi"}, {ID: "o1", Agent: "omp"}, {ID: "o2", Agent: "omp"}} {
		if all.Has(&info) {
			pinned = append(pinned, info.ID)
		}
	}
	return refused, pinned, nil
}
