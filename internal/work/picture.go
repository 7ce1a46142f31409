package work

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/message"
)

// A Picture is a file that a person names as a picture.
type Picture struct {
	// FS says which links are followed.
	FS vfs.FS
	// Path is where it is, Name what the person says.
	Path, Name string
}

// A PictureFault is why a file is no picture for a model.
type PictureFault int

// The faults.
const (
	// Unread: it cannot be read.
	Unread PictureFault = iota
	// Linked: a symbolic link of a project leads there.
	Linked
	// Oversized: it is no regular file, or too large.
	Oversized
	// Untaken: it is of a type that models do not take.
	Untaken
)

// A PictureError is for a file that is no picture for a model.
type PictureError struct {
	Picture
	Fault PictureFault
	Err   error
}

// mostPicture is what providers take, in bytes.
const mostPicture = 5 << 20

// Error says which file, and why.
func (e *PictureError) Error() string {
	why := ""
	switch e.Fault {
	case Linked:
		why = "a symbolic link leads there, and none of a project is followed"
	case Oversized:
		why = "want a file of at most " + term.Bytes(mostPicture)
	case Untaken:
		why = "it is none that models take: png, jpeg, gif or webp"
	default:
		why = Cause(e.Err).Error()
	}
	return fmt.Sprintf("read picture %q: %s", e.Name, why)
}

// Unwrap returns the cause, if there is one.
func (e *PictureError) Unwrap() error { return e.Err }

// PictureFile is the file at a path that a person typed, which may be a link of their
// own.
func PictureFile(l *Library, path string) Picture {
	full := l.Absolute(path)
	if real, err := vfs.Resolve(vfs.OS(), full); err == nil { // else reading says why
		full = real
	}
	return Picture{vfs.OS(), full, path}
}

// Pictures reads pictures, all or none. The error is a [*PictureError].
func Pictures(all []Picture) ([]*message.Image, error) {
	var images []*message.Image
	for _, p := range all {
		image, err := p.read()
		if err != nil {
			return nil, err
		}
		images = append(images, image)
	}
	return images, nil
}

func (p Picture) read() (*message.Image, error) {
	info, err := p.FS.Stat(p.Path)
	var data []byte
	if err == nil && info.Regular() && info.Size <= mostPicture {
		data, err = vfs.ReadFile(p.FS, p.Path, mostPicture)
	}
	switch {
	case errors.Is(err, vfs.ErrLink):
		return nil, &PictureError{p, Linked, err}
	case err != nil:
		return nil, &PictureError{p, Unread, err}
	case !info.Regular() || info.Size > mostPicture:
		return nil, &PictureError{p, Oversized, nil}
	}
	kind := pictureType(data)
	if kind == "" {
		return nil, &PictureError{p, Untaken, nil}
	}
	return &message.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind}, nil
}

// pictureType returns the type of a picture by its first bytes, "" for others.
func pictureType(data []byte) string {
	begins := string(data[:min(len(data), 12)])
	switch {
	case strings.HasPrefix(begins, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(begins, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(begins, "GIF87a"), strings.HasPrefix(begins, "GIF89a"):
		return "image/gif"
	case len(begins) == 12 && begins[:4] == "RIFF" && begins[8:] == "WEBP":
		return "image/webp"
	}
	return ""
}
