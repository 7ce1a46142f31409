package jetstream

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"unicode/utf8"
)

// maxSubject bounds the subject of a name: a server reads control lines of 4096
// bytes.
const maxSubject = 3000

// A place is a name and its subject.
type place struct{ name, subject string }

// placeOf makes the subject of a name: one token for each segment, letters and
// digits as they are. The empty one before the first slash is "=".
func (s *natsStore) placeOf(name string) (place, error) {
	name = path.Clean(name)
	p := place{name: name, subject: s.names + s.tokens(name)}
	if len(p.subject) > maxSubject || !utf8.ValidString(name) || strings.IndexByte(name, 0) >= 0 {
		return place{}, fmt.Errorf("name %.40q: %w: want at most 1000 bytes of UTF-8", name, fs.ErrInvalid)
	}
	return p, nil
}

func (s *natsStore) tokens(name string) string {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = encode(segment)
	}
	return strings.Join(segments, ".")
}

// encode makes a token of a segment of a name.
func encode(segment string) string {
	if segment == "" {
		return "="
	}
	var b strings.Builder
	for i := range len(segment) {
		c := segment[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

// decode reads the name of a subject's tokens.
func decode(tokens string) (string, error) {
	segments := strings.Split(tokens, ".")
	for i, token := range segments {
		if token == "=" {
			segments[i] = ""
			continue
		}
		var b strings.Builder
		for j := 0; j < len(token); j++ {
			c := token[j]
			if c == '=' {
				if _, err := fmt.Sscanf(token[j:], "=%02X", &c); err != nil {
					return "", errRecord
				}
				j += 2
			}
			b.WriteByte(c)
		}
		segments[i] = b.String()
	}
	name := strings.Join(segments, "/")
	if name == "" {
		name = "/"
	}
	return name, nil
}

// project is the number by which logs are grouped: that of the directory in
// which they began.
func (p place) project() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path.Dir(p.name))) // never fails
	return h.Sum32()
}

// newToken returns a random number above 0.
func newToken() uint64 {
	for {
		if n := rand.Uint64(); n != 0 && uint32(n) != 0 {
			return n
		}
	}
}
