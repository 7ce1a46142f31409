package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is how long a name may be that every provider takes.
const maxName = 64

// namePart makes of a name what may stand in that of a tool: small letters, digits
// and single underscores; otherwise where nothing is left.
func namePart(name, otherwise string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r < 'a' && (r < '0' || r > '9') || r > 'z' {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return otherwise
	}
	return b.String()
}

// shorter cuts a name that is too long; a part of its hash keeps it apart from
// others.
func shorter(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "_" + hex.EncodeToString(sum[:4])
	return strings.TrimRight(name[:maxName-len(end)], "_") + end
}
