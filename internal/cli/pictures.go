package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
)

// A pictureFile is a file that a person names as a picture.
type pictureFile struct {
	fs         vfs.FS // which says what links are followed
	path, name string // where it is, and as the person says it
}

// pictures reads the files of --image, which may be a person's own links.
func pictures(a *app, paths []string) ([]*message.Image, error) {
	var all []pictureFile
	for _, path := range paths {
		full := a.lib.Absolute(path)
		if real, err := vfs.Resolve(vfs.OS(), full); err == nil { // else it is said below
			full = real
		}
		all = append(all, pictureFile{vfs.OS(), full, path})
	}
	return readPictures(all)
}

// readPictures reads pictures, all or none.
func readPictures(files []pictureFile) ([]*message.Image, error) {
	var all []*message.Image
	for _, f := range files {
		i, err := f.read()
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// read reads the picture.
func (p pictureFile) read() (*message.Image, error) {
	const most = 5 << 20 // what providers take
	info, err := p.fs.Stat(p.path)
	var data []byte
	if err == nil && info.Regular() && info.Size <= most {
		data, err = vfs.ReadFile(p.fs, p.path, most)
	}
	switch {
	case errors.Is(err, vfs.ErrLink):
		return nil, problem{exit: exitRefused, path: p.path, text: fmt.Sprintf("read picture %q: a symbolic link leads there, and none of a project is followed", p.name),
			todo: "name the file that it leads to"}
	case err != nil:
		return nil, problem{exit: exitNotFound, path: p.path, text: fmt.Sprintf("read picture %q: %v", p.name, work.Cause(err)), todo: "name a file"}
	case !info.Regular() || info.Size > most:
		return nil, usage("read picture %q: want a file of at most %s", p.name, term.Bytes(most))
	}
	kind := pictureType(data)
	if kind == "" {
		return nil, usage("read picture %q: it is none that models take: png, jpeg, gif or webp", p.name)
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
