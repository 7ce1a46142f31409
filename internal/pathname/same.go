package pathname

import (
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/ident"
	"golang.org/x/text/unicode/norm"
)

// A Machine is what is known of a machine whose paths are compared.
type Machine struct {
	// Kind is how it spells paths.
	Kind Kind
	// Distro is the Linux within Windows that it is, "" for none.
	Distro string
	// Home is a directory that is there, by which is found out whether case counts.
	Home string
	// Real returns a path with its links resolved, false when it cannot; nil: no path
	// has links.
	Real func(path string) (string, bool)
	// Exists says whether a path exists; nil: nothing does.
	Exists func(path string) bool
}

// Same reports whether two spellings are of one path, as far as spelling and Real say.
// Case does not count on Windows, and where the machine finds its home by other letters,
// as macOS does on most disks; there it does not count either how accents are composed. On Windows a path may be
// spelled as a shell or WSL spells it, and in WSL as Windows does. An empty path is the
// same as none.
func (m Machine) Same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if a == b {
		return true
	}
	a, b = m.canonical(a), m.canonical(b)
	if a == b {
		return true
	}
	if m.ofWindows(a) {
		return strings.EqualFold(a, b) // its disks tell accents apart by how they are composed
	}
	return like(a, b) && m.findsOthers()
}

// canonical returns what a path leads to, as the machine spells it.
func (m Machine) canonical(p string) string {
	p = m.native(p)
	if m.Real != nil {
		if real, ok := m.Real(p); ok {
			return m.native(real)
		}
	}
	return strings.TrimSuffix(p, "/")
}

// native returns how the machine spells a path that was spelled beside it.
func (m Machine) native(p string) string {
	switch {
	case m.Kind == Windows:
		p = m.Kind.Shell(p)
		if rest, ok := cutFold(p, `\\?\UNC\`); ok {
			p = `\\` + rest
		} else if rest, ok := cutFold(p, `\\?\`); ok {
			p = rest
		}
		if rest, ok := cutFold(p, `\\wsl$\`); ok {
			p = `\\wsl.localhost\` + rest
		}
		if m.Kind.Rooted(p) {
			p = m.Kind.Clean(p)
		}
	case m.Distro != "":
		if len(p) > 2 && p[1] == ':' && ident.IsLetter(p[0]) && (p[2] == '\\' || p[2] == '/') {
			return "/mnt/" + strings.ToLower(p[:1]) + "/" + strings.ReplaceAll(p[3:], `\`, "/")
		}
		for _, host := range []string{`\\wsl.localhost\`, `\\wsl$\`} {
			if rest, ok := cutFold(p, host+m.Distro); ok && (rest == "" || rest[0] == '\\') {
				return "/" + strings.TrimPrefix(strings.ReplaceAll(rest, `\`, "/"), "/")
			}
		}
	}
	return p
}

// ofWindows reports whether a path is on a disk of Windows.
func (m Machine) ofWindows(p string) bool {
	return m.Kind == Windows || m.Distro != "" && len(p) > 6 && strings.HasPrefix(p, "/mnt/") && p[6] == '/'
}

// findsOthers reports whether the machine finds its home by other letters too.
func (m Machine) findsOthers() bool {
	if m.Exists == nil {
		return false
	}
	for _, other := range []string{strings.ToUpper(m.Home), strings.ToLower(m.Home)} {
		if other != "" && other != m.Home && m.Exists(other) {
			return true
		}
	}
	return false
}

// like reports whether two paths differ in case, and in how accents are composed, alone.
func like(a, b string) bool {
	if !plain(a) || !plain(b) {
		a, b = norm.NFC.String(norm.NFD.String(a)), norm.NFC.String(norm.NFD.String(b))
	}
	return strings.EqualFold(a, b)
}

// plain reports whether a text has no accents.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// cutFold cuts a prefix of whatever case.
func cutFold(p, prefix string) (rest string, ok bool) {
	if len(p) < len(prefix) || !strings.EqualFold(p[:len(prefix)], prefix) {
		return p, false
	}
	return p[len(prefix):], true
}
