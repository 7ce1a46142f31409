package export

import (
	"bytes"

	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
)

// mostPicture is how large a picture is that goes into a page, in bytes.
const mostPicture = 20 << 20

// picture writes an image into the page if it is of a type that is shown, else what it is.
func (p *page) picture(image *message.Image) {
	text, data := transcript.PictureOf(image)
	kind := kindOf(data)
	if kind == "" || len(data) > mostPicture {
		p.in(`<p class="aside">`, "</p>\n", text)
		return
	}
	p.report.Pictures++
	p.mark(`<figure><img src="data:`, kind, `;base64,`)
	p.base64(data)
	p.mark(`" alt="`)
	p.line(text)
	p.in(`" loading="lazy"><figcaption>`, "</figcaption></figure>\n", text)
}

// kindOf is the type of a picture by its first bytes, "" for what is not shown. What the
// session says of its type does not count.
func kindOf(data []byte) markup {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) > 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}
