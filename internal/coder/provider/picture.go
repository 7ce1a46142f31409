package provider

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/message"
)

// Picture returns image if m can be shown it; otherwise nil and a text that
// stands for it. The types are those that both vendors take; pictures whose data
// was not read from the blob store cannot be shown.
func Picture(image *message.Image, m model.Model) (*message.Image, string) {
	types := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	switch {
	case !m.Images:
		return nil, "[a picture, which this model cannot see]"
	case !slices.Contains(types, image.MimeType):
		return nil, "[a picture of the type " + image.MimeType + ", which cannot be shown]"
	case image.Data == "" || strings.HasPrefix(image.Data, "blob:"):
		return nil, "[a picture that is not there any more]"
	}
	return image, ""
}
