// Package blob keeps bytes under the name of their SHA-256.
//
// A [Ref] is what a text holds in the bytes' stead: "blob:sha256:" and exactly
// 64 lower-case hexadecimal digits, as published (P1, P4). Anything else is
// not a reference, so a reference can never name another file: the digits
// alone become the file name, in one flat directory.
//
// What is read is checked against its name. Package blob does not know what
// the bytes are: the text of a data URL is bytes like any other.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
)

// What goes wrong with blobs.
var (
	// ErrNotExist: the store holds no such blob. It is fs.ErrNotExist.
	ErrNotExist = fs.ErrNotExist
	// ErrMismatch: what is stored under the name has another hash. It is not
	// returned as content; putting the right bytes again repairs it.
	ErrMismatch = errors.New("content does not match its hash")
)

// Prefix is what every reference begins with.
const Prefix = "blob:sha256:"

// Ref names bytes by their SHA-256. The zero Ref names nothing. Refs may be
// compared and used as map keys.
type Ref struct {
	sum [sha256.Size]byte
	set bool
}

// RefOf returns the reference of data.
func RefOf(data []byte) Ref { return Ref{sum: sha256.Sum256(data), set: true} }

// ParseRef reads a reference. ok is false for any text that is not exactly
// one: such a text stands for itself.
func ParseRef(text string) (ref Ref, ok bool) {
	digits, found := strings.CutPrefix(text, Prefix)
	if !found {
		return Ref{}, false
	}
	return ParseHash(digits)
}

// ParseHash reads the 64 lower-case hexadecimal digits of a reference alone,
// as they are in a file name.
func ParseHash(digits string) (ref Ref, ok bool) {
	if len(digits) != 2*sha256.Size || strings.Trim(digits, "0123456789abcdef") != "" {
		return Ref{}, false
	}
	if _, err := hex.Decode(ref.sum[:], []byte(digits)); err != nil {
		return Ref{}, false
	}
	ref.set = true
	return ref, true
}

// String returns the reference as text; "" for the zero Ref.
func (r Ref) String() string {
	if !r.set {
		return ""
	}
	return Prefix + r.Hash()
}

// Hash returns the 64 digits.
func (r Ref) Hash() string { return hex.EncodeToString(r.sum[:]) }

// Sum returns the SHA-256 itself.
func (r Ref) Sum() [sha256.Size]byte { return r.sum }

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return !r.set }

// Store keeps blobs. It is safe for concurrent use.
type Store interface {
	// Put stores data and returns its reference once it is durable. ext is the
	// extension, without a dot, under which other programs may want to find
	// it; "" for none, and a store may ignore it. What is there already is
	// checked, and written again if it is wrong.
	Put(ctx context.Context, data []byte, ext string) (Ref, error)
	// Read returns the bytes of a reference, which belong to the caller:
	// ErrNotExist if there are none, ErrMismatch if they are not the ones.
	Read(ctx context.Context, ref Ref) ([]byte, error)
}
