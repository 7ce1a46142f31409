package places

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/layout"
)

// DirName returns the name of the session directory that the dialect writes for
// the working directory cwd. It is one path element; several working directories
// may share it.
//
// The cambium dialect follows P1: "--", the path without its first separator and
// with '/', '\' and ':' replaced by '-', "--". pi writes the same and expands
// "~". omp and xcsh resolve symbolic links and shorten what lies in the home to
// "-REST" and what lies in the temporary directory to "-tmp-REST".
func DirName(name, cwd string, on layout.Env) string {
	env := machine(on)
	switch name {
	case "pi":
		return absoluteForm(env, env.resolve(env.expand(env.kind().Shell(cwd))))
	case "omp", "xcsh":
		return shortForm(env, env.real(env.resolve(cwd)), true)
	}
	return absoluteForm(env, env.resolve(cwd))
}

// DirNames returns every name under which sessions of cwd were ever kept by any
// of the programs, the living form of the dialect first, each once. Reading
// looks into all of them and then trusts the headers.
func DirNames(name, cwd string, on layout.Env) []string {
	env := machine(on)
	expanded := env.resolve(env.expand(env.kind().Shell(cwd)))
	lexical := env.resolve(cwd)
	canon := env.real(lexical)
	names := []string{
		DirName(name, cwd, on),
		absoluteForm(env, expanded),
		shortForm(env, canon, true),
		// Before the programs resolved links they compared the paths as
		// spelled.
		shortForm(env, lexical, false),
		absoluteForm(env, lexical),
		absoluteForm(env, canon),
		spelledHomeForm(env, canon),
		hashedForm(env, canon),
		doubledForm(env, expanded),
		doubledForm(env, canon),
	}
	seen := 0
	for i, n := range names {
		if slices.Contains(names[:seen], n) {
			continue
		}
		names[seen] = names[i]
		seen++
	}
	return names[:seen]
}

// enc replaces each separator and colon, of whatever system, by a dash. Runs are
// not collapsed.
func enc(p string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' {
			return '-'
		}
		return r
	}, p)
}

// rootless drops one leading separator.
func rootless(p string) string {
	if p != "" && (p[0] == '/' || p[0] == '\\') {
		return p[1:]
	}
	return p
}

// absoluteForm is the published form.
func absoluteForm(env machine, p string) string {
	return "--" + enc(rootless(p)) + "--"
}

// shortForm is the form of omp and xcsh, home and temporary directory with their
// links resolved or as spelled.
func shortForm(env machine, p string, resolved bool) string {
	kind, rest := locate(env, p, resolved)
	switch {
	case kind == "abs":
		return absoluteForm(env, p)
	case kind == "home":
		return "-" + enc(rest)
	case rest == "":
		return "-tmp"
	}
	return "-tmp-" + enc(rest)
}

// locate says whether p lies in the home, in the temporary directory or
// elsewhere ("home", "tmp", "abs"), and its path relative to that. What is
// called "..odd" there counts as elsewhere, because the programs test the
// relative path for a leading "..".
func locate(env machine, p string, resolved bool) (kind, rest string) {
	home, tmp := "", env.tempDir()
	if env.Home != "" {
		home = env.clean(env.Home)
	}
	if resolved {
		home, tmp = env.real(home), env.real(tmp)
	}
	if rest, ok := env.under(home, p); ok && home != "" && !strings.HasPrefix(rest, "..") {
		return "home", rest
	}
	if rest, ok := env.under(tmp, p); ok && !strings.HasPrefix(rest, "..") {
		return "tmp", rest
	}
	return "abs", ""
}

// spelledHomeForm is the absolute form of a path in the home with the home as it
// is spelled, which a directory had that was entered below a linked home.
func spelledHomeForm(env machine, canon string) string {
	if kind, rest := locate(env, canon, true); kind == "home" {
		return absoluteForm(env, env.join(env.Home, rest))
	}
	return absoluteForm(env, canon)
}

// hashedForm is what omp 17.2.5 to 17.2.8 wrote: where it lies, a readable end
// and the SHA-256 of the canonical path with forward slashes.
func hashedForm(env machine, canon string) string {
	kind, _ := locate(env, canon, true)
	sum := sha256.Sum256([]byte(strings.ReplaceAll(canon, `\`, "/")))
	return kind + "-" + readable(env.base(canon)) + "-" + hex.EncodeToString(sum[:])
}

// readable replaces each run of what is not a plain character by one dash, trims
// dashes and keeps the last 80 characters.
func readable(base string) string {
	var b strings.Builder
	run := false
	for _, r := range base {
		plain := r < 0x80 && (ident.IsAlnum(byte(r)) || r == '.' || r == '_' || r == '-')
		if plain {
			b.WriteRune(r)
		} else if !run {
			b.WriteByte('-')
		}
		run = !plain
	}
	s := strings.Trim(b.String(), "-")
	if len(s) > 80 {
		s = s[len(s)-80:]
	}
	if s == "" {
		return "project"
	}
	return s
}

// doubledForm is the form of published P5: each separator, the first too, is
// "--", and "--" ends it. Colons, of which P5 does not speak, are dashes.
func doubledForm(env machine, p string) string {
	p = strings.ReplaceAll(rootless(p), ":", "-")
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' && env.windows() })
	return enc("--" + strings.Join(parts, "--") + "--")
}
