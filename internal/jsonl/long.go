package jsonl

import (
	"fmt"
	"io"
)

// ScanLong resets m and feeds it a line of r that is too long to hold, trimmed
// as [Trim] does. It returns what [Query.Scan] would; the spans of m count from
// the line's first byte, what was trimmed included. A failure to read is
// returned wrapped.
func ScanLong(r io.ReaderAt, line Line, m *Machine) error {
	m.Reset()
	buf := make([]byte, min(max(line.Len, 1), 256<<10))
	start, end, err := trimLong(r, line, buf)
	if err != nil {
		return err
	}
	m.off = int(start - line.Off)
	for off := start; off < end; {
		p := buf[:min(int64(len(buf)), end-off)]
		if err := readPart(r, p, off); err != nil {
			return err
		}
		if _, err := m.Write(p); err != nil {
			return err
		}
		off += int64(len(p))
	}
	return m.Close()
}

// trimLong returns where the trimmed line begins and ends in r.
func trimLong(r io.ReaderAt, line Line, buf []byte) (start, end int64, err error) {
	start, end = line.Off, line.Off+line.Len
	for start < end {
		p := buf[:min(int64(len(buf)), end-start)]
		if err := readPart(r, p, start); err != nil {
			return 0, 0, err
		}
		s := Trim(p, start)
		if s.Start < len(p) {
			start += int64(s.Start)
			break
		}
		start = behindHole(r, p, start+int64(len(p)), end)
	}
	if end-start > int64(len(buf)) {
		end = beforeHole(r, start, end)
	}
	for end > start {
		p := buf[:min(int64(len(buf)), end-start)]
		if err := readPart(r, p, end-int64(len(p))); err != nil {
			return 0, 0, err
		}
		s := Trim(p, 1) // anywhere but at the start of the file
		if s.End > s.Start {
			end -= int64(len(p) - s.End)
			break
		}
		end -= int64(len(p))
	}
	return start, end, nil
}

func readPart(r io.ReaderAt, p []byte, off int64) error {
	_, err := readAt(r, p, off)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("scan line: at byte %d of the file: %w", off, err)
	}
	return nil
}
