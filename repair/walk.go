package repair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A task is one file to look at.
type task func(ctx context.Context) (*Report, error)

// All gives a report for every file at which something was found: sessions,
// what lies about beside them, blobs, databases and drafts, of all agents that
// the options name; with a session directory, of that alone. The sequence ends
// with an error when a directory that was named cannot be read, or ctx ends.
func (d *Doctor) All(ctx context.Context) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) {
		tasks, err := d.tasks()
		if err != nil {
			yield(nil, err)
			return
		}
		for n, look := range tasks {
			if d.opt.Progress != nil {
				d.opt.Progress(n, len(tasks))
			}
			r, err := look(ctx)
			if errors.Is(err, fs.ErrNotExist) {
				continue // gone meanwhile
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if r != nil && len(r.Findings) > 0 && !yield(r, nil) {
				return
			}
		}
		if d.opt.Progress != nil {
			d.opt.Progress(len(tasks), len(tasks))
		}
	}
}

// tasks lists what there is to look at.
func (d *Doctor) tasks() ([]task, error) {
	seen := map[string]bool{}
	if dir := d.opt.SessionDir; dir != "" {
		entries, err := d.fs.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("look into %q: %w", dir, err)
		}
		return d.inDir(dir, entries, seen), nil
	}
	var all []task
	for _, name := range places.Names() {
		if !d.wanted(dialect.Name(name)) {
			continue
		}
		p := d.place(dialect.Name(name))
		if p.Flat != "" {
			all = append(all, d.dir(p.Flat, seen)...)
		}
		for _, root := range p.Roots() {
			all = append(all, d.root(p, root, seen)...)
		}
		if p.Stray != "" {
			all = append(all, d.stray(p.Stray, seen)...)
		}
		if p.Blobs != "" {
			all = append(all, d.blobs(p.Blobs, seen)...)
		}
		if p.History != "" && !seen[p.History] {
			seen[p.History] = true
			all = append(all, func(context.Context) (*Report, error) { return d.database(p.History), nil })
		}
	}
	return append(all, d.own(seen)...), nil
}

func (d *Doctor) wanted(name dialect.Name) bool {
	for _, a := range d.opt.Agents {
		if a == name {
			return true
		}
	}
	return len(d.opt.Agents) == 0
}

// dir lists a directory of session files.
func (d *Doctor) dir(dir string, seen map[string]bool) []task {
	entries, err := d.fs.ReadDir(dir)
	if err != nil {
		return d.closed(dir, err, seen)
	}
	return d.inDir(dir, entries, seen)
}

// closed reports a directory of sessions that could not be read, if it is one.
func (d *Doctor) closed(dir string, err error, seen map[string]bool) []task {
	if seen[dir] || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, err := d.fs.Stat(dir); err == nil && !info.Mode.IsDir() {
		return nil
	}
	seen[dir] = true
	return []task{func(context.Context) (*Report, error) {
		r := &Report{Path: dir}
		r.whole(Finding{Kind: Unreadable, Detail: "the directory cannot be read: " + cause(err), Plan: "make it readable and look again"})
		return r, nil
	}}
}

// inDir lists the session files and remnants among the entries of a directory.
func (d *Doctor) inDir(dir string, entries []vfs.Info, seen map[string]bool) []task {
	var all []task
	for _, e := range entries {
		path := filepath.Join(dir, e.Name)
		l, left := leftoverOf(e.Name)
		switch {
		case e.Mode.IsDir() || seen[path]:
			continue
		case left:
			all = append(all, func(ctx context.Context) (*Report, error) { return d.leftover(ctx, dir, e, l) })
		case !strings.HasSuffix(e.Name, ident.Ext):
			continue
		case strings.HasPrefix(e.Name, "."):
			all = append(all, func(ctx context.Context) (*Report, error) {
				return d.unlisted(ctx, path, "its name begins with a dot"), nil
			})
		default:
			all = append(all, func(ctx context.Context) (*Report, error) { return d.file(ctx, path) })
		}
		seen[path] = true
	}
	return all
}

