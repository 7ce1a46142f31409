package repair

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxDeep is how deep links are looked for beside a session.
const maxDeep = 8

// beside notes the links among the artifacts of the session file at path: they are
// followed by nothing, and somebody may think that they are.
func (d *Doctor) beside(ctx context.Context, r *Report, path string) {
	if dir := ident.ArtifactDir(path); dir != "" {
		d.links(ctx, r, vfs.Under(d.fs, filepath.Dir(dir)), dir, maxDeep)
	}
}

// links notes those in a directory, or the directory itself. What cannot be read is
// passed over: it is no link.
func (d *Doctor) links(ctx context.Context, r *Report, fsys vfs.FS, dir string, deep int) {
	entries, err := fsys.ReadDir(dir)
	var met *vfs.LinkError
	if errors.As(err, &met) {
		r.whole(link(met.Link))
	}
	for _, e := range entries {
		at := filepath.Join(dir, e.Name)
		switch {
		case e.Mode&fs.ModeSymlink != 0:
			r.whole(link(at))
		case e.Mode.IsDir() && deep > 0 && ctx.Err() == nil:
			d.links(ctx, r, fsys, at, deep-1)
		}
	}
}

// link is the note about a link.
func link(path string) Finding {
	return Finding{Kind: kindLink, Note: true, Detail: "a symbolic link beside the session, which is not followed: \"" + path + "\"",
		Plan: "it is left alone; put a copy of what it leads to in its place to keep that with the session"}
}
