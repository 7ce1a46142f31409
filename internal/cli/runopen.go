package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// open opens the session that the flags name; nil is a new one.
func (r *runner) open(ctx context.Context) (*session.Session, error) {
	a, o := r.a, r.o
	if o.nowhere {
		return session.InMemory(a.lib.Dir, a.runSession())
	}
	t, restored, err := r.find(ctx)
	switch {
	case errors.Is(err, errCancelled):
		return nil, problem{exit: exitRefused, path: t.path, text: fmt.Sprintf("%s: the directory of session %q is gone, and it was not moved", r.command(), t.id),
			todo: "`cambium move` moves it"}
	case err == nil && t.path == "" && r.makes:
		o := a.runSession()
		o.OnEvent = r.hears
		return session.Create(ctx, a.lib.Dir, o)
	case err != nil || t.path == "":
		return nil, err
	}
	if r.dir = t.dir; r.dir == "" {
		if r.dir, err = a.agreedPlace(ctx, t, r.command()); err != nil {
			return nil, err
		}
	}
	return a.openWith(ctx, t.path, func(o *session.Options) {
		o.FirstWrite = session.FirstAssistant
		if restored { // nobody else can have it open: it has its file since just now
			o.IfBusy, o.OnEvent = nil, withoutGuesses(o.OnEvent)
		}
		if r.hears != nil {
			o.OnEvent = func(e session.Event) {
				if !restored || e.Kind != session.Busy {
					r.hears(e)
				}
			}
		}
	})
}

// withoutGuesses tells of others who have a session open only where that is sure.
func withoutGuesses(tell func(session.Event)) func(session.Event) {
	sure := func(h session.Holder) bool { return h.Sure }
	return func(e session.Event) {
		if e.Kind != session.Busy || slices.ContainsFunc(e.Holders, sure) {
			tell(e)
		}
	}
}

// find finds the session that the flags name; the zero target is a new one. It
// reports whether the session was a draft until now.
func (r *runner) find(ctx context.Context) (t target, restored bool, err error) {
	a, o := r.a, r.o
	switch {
	case o.continues:
		return r.continued(ctx)
	case o.resume != "":
		t, err = r.resumed(ctx, o.resume)
	case o.fork != "":
		path, err := a.resolve(ctx, o.fork)
		if err != nil {
			return t, false, err
		}
		if t, err = r.known(ctx, path); err != nil {
			return t, false, err
		}
		t, err = a.forked(ctx, t, a.lib.Dir)
		return t, false, err
	}
	return t, false, err
}

// continued finds what --continue goes on with: where a prompt of this directory
// was interrupted before it was answered, and nothing was said since, its session;
// else what `cambium continue` does.
func (r *runner) continued(ctx context.Context) (t target, restored bool, err error) {
	a := r.a
	opt := a.lib.Catalog()
	opt.CWD = a.lib.Dir
	next, err := catalog.Continue(ctx, a.lib.Terminal, opt)
	if err != nil {
		return t, false, a.listTrouble(err)
	}
	if path := r.interrupted(ctx, next.Path); path != "" {
		next.Path, restored = path, true
	}
	if next.Path == "" {
		return t, false, nil
	}
	if t, err = r.known(ctx, next.Path); err != nil {
		return t, false, err
	}
	t, err = r.settle(ctx, next.Path, t, false)
	return t, restored, err
}

// interrupted restores the newest draft of this directory that holds a prompt or a
// person's own command and is newer than the session at a path, and returns where
// it is; "" for none. What cannot be restored stays a draft.
func (r *runner) interrupted(ctx context.Context, path string) string {
	const most = 8 // are looked into
	a := r.a
	if a.lib.Shared != nil {
		return "" // drafts are of files
	}
	all, err := a.lib.Journal().Drafts(ctx)
	if err != nil {
		return ""
	}
	var since time.Time
	if info, err := vfs.OS().Stat(path); err == nil {
		since = time.Unix(0, info.ModTime)
	}
	all = slices.DeleteFunc(all, func(k state.Kept) bool {
		return k.Busy || k.Saved || !k.Marked || !k.Modified.After(since) || a.lib.Agent != "" && string(a.lib.Agent) != k.Agent ||
			a.lib.SessionDir != "" && filepath.Dir(k.Path) != a.lib.SessionDir
	})
	slices.SortStableFunc(all, func(x, y state.Kept) int { return y.Modified.Compare(x.Modified) })
	for _, k := range all[:min(len(all), most)] {
		d := a.lib.Describe(ctx, k)
		if d.Damaged || d.First == "" || !a.lib.SameDir(d.CWD, a.lib.Dir) {
			continue
		}
		done, err := a.lib.Journal().RestoreDraft(ctx, k, "")
		if err != nil {
			return ""
		}
		a.note(done.Now, "what was begun here, and not answered, is gone on with")
		return done.Now
	}
	return ""
}

// resumed finds the session of --resume.
func (r *runner) resumed(ctx context.Context, arg string) (target, error) {
	a := r.a
	path, err := a.resolve(ctx, arg)
	if err != nil {
		return target{}, err
	}
	t, err := r.known(ctx, path)
	if err != nil {
		return t, err
	}
	fork := false
	if a.foreign(arg, t) {
		fork, err = a.forksHere(ctx, arg, t, r.command())
		if err != nil {
			return t, err
		}
	}
	return r.settle(ctx, arg, t, fork)
}

// settle is that of the app, but for a session that is gone on with where --cwd says:
// it may be one of a directory that is gone.
func (r *runner) settle(ctx context.Context, arg string, t target, fork bool) (target, error) {
	if r.a.flags.cwd != "" && !fork {
		return t, nil
	}
	return r.a.settle(ctx, arg, t, fork)
}

// command is the command that goes on with the session.
func (r *runner) command() string {
	if r.makes {
		return "chat"
	}
	return "run"
}

// known reads what is to be known of a session before it is opened to write; what
// is wrong with it is said then.
func (r *runner) known(ctx context.Context, path string) (target, error) {
	return r.a.findAnd(ctx, path, func(*session.Session) {})
}

// A pictureFile is a file that a person names as a picture.
type pictureFile struct {
	fs         vfs.FS // which says what links are followed
	path, name string // where it is, and as the person says it
}

// pictures reads the files of --image, which may be a person's own links.
func (a *app) pictures(paths []string) ([]*message.Image, error) {
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
