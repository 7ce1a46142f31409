package catalog

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/breadcrumb"
	"github.com/cambium-dev/cambium/internal/gitroot"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Candidate is a directory that a working directory which is gone may have
// become. It is to be offered, never taken unasked.
type Candidate struct {
	// Dir is the directory, absolute.
	Dir string
	// Same says that it is the very directory: device and inode are those that
	// were noted. Otherwise it belongs to the same repository.
	Same bool
}

// How many directories are looked at in search of one that moved.
const maxLooked = 4096

// Moved looks for what the working directory cwd, which is gone, has become, the
// likeliest first: a directory with the device and inode that omp or Cambium
// noted of it, or with the same first commit of git; or, for a linked working
// tree of git, another one of its repository. It looks at o.CWD and at what lies
// beside cwd and beside the directories above it. With a Store there is nothing to
// look at.
func Moved(ctx context.Context, cwd string, o Options) []Candidate {
	if o.Store != nil {
		return nil
	}
	s := &search{fs: o.fsys(), cwd: path.Clean(cwd), seen: map[string]bool{}}
	s.note(o)
	if o.CWD != "" {
		s.look(ctx, o.CWD)
	}
	s.beside(ctx)
	slices.SortStableFunc(s.found, func(a, b Candidate) int {
		switch {
		case a.Same == b.Same:
			return 0
		case a.Same:
			return -1
		}
		return 1
	})
	return s.found
}

// A search looks for one directory.
type search struct {
	fs     vfs.FS
	cwd    string
	ids    []breadcrumb.Identity // what it was, as far as is known
	commit string                // the first one of its repository, "" if unknown
	inside string                // where in the repository it was
	seen   map[string]bool
	found  []Candidate
}

// note finds what is known of the directory.
func (s *search) note(o Options) {
	if p, ok := breadcrumb.ReadPlace(s.fs, notes(o.Env), s.cwd); ok {
		s.ids = append(s.ids, p.Dir)
		s.inside = p.Inside
		if p.Commit != "-" {
			s.commit = p.Commit
		}
	}
	for _, place := range o.places() {
		if place.Breadcrumbs == "" {
			continue
		}
		names, err := s.fs.Names(place.Breadcrumbs)
		if err != nil {
			continue
		}
		for _, name := range names {
			c, ok := breadcrumb.Read(s.fs, path.Join(place.Breadcrumbs, name))
			if ok && c.CWD == s.cwd && c.Dir != (breadcrumb.Identity{}) {
				s.ids = append(s.ids, c.Dir)
			}
		}
	}
}

// beside looks at the directories around the one that is gone: those beside it,
// and, for each directory above it, the same way down from those beside that.
func (s *search) beside(ctx context.Context) {
	rest := ""
	const levels = 3
	at := s.cwd
	for range levels {
		up := path.Dir(at)
		if up == at || up == "/" {
			return // what lies at the top of the file system is not ours
		}
		rest = path.Join(path.Base(at), rest)
		infos, err := s.fs.ReadDir(up)
		if err == nil {
			_, below, _ := strings.Cut(rest, "/")
			for _, info := range infos {
				if !info.Mode.IsDir() {
					continue
				}
				if len(s.seen) > maxLooked || ctx.Err() != nil {
					return
				}
				s.look(ctx, path.Join(up, info.Name, below))
				s.look(ctx, path.Join(up, info.Name, path.Base(s.cwd)))
			}
		}
		at = up
	}
}

// look decides whether a directory is the one.
func (s *search) look(ctx context.Context, dir string) {
	if s.seen[dir] || dir == s.cwd {
		return
	}
	s.seen[dir] = true
	is, ok := breadcrumb.Identify(s.fs, dir)
	if !ok {
		return
	}
	if slices.Contains(s.ids, is) {
		s.add(Candidate{Dir: dir, Same: true})
		return
	}
	repo, ok := gitroot.Find(s.fs, dir)
	if !ok || s.seen["git:"+repo.Top] {
		return
	}
	s.seen["git:"+repo.Top] = true
	for _, tree := range repo.Worktrees() {
		if within(tree, s.cwd) {
			s.add(Candidate{Dir: s.there(repo.Top, strings.TrimPrefix(s.cwd, tree))})
			return
		}
	}
	if s.commit == "" || s.inside == "" {
		return
	}
	if first, ok := repo.First(ctx); ok && first == s.commit {
		s.add(Candidate{Dir: s.there(repo.Top, s.inside)})
	}
}

// there is where in a repository the directory is to be, its top when there is
// nothing of that name.
func (s *search) there(top, inside string) string {
	dir := path.Join(top, inside)
	if _, ok := breadcrumb.Identify(s.fs, dir); !ok || !within(top, dir) {
		return top
	}
	return dir
}

func (s *search) add(c Candidate) {
	for i, old := range s.found {
		if old.Dir == c.Dir {
			s.found[i].Same = old.Same || c.Same
			return
		}
	}
	s.found = append(s.found, c)
}

// within reports whether a path is a directory or lies in it.
func within(dir, p string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
