package transcript

import (
	"cmp"
	"encoding/base64"
	"fmt"

	"github.com/cambium-dev/cambium/internal/spelling"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/message"
)

// PictureOf says of which type and size an image is, or what is wrong with it, and
// returns its bytes, nil where they are not to be had.
func PictureOf(b *message.Image) (text string, data []byte) {
	kind := cmp.Or(b.MimeType, "image")
	if spelling.IsRef(b.Data) {
		return "[" + kind + ", missing from the blob store: " + b.Data + "]", nil
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return fmt.Sprintf("[%s, %s of text that is not base64]", kind, term.Bytes(int64(len(b.Data)))), nil
	}
	return fmt.Sprintf("[%s, %s]", kind, term.Bytes(int64(len(data)))), data
}

// sizeOf says how much of a file was read, "" where that is not known.
func sizeOf(f *message.File) string {
	switch {
	case f.SkippedReason != "":
		return "(" + f.SkippedReason + ")"
	case f.Image != nil:
		return "(picture)"
	case f.LineCount > 0:
		return "(" + term.Plural(int(f.LineCount), "line") + ")"
	}
	return ""
}
