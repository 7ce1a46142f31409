package catalog

import (
	"context"
	"path"
)

// recall asks the index what it keeps. Without one, and for a listing with all
// text, which no index keeps, nothing is known.
func (s *scan) recall(ctx context.Context) {
	if s.o.Index == nil {
		return
	}
	s.known = make(map[string]*Record, len(s.files))
	for r, err := range s.o.Index.Known(ctx) {
		if err != nil {
			s.trouble(ctx, err)
			return
		}
		s.known[r.Path] = &r
	}
}

// trouble says that the index is of no use, and makes none of it from here on.
func (s *scan) trouble(ctx context.Context, err error) {
	s.o.Index, s.known = nil, nil
	if s.o.Trouble != nil && ctx.Err() == nil {
		s.o.Trouble(err)
	}
}

// remembered returns the record of a file that has not changed since, nil for
// none.
func (s *scan) remembered(f file) *Record {
	r := s.known[f.path]
	if r == nil || s.o.Text || r.Stamp != f.stamp || f.agent != "" && r.Info.Agent != f.agent && !r.None {
		return nil
	}
	return r
}

// learn notes what was found for the index, if it may be kept: it may not when
// the file may have changed unseen, and when the dialect was forced on it.
func (s *scan) learn(f file, got finding) {
	if s.o.Index == nil || !got.keep || s.o.SessionDir != "" && len(s.o.Agents) == 1 {
		return
	}
	if at := got.stamp.ModTime; at > s.begun-settled && at < s.o.now().UnixNano()+settled {
		return
	}
	if was := s.known[f.path]; was != nil && was.Stamp == got.stamp && was.Info.Agent == got.info.Agent && was.None == got.none {
		return // read for its text alone
	}
	r := Record{Path: f.path, Stamp: got.stamp, Info: got.info, None: got.none}
	r.Info.Text = ""
	s.fresh = append(s.fresh, r)
}

// remember gives the index what was found, and what is gone.
func (s *scan) remember(ctx context.Context) {
	if s.o.Index == nil {
		return
	}
	gone := s.gone()
	if len(s.fresh) == 0 && len(gone) == 0 {
		return
	}
	// What was read is worth keeping when nobody waits any more, too.
	ctx = context.WithoutCancel(ctx)
	if err := s.o.Index.Keep(ctx, s.fresh, gone); err != nil {
		s.trouble(ctx, err)
	}
}

// gone returns the files that are known, would have been found, and were not.
func (s *scan) gone() (paths []string) {
	if len(s.known) == 0 {
		return nil
	}
	here := make(map[string]bool, len(s.files))
	for _, f := range s.files {
		here[f.path] = true
	}
	for name := range s.known {
		if !here[name] && s.o.covers(path.Dir(name)) {
			paths = append(paths, name)
		}
	}
	return paths
}

// covers reports whether files of a directory would have been found: it was
// looked into, or would have been if it still were there.
func (o *Options) covers(dir string) bool {
	if o.SessionDir != "" {
		return dir == path.Clean(o.SessionDir)
	}
	for _, p := range o.places() {
		if p.Flat != "" {
			if dir == p.Flat {
				return o.there(p.Flat)
			}
			continue
		}
		if p.Stray != "" && dir == p.Stray {
			return o.there(dir)
		}
		for _, root := range []string{p.Sessions, p.Former} {
			if root != "" && path.Dir(dir) == path.Clean(root) {
				return o.there(root)
			}
		}
	}
	return false
}

// there reports whether a directory can be seen at all: what lies in a home
// that is not mounted is not gone.
func (o *Options) there(dir string) bool {
	_, err := o.fsys().Stat(dir)
	return err == nil
}
