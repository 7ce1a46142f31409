package loglines

import (
	"bytes"
	"fmt"
)

// CheckLines is for stores: it refuses lines with a line feed in them, and returns
// how many bytes they are, with one line feed each.
func CheckLines(lines [][]byte) (size int64, err error) {
	for i, line := range lines {
		if bytes.IndexByte(line, '\n') >= 0 {
			return 0, fmt.Errorf("line %d of %d: has a line feed in it", i+1, len(lines))
		}
		size += int64(len(line)) + 1
	}
	return size, nil
}
