package jsonl

import (
	"errors"
	"fmt"
)

var (
	// ErrNotObject is returned for a line that is one whole JSON value but not
	// an object: a scalar, null or an array.
	ErrNotObject = errors.New("scan line: not an object")

	// ErrStop is returned by the callback of [Lines] or [Reverse] to end the
	// reading; they then return nil.
	ErrStop = errors.New("read lines: stop")

	// ErrLineFeed is returned by [AppendLine] for a value that holds an LF and
	// would become two lines. Compact the value first.
	ErrLineFeed = errors.New("append line: value holds a line feed")
)

// A SyntaxError says why bytes are not one JSON value.
type SyntaxError struct {
	Offset int    // of the first byte that cannot be, or the length at the end
	Reason string // such as "unexpected end"
}

// Error gives the reason and the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("scan line: %s at byte %d", e.Reason, e.Offset)
}

// Torn reports whether the value merely ends too early, as a line does that was
// not written to its end.
func (e *SyntaxError) Torn() bool { return e.Reason == reasonEnd }

const (
	reasonEnd     = "unexpected end"
	reasonByte    = "unexpected byte"
	reasonAfter   = "unexpected byte after value"
	reasonControl = "control character in string"
	reasonEscape  = "invalid escape in string"
	reasonNumber  = "invalid number"
	reasonLiteral = "invalid literal"
	reasonName    = "name expected"
	reasonColon   = "colon expected"
	reasonComma   = "comma or end of container expected"
	reasonDeep    = "nested too deeply"
)
