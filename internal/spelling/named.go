package spelling

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// nameTime is the member of a header that tells when the name beside it was
// given: {"at": a time, "of": which name}. The programs know no such member and
// keep it, with whatever name they give the session then: that is why it says of
// which name it speaks.
const nameTime = "cambium.named"

// NamedAt returns when the name that a header line has was given, in
// milliseconds since 1970, and false where that is not known.
func NamedAt(header []byte, title string) (int64, bool) {
	raw, ok := jsonedit.Get(header, nameTime)
	if !ok || jsonedit.Kind(raw) != '{' {
		return 0, false
	}
	if of, _ := jsonedit.Text(raw, "of"); of != nameSum(title) {
		return 0, false
	}
	at, _ := jsonedit.Text(raw, "at")
	return jsonedit.ParseTime(at)
}

// WithNamedAt returns a header line that tells when its name, title, was given,
// in milliseconds since 1970.
func WithNamedAt(header []byte, title string, at int64) []byte {
	var o jsonedit.Object
	o.String("at", jsonedit.FormatTime(at)).String("of", nameSum(title))
	return jsonedit.Set(header, nameTime, o.Value())
}

// nameSum tells names apart in few characters.
func nameSum(title string) string {
	sum := sha256.Sum256([]byte(title))
	return hex.EncodeToString(sum[:6])
}
