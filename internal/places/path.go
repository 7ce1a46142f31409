package places

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/pathname"
)

func (e machine) windows() bool { return e.Separator == '\\' }

func (e machine) isSep(b byte) bool { return b == '/' || b == '\\' && e.windows() }

func (e machine) sep() string {
	if e.windows() {
		return `\`
	}
	return "/"
}

// kind is how paths are spelled on the machine.
func (e machine) kind() pathname.Kind {
	if e.windows() {
		return pathname.Windows
	}
	return pathname.POSIX
}

func (e machine) volume(p string) string { return e.kind().Volume(p) }

func (e machine) rooted(p string) bool { return e.kind().Rooted(p) }

func (e machine) clean(p string) string { return e.kind().Clean(p) }

// resolve makes p absolute against Cwd and cleans it, as path.resolve does.
func (e machine) resolve(p string) string {
	if e.rooted(p) {
		if e.windows() && e.volume(p) == "" {
			p = e.volume(e.Cwd) + p
		}
		return e.clean(p)
	}
	if vol := e.volume(p); vol != "" {
		// "C:x" is relative to a directory that Windows keeps for each drive;
		// ours is the only one known.
		if !strings.EqualFold(vol, e.volume(e.Cwd)) {
			return e.clean(vol + e.sep() + p[len(vol):])
		}
		p = p[len(vol):]
	}
	return e.clean(e.Cwd + e.sep() + p)
}

// join puts parts under a rooted directory.
func (e machine) join(dir string, parts ...string) string {
	return e.clean(dir + e.sep() + strings.Join(parts, e.sep()))
}

// base returns the last element of a cleaned path, "" of a root.
func (e machine) base(p string) string {
	rest := p[len(e.volume(p)):]
	for i := len(rest) - 1; i >= 0; i-- {
		if e.isSep(rest[i]) {
			return rest[i+1:]
		}
	}
	return rest
}

// under returns the path of p relative to dir, both cleaned, and whether p is
// dir or lies below it.
func (e machine) under(dir, p string) (string, bool) {
	equal := func(a, b string) bool { return a == b }
	if e.windows() {
		equal = strings.EqualFold
	}
	if equal(p, dir) {
		return "", true
	}
	if !strings.HasSuffix(dir, e.sep()) {
		dir += e.sep()
	}
	if len(p) <= len(dir) || !equal(p[:len(dir)], dir) {
		return "", false
	}
	return p[len(dir):], true
}

// expand replaces a leading "~" or "~/" by the home directory.
func (e machine) expand(p string) string {
	if p == "~" {
		return e.Home
	}
	if len(p) > 1 && p[0] == '~' && e.isSep(p[1]) {
		return e.Home + p[1:]
	}
	return p
}

// fromURL turns a file URL into its path; anything else is returned as it is.
func (e machine) fromURL(p string) string {
	rest, ok := strings.CutPrefix(p, "file://")
	if !ok {
		return p
	}
	host, path, found := strings.Cut(rest, "/")
	if !found || host != "" && host != "localhost" {
		return p
	}
	path, ok = percentDecode(path)
	if !ok {
		return p
	}
	if e.windows() && e.volume(path) != "" {
		return path
	}
	return "/" + path
}

// percentDecode decodes %XX; false when a percent sign has no two hex digits
// behind it.
func percentDecode(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			return "", false
		}
		b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
		i += 2
	}
	return string(b), true
}

func isHex(b byte) bool { return ident.IsDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }

func unhex(b byte) byte {
	if ident.IsDigit(b) {
		return b - '0'
	}
	return b | 0x20 - 'a' + 10
}
