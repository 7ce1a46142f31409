// Package pathname says how paths are spelled on each kind of system, and which
// spellings are of one path. Its functions are pure: what a machine knows of its disk
// comes in as values.
//
// It does not know where programs keep things; see package layout.
package pathname

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
)

// A Kind is how a system spells paths.
type Kind int

const (
	// POSIX has one root and slashes. Each spelling is another path.
	POSIX Kind = iota
	// Windows has drives and shares, separators of both kinds, and no case.
	Windows
)

func (k Kind) isSep(b byte) bool { return b == '/' || b == '\\' && k == Windows }

func (k Kind) sep() string {
	if k == Windows {
		return `\`
	}
	return "/"
}

// Volume returns the drive ("C:") or UNC root (`\\host\share`) that begins p;
// always "" on POSIX.
func (k Kind) Volume(p string) string {
	if k != Windows {
		return ""
	}
	if len(p) >= 2 && p[1] == ':' && ident.IsLetter(p[0]) {
		return p[:2]
	}
	if len(p) < 3 || !k.isSep(p[0]) || !k.isSep(p[1]) || k.isSep(p[2]) {
		return ""
	}
	host := k.indexSep(p, 2)
	if host < 0 || host+1 >= len(p) || k.isSep(p[host+1]) {
		return ""
	}
	if share := k.indexSep(p, host+1); share >= 0 {
		return p[:share]
	}
	return p
}

// indexSep returns the index of the first separator of p at or after from, or
// -1.
func (k Kind) indexSep(p string, from int) int {
	for i := from; i < len(p); i++ {
		if k.isSep(p[i]) {
			return i
		}
	}
	return -1
}

// Rooted says whether p begins at a root, be it with or without a volume.
func (k Kind) Rooted(p string) bool {
	rest := p[len(k.Volume(p)):]
	return rest != "" && k.isSep(rest[0])
}

// Clean resolves "." and ".." of a rooted path by spelling alone, and drops
// repeated and trailing separators.
func (k Kind) Clean(p string) string {
	vol := k.Volume(p)
	var parts []string
	for rest := p[len(vol):]; rest != ""; {
		part := rest
		if i := k.indexSep(rest, 0); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		switch part {
		case "", ".":
		case "..":
			if len(parts) > 0 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, part)
		}
	}
	if k == Windows {
		vol = strings.ReplaceAll(vol, "/", `\`)
	}
	return vol + k.sep() + strings.Join(parts, k.sep())
}

// Shell returns how Windows spells a path on a drive that a shell, or WSL, spelled:
// "/c/dir", "/cygdrive/c/dir", "/mnt/c/dir" (pi 0.87.1, utils/paths). Any other path,
// and any on another system, is returned as it is.
func (k Kind) Shell(p string) string {
	if k != Windows || strings.HasPrefix(p, "//") || strings.Contains(p, `\`) {
		return p
	}
	rest, ok := strings.CutPrefix(p, "/mnt/")
	if !ok {
		rest, ok = strings.CutPrefix(p, "/cygdrive/")
	}
	if !ok {
		rest, ok = strings.CutPrefix(p, "/")
	}
	if !ok || rest == "" || !ident.IsLetter(rest[0]) || len(rest) > 1 && rest[1] != '/' {
		return p
	}
	return strings.ToUpper(rest[:1]) + `:\` + strings.ReplaceAll(strings.TrimPrefix(rest[1:], "/"), "/", `\`)
}
