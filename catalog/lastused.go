package catalog

import (
	"path"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/layout"
)

// LastUsed returns the path of the session that a terminal last used in o.CWD,
// by the notes that the programs keep (published P3), and whether there is one:
// its file exists. tty is the terminal's device, "" when only the environment
// tells which it is. Of several programs' sessions it is the one whose file
// changed last. omp's must lie in SessionDir, if that is set; the others' need
// not.
func LastUsed(tty string, o Options) (string, bool) {
	found, newest := "", int64(0)
	for _, place := range o.places() {
		terminal, ok := layout.TerminalID(place.Name, tty, o.Env)
		if !ok || place.Breadcrumbs == "" {
			continue
		}
		crumb, ok := breadcrumb.Read(o.fsys(), path.Join(place.Breadcrumbs, terminal))
		if !ok || !crumb.Of(o.CWD, o.Env.Real) {
			continue
		}
		if place.Name == string(dialect.Omp) && o.SessionDir != "" && path.Dir(crumb.Path) != path.Clean(o.SessionDir) {
			continue
		}
		info, err := o.fsys().Stat(crumb.Path)
		if err == nil && info.Regular() && info.ModTime > newest {
			found, newest = crumb.Path, info.ModTime
		}
	}
	return found, found != ""
}
