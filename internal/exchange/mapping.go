package exchange

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/layout"
)

// homeToken stands for the home directory in headers of a shared side.
const homeToken = "~"

// ErrOutside: a path would lead out of where it belongs. Nothing was written.
var ErrOutside = errors.New("it would lead outside")

// A Mapping says that the working directory From of a shared side, and all that
// is in it, is To here. From is absolute or begins with "~", the home directory
// of whoever looks; To is absolute.
type Mapping struct{ From, To string }

// ParseMapping reads FROM=TO and checks it. home is what a "~" in TO means.
func ParseMapping(text, home string) (Mapping, error) {
	from, to, ok := strings.Cut(text, "=")
	m := Mapping{trimSlash(slashed(from)), trimSlash(slashed(to))}
	if rest, in := inHome(m.To); in {
		m.To = trimSlash(slashed(home)) + rest
	}
	switch {
	case !ok || from == "" || to == "":
		return m, fmt.Errorf("read mapping %q: want FROM=TO", text)
	case climbs(m.From) || climbs(m.To):
		return m, fmt.Errorf("read mapping %q: %w: it holds %q", text, ErrOutside, "..")
	case !rooted(m.To):
		return m, fmt.Errorf("read mapping %q: want an absolute path behind the =", text)
	}
	if _, in := inHome(m.From); !in && !rooted(m.From) {
		return m, fmt.Errorf("read mapping %q: want an absolute path, or one that begins with ~/, before the =", text)
	}
	return m, nil
}

// paths translates working directories between this machine and a shared side,
// in which they are written with slashes and the home as "~".
type paths struct {
	home string
	maps []Mapping
	env  layout.Env
}

func newPaths(env layout.Env, maps []Mapping) paths {
	return paths{home: trimSlash(slashed(env.Home)), maps: maps, env: env}
}

// out returns the working directory cwd of this machine as the shared side has
// it.
func (p *paths) out(cwd string) string {
	given := cwd
	if p.env.Separator == '\\' {
		cwd = slashed(cwd)
	}
	best, from := "", ""
	for _, m := range p.all() {
		if _, ok := below(m.To, cwd); ok && len(m.To) > len(best) {
			best, from = m.To, m.From
		}
	}
	if best == "" {
		return given
	}
	rest, _ := below(best, cwd)
	return from + rest
}

// in returns the working directory cwd of the shared side as this machine has
// it. The error wraps ErrOutside for one that does not stay below what it is
// mapped to.
func (p *paths) in(cwd string) (string, error) {
	best, to := "", ""
	for _, m := range p.all() {
		if _, ok := below(m.From, cwd); ok && len(m.From) > len(best) {
			best, to = m.From, m.To
		}
	}
	if best == "" {
		if _, in := inHome(cwd); in {
			return "", fmt.Errorf("map directory %q: this machine has no home directory", cwd)
		}
		return cwd, nil
	}
	rest, _ := below(best, cwd)
	if climbs(rest) || strings.ContainsAny(rest, "\x00") || p.env.Separator == '\\' && strings.ContainsAny(rest, `\:`) {
		return "", fmt.Errorf("map directory %q to %q: %w", cwd, to, ErrOutside)
	}
	mapped := to
	if clean := path.Clean("/" + rest); clean != "/" {
		mapped += clean
	}
	if p.env.Separator == '\\' {
		mapped = strings.ReplaceAll(mapped, "/", `\`)
	}
	return mapped, nil
}

// all are the mappings that were given, and that of the home.
func (p *paths) all() []Mapping {
	if p.home == "" || p.home == "/" {
		return p.maps
	}
	return append(p.maps[:len(p.maps):len(p.maps)], Mapping{homeToken, p.home})
}

// below returns what follows dir in a path that is dir or lies in it: "" or a
// slash and more.
func below(dir, p string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, dir)
	return rest, ok && (rest == "" || rest[0] == '/')
}

func inHome(p string) (rest string, ok bool) { return below(homeToken, p) }

func climbs(p string) bool {
	for part := range strings.SplitSeq(slashed(p), "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

func trimSlash(p string) string {
	for len(p) > 1 && p[len(p)-1] == '/' {
		p = p[:len(p)-1]
	}
	return p
}

func rooted(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}