// root lists a sessions root: one directory for each project.
func (d *Doctor) root(p places.Place, root string, seen map[string]bool) []task {
	entries, err := d.fs.ReadDir(root)
	if err != nil {
		return d.closed(root, err, seen)
	}
	all := d.stray(root, seen)
	for _, e := range entries {
		if !e.Mode.IsDir() && e.Mode&fs.ModeSymlink == 0 {
			continue
		}
		dir := filepath.Join(root, e.Name)
		files, err := d.fs.ReadDir(dir)
		if err != nil {
			all = append(all, d.closed(dir, err, seen)...)
			continue
		}
		all = append(all, d.inDir(dir, files, seen)...)
		for _, sub := range files {
			// An artifact directory has the name of its session: it holds the
			// sessions of subagents, which no list shows.
			if _, _, artifacts := ident.ParseFileName(sub.Name + ident.Ext); !sub.Mode.IsDir() || artifacts {
				continue
			}
			if _, err := d.fs.Lstat(filepath.Join(dir, sub.Name+ident.Ext)); err == nil {
				continue
			}
			all = append(all, d.stray(filepath.Join(dir, sub.Name), seen)...)
		}
	}
	return all
}

// stray lists the session files in a directory that no program lists.
func (d *Doctor) stray(dir string, seen map[string]bool) []task {
	entries, err := d.fs.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []task
	for _, e := range entries {
		path := filepath.Join(dir, e.Name)
		if e.Regular() && strings.HasSuffix(e.Name, ident.Ext) && !seen[path] {
			seen[path] = true
			all = append(all, func(ctx context.Context) (*Report, error) {
				return d.unlisted(ctx, path, "no program looks for sessions in this directory"), nil
			})
		}
	}
	return all
}

// unlisted reports a session file that is not listed; nil for what is none.
func (d *Doctor) unlisted(ctx context.Context, path, why string) *Report {
	h, ok := d.headerOf(ctx, path)
	if !ok {
		return nil
	}
	r := &Report{Path: path}
	r.whole(Finding{Kind: kindUnlisted, Detail: "a session that no list shows: " + why,
		Plan: fmt.Sprintf("nothing: where it belongs is yours to say; it is of %q, and `cambium move` brings it there", h.CWD)})
	return r
}

// blobs lists a directory of blobs.
func (d *Doctor) blobs(dir string, seen map[string]bool) []task {
	if seen[dir] {
		return nil
	}
	seen[dir] = true
	entries, err := d.fs.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []task
	for _, e := range entries {
		if l, ok := leftoverOf(e.Name); ok {
			all = append(all, func(ctx context.Context) (*Report, error) { return d.leftover(ctx, dir, e, l) })
		}
		if ref, ok := blob.ParseHash(e.Name); ok {
			all = append(all, func(ctx context.Context) (*Report, error) { return d.blobFile(ctx, dir, ref), ctx.Err() })
		}
	}
	return all
}

// own lists Cambium's own state: drafts, and what interrupted writes left.
func (d *Doctor) own(seen map[string]bool) []task {
	base := places.Own(d.opt.Env).State
	var all []task
	drafts := state.Dir(base)
	entries, err := d.fs.ReadDir(drafts)
	if err == nil {
		for _, look := range d.inDir(drafts, entries, seen) {
			all = append(all, d.draft(look))
		}
	}
	dirs := []string{base}
	for _, kind := range []string{"kept", "trash"} {
		names, err := d.fs.Names(filepath.Join(base, kind))
		if err != nil {
			continue // nothing was kept yet
		}
		for _, name := range names {
			dirs = append(dirs, filepath.Join(base, kind, name))
		}
	}
	for _, dir := range dirs {
		entries, err := d.fs.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if l, ok := leftoverOf(e.Name); ok && l.kind == kindTemporary {
				all = append(all, func(ctx context.Context) (*Report, error) { return d.leftover(ctx, dir, e, l) })
			}
		}
	}
	return all
}

// draft looks at a draft as at a session, and says that it is one.
func (d *Doctor) draft(look task) task {
	return func(ctx context.Context) (*Report, error) {
		r, err := look(ctx)
		if err != nil || r == nil || filepath.Ext(r.Path) != ident.Ext || strings.HasPrefix(filepath.Base(r.Path), ".") {
			return r, err
		}
		if info, err := d.fs.Lstat(r.Path); err == nil {
			if used, err := d.fs.InUse(info); err == nil && used {
				return r, nil // somebody is at it
			}
		}
		f := Finding{Kind: kindDraft, Note: true, Detail: "a prompt that never reached its session", Plan: "`cambium drafts` restores or discards it"}
		if h, ok := d.headerOf(ctx, r.Path); ok {
			if mark, ok := state.ReadMark(h.Raw); ok {
				f.Detail = fmt.Sprintf("a prompt that never reached its session %q", mark.Path)
			}
		}
		r.whole(f)
		return r, nil
	}
}
