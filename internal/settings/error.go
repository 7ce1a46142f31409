package settings

import (
	"bytes"
	"fmt"
)

// An Error says what of a settings file cannot be taken, and where. It never
// holds a value of the file.
type Error struct {
	// Path is the file, "" where only its bytes are known.
	Path string
	// Member is the member's name with those around it, such as
	// "compaction.reserveTokens"; "" for the file as a whole.
	Member string
	// Line and Byte are where it stands, both from 1; Byte is within the line.
	Line, Byte int
	// Reason is what is wrong, with what was expected.
	Reason string
}

// Error says it in one line.
func (e *Error) Error() string {
	file := "settings"
	if e.Path != "" {
		file = fmt.Sprintf("settings %q", e.Path)
	}
	member := ""
	if e.Member != "" {
		member = e.Member + ": "
	}
	return fmt.Sprintf("read %s: line %d, byte %d: %s%s", file, e.Line, e.Byte, member, e.Reason)
}

// at makes an error of a place in the data.
func at(data []byte, offset int, member, reason string) *Error {
	before := data[:min(offset, len(data))]
	return &Error{
		Member: member, Reason: reason,
		Line: 1 + bytes.Count(before, []byte("\n")), Byte: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}
