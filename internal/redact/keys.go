package redact

import (
	"regexp"
	"strings"
	"sync"
)

var (
	keyBegins = lazily(`(?i)-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----`)
	keyEnds   = lazily(`(?i)-----END[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----`)
)

// privateKeys adds the private keys of a text: from the first line of each to its last, or,
// where that is missing, as far as there are letters of a key. Each line is looked for once,
// so that lines that only begin keys take no time of their own.
func privateKeys(found []span, s string) []span {
	ends := keyEnds().FindAllStringIndex(s, -1)
	until := 0
	for _, begin := range keyBegins().FindAllStringIndex(s, -1) {
		if begin[0] < until {
			continue // in the key before
		}
		for len(ends) > 0 && ends[0][0] < begin[1] {
			ends = ends[1:]
		}
		if len(ends) > 0 {
			until = ends[0][1]
		} else {
			rest := s[begin[1]:]
			until = len(s) - len(strings.TrimLeftFunc(rest, inKey))
		}
		found = append(found, span{begin[0], until, privateKey})
	}
	return found
}

// inKey reports whether a letter may stand in a key, or break its lines.
func inKey(r rune) bool {
	return r < 0x80 && (inToken(byte(r)) && r != '_' && r != '-' && r != '~' && r != '.' || strings.ContainsRune(" \t\r\n\f\\", r))
}

// lazily returns an expression that is compiled when it is first wanted: most commands want none.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
