package spelling

import (
	"encoding/base64"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// deepest is how far inside a line images and sealed blocks are looked for. No
// program nests them a tenth as deep; without a bound, telling the type of each
// object of a very deep line would take time quadratic in its length.
const deepest = 64

// imageMember returns the name of the member of an object that holds an image to
// be kept as a blob, "" for none.
func (p *preparation) imageMember(at *jsonedit.Step, v entry.JSON) string {
	name := p.imagePlace(at, v)
	if name == "" {
		return ""
	}
	raw, _ := jsonedit.Get(v, name)
	if jsonedit.Kind(raw) != jsontext.KindString || len(raw)-2 < p.MinImage || jsonedit.UnitsRaw(raw) < p.MinImage {
		return ""
	}
	if text, _ := jsonedit.String(raw); strings.HasPrefix(text, refPrefix) {
		return ""
	}
	return name
}

// imagePlace returns the name of the member that holds the image's base64, or
// the reference to it, if the object is an image in a place where images are
// kept as blobs.
func (p Persist) imagePlace(at *jsonedit.Step, v entry.JSON) string {
	if at.Depth > deepest {
		return ""
	}
	switch p.Images {
	case ImagesInContent:
		if at.Index >= 0 && at.Parent.Index < 0 && at.Parent.Key == "content" && typeOf(v) == "image" {
			return "data"
		}
	case ImagesWide:
		kind := typeOf(v)
		if kind == "image_generation_call" {
			return "result"
		}
		mime, _ := jsonedit.Text(v, "mimeType")
		switch key(at) {
		case "content":
			if kind == "image" {
				return "data"
			}
		case "images", "frames":
			if kind == "image" || strings.HasPrefix(strings.ToLower(mime), "image/") {
				return "data"
			}
		}
	}
	return ""
}

// isDataURL reports whether an image_url holds the image itself.
func isDataURL(s string) bool {
	return strings.HasPrefix(s, "data:image/") && strings.Contains(s, ";base64,")
}

// decodeBase64 decodes base64 as the programs do, in either alphabet, with or
// without padding and white space; but what has other characters is refused,
// where they skip them, because it could not be brought back.
func decodeBase64(s string) ([]byte, bool) {
	if strings.ContainsAny(s, " \t\r\n-_") {
		s = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "-", "+", "_", "/").Replace(s)
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return data, err == nil
}

// imageExt returns the extension of a type of image, "" for none (omp 18.2.3).
func imageExt(mime string) string {
	kind, ok := strings.CutPrefix(strings.ToLower(mime), "image/")
	if !ok {
		return ""
	}
	kind, _, _ = strings.Cut(kind, ";")
	kind, _, _ = strings.Cut(kind, "+")
	if kind == "jpeg" {
		return "jpg"
	}
	ext := strings.TrimPrefix(kind, ".")
	bad := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._-", r) }
	if ext == "" || len(ext) > 32 || strings.ContainsFunc(ext, bad) || strings.ContainsRune("._-", rune(ext[0])) {
		return ""
	}
	return ext
}
