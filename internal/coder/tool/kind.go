package tool

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// sniffed is how many bytes of a file tell what it is.
const sniffed = 8 << 10

// imageType returns the media type of a picture that models can see, by its
// first bytes; "" for everything else.
func imageType(start []byte) string {
	switch {
	case ordinary(start):
		return ""
	case has(start, 0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has(start, 0, "\xff\xd8\xff"):
		return "image/jpeg"
	case has(start, 0, "GIF87a"), has(start, 0, "GIF89a"):
		return "image/gif"
	case has(start, 0, "RIFF") && has(start, 8, "WEBP"):
		return "image/webp"
	}
	return ""
}

// ordinary reports whether the beginning of a file is text as it stands, whatever
// its first words are.
func ordinary(start []byte) bool {
	return bytes.IndexByte(start, 0) < 0 && utf8.Valid(start[:len(start)-partial(start)])
}

// binary says what a file is that is not text, by its first bytes; "" for text,
// also in an encoding that is not known.
func binary(start []byte) string {
	if ordinary(start) {
		return ""
	}
	for _, m := range marks() {
		if has(start, m.at, m.bytes) {
			return m.what
		}
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return "binary data"
	}
	return ""
}

// A mark is what files of a kind have at a place.
type mark struct {
	at          int
	bytes, what string
}

func marks() []mark {
	return []mark{
		{0, "\xff\xfe\x00\x00", "UTF-32 text"},
		{0, "\xff\xfe", "UTF-16 text"},
		{0, "\xfe\xff", "UTF-16 text"},
		{0, "%PDF-", "a PDF document"},
		{0, "\x7fELF", "an ELF program or library"},
		{0, "\xcf\xfa\xed\xfe", "a Mach-O program"},
		{0, "\xca\xfe\xba\xbe", "a Java class or Mach-O program"},
		{0, "MZ\x90\x00", "a Windows program"},
		{0, "\x00asm", "a WebAssembly module"},
		{0, "PK\x03\x04", "a ZIP archive"},
		{0, "\x1f\x8b", "gzip data"},
		{0, "BZh9", "bzip2 data"},
		{0, "\xfd7zXZ\x00", "xz data"},
		{0, "\x28\xb5\x2f\xfd", "Zstandard data"},
		{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
		{0, "Rar!\x1a\x07", "a RAR archive"},
		{257, "ustar", "a tar archive"},
		{0, "!<arch>\n", "an ar archive"},
		{0, "SQLite format 3\x00", "an SQLite database"},
		{0, "\x89PNG\r\n\x1a\n", "a PNG picture"},
		{0, "\xff\xd8\xff", "a JPEG picture"},
		{0, "GIF8", "a GIF picture"},
		{8, "WEBP", "a WebP picture"},
		{8, "WAVE", "WAVE sound"},
		{0, "II*\x00", "a TIFF picture"},
		{0, "MM\x00*", "a TIFF picture"},
		{0, "\x00\x00\x01\x00", "an icon"},
		{4, "ftyp", "an MP4, HEIF or AVIF file"},
		{0, "OggS", "Ogg sound or video"},
		{0, "ID3", "MP3 sound"},
		{0, "fLaC", "FLAC sound"},
		{0, "\x1aE\xdf\xa3", "Matroska or WebM video"},
		{0, "wOFF", "a font"},
		{0, "wOF2", "a font"},
		{0, "OTTO\x00", "a font"},
		{0, "\x00\x01\x00\x00\x00", "a font"},
	}
}

func has(data []byte, at int, what string) bool {
	return len(data) >= at && strings.HasPrefix(string(data[at:min(len(data), at+len(what))]), what)
}
