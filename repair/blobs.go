package repair

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// A lostBlob is one that is not there, or not itself, and where the right bytes
// are.
type lostBlob struct {
	ref  blob.Ref
	dir  string // where it belongs
	from string // a file with its bytes
}

// lostBlob reports a blob that an entry names and that cannot be read.
func (x *exam) lostBlob(ctx context.Context, text string, why error, at int64) {
	ref, ok := blob.ParseRef(text)
	place := x.d.place(x.s.Dialect())
	if !ok || place.Blobs == "" && x.d.opt.Blobs == nil {
		return
	}
	f := Finding{Kind: kindNoBlob, Line: x.no, Byte: at, Detail: fmt.Sprintf("the blob %s is not there", ref.Hash())}
	if errors.Is(why, blob.ErrMismatch) {
		f.Kind, f.Detail = kindBlob, fmt.Sprintf("the bytes of the blob %s are not those of its name", ref.Hash())
	} else if !errors.Is(why, blob.ErrNotExist) {
		f.Detail = fmt.Sprintf("the blob %s cannot be read: %s", ref.Hash(), cause(why))
	}
	from := x.d.findBlob(ctx, ref)
	if from == "" {
		f.Plan = "nothing: its bytes are nowhere; the model is told that something is missing"
	} else {
		f.Fixable, f.Plan = true, fmt.Sprintf("it is copied from %q", from)
		x.blobs = append(x.blobs, lostBlob{ref: ref, dir: place.Blobs, from: from})
	}
	x.r.add(f)
}

// place returns where an agent keeps its things.
func (d *Doctor) place(name dialect.Name) places.Place {
	return places.For(string(name), d.opt.Env, layout.Overrides{AgentDir: d.agentDir(name), SessionDir: d.opt.SessionDir})
}

// agentDir is the override of an agent's directory, "" for the others.
func (d *Doctor) agentDir(name dialect.Name) string {
	if len(d.opt.Agents) == 1 && d.opt.Agents[0] == name {
		return d.opt.AgentDir
	}
	return ""
}

// blobDirs returns the directories of blobs of all agents, each once.
func (d *Doctor) blobDirs() []string {
	var all []string
	seen := map[string]bool{"": true}
	for _, name := range places.Names() {
		p := d.place(dialect.Name(name))
		for _, dir := range []string{p.Blobs, filepath.Join(p.Agent, "blobs")} {
			if p.Blobs != "" && !seen[dir] {
				seen[dir] = true
				all = append(all, dir)
			}
		}
	}
	return all
}

// findBlob returns a file that holds the bytes of a blob: under its name in
// another agent's directory, or with an extension.
func (d *Doctor) findBlob(ctx context.Context, ref blob.Ref) string {
	fsys, dirs := d.fs, d.blobDirs
	if d.opt.Blobs != nil {
		fsys, dirs = vfs.OS(), func() []string { return d.opt.Spare }
	}
	if d.named == nil {
		d.named = map[string][]string{}
		for _, dir := range dirs() {
			names, err := fsys.Names(dir)
			if err != nil {
				continue // not there: nothing is in it
			}
			for _, name := range names {
				hash, _, _ := strings.Cut(name, ".")
				if _, ok := blob.ParseHash(hash); ok {
					d.named[hash] = append(d.named[hash], filepath.Join(dir, name))
				}
			}
		}
	}
	for _, path := range d.named[ref.Hash()] {
		if ctx.Err() != nil {
			return ""
		}
		if _, ok, err := vfs.ReadChecked(fsys, path, ref.Sum()); err == nil && ok {
			return path
		}
	}
	return ""
}

// mendBlobs puts blobs where they belong.
func (d *Doctor) mendBlobs(ctx context.Context, r *Report, blobs []lostBlob) error {
	for _, b := range blobs {
		undo, err := d.mendBlob(ctx, b)
		if err != nil {
			return err
		}
		for i := range r.Findings {
			if f := &r.Findings[i]; strings.Contains(f.Detail, b.ref.Hash()) && f.Fixable {
				f.Fixed, f.UndoID = true, undo
			}
		}
	}
	return nil
}

// mendBlob puts the right bytes in the place of a blob. Wrong ones are kept
// first.
func (d *Doctor) mendBlob(ctx context.Context, b lostBlob) (undo string, err error) {
	fsys := d.fs
	if d.opt.Blobs != nil {
		fsys = vfs.OS()
	}
	data, ok, err := vfs.ReadChecked(fsys, b.from, b.ref.Sum())
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("copy blob from %q: %w", b.from, blob.ErrMismatch)
	}
	if d.opt.Blobs != nil {
		_, err := d.opt.Blobs.Put(ctx, data, "")
		return "", err
	}
	path := filepath.Join(b.dir, b.ref.Hash())
	if info, err := d.fs.Lstat(path); err == nil && info.Regular() {
		if undo, err = d.opt.Keeper.Begin(ctx, state.Change{Op: state.Repair, Path: path}); err != nil {
			return "", err
		}
	}
	_, err = blob.OpenDir(b.dir, vfs.On(blob.DirOptions{}, d.fs)).Put(ctx, data, "")
	if undo != "" {
		err = errors.Join(err, d.opt.Keeper.End(context.WithoutCancel(ctx), undo, err))
	}
	if err != nil {
		return "", err
	}
	return undo, nil
}

// blobFile looks at a file in a directory of blobs, "" for one that is right.
func (d *Doctor) blobFile(ctx context.Context, dir string, ref blob.Ref) *Report {
	_, err := blob.OpenDir(dir, vfs.On(blob.DirOptions{}, d.fs)).Read(ctx, ref)
	r := &Report{Path: filepath.Join(dir, ref.Hash())}
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.Is(err, blob.ErrMismatch):
		f := Finding{Kind: kindBlob, Detail: "its bytes are not those of its name", Plan: "nothing: the right bytes are nowhere; these are left, and no entry gets them"}
		if from := d.findBlob(ctx, ref); from != "" {
			f.Fixable, f.Plan = true, fmt.Sprintf("it is copied from %q", from)
			r.fix = func(ctx context.Context) (string, error) {
				return d.mendBlob(ctx, lostBlob{ref: ref, dir: dir, from: from})
			}
		}
		r.whole(f)
	case errors.Is(err, vfs.ErrNotRegular):
		r.whole(Finding{Kind: kindSpecial, Detail: "not a regular file", Plan: "it is left alone"})
	default:
		r.whole(Finding{Kind: Unreadable, Detail: cause(err), Plan: "make it readable and look again"})
	}
	return r
}
