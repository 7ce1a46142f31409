package catalog

import (
	"context"
	"path"
)

// trouble says that the index is of no use, and makes none of it from here on.
func (s *scan) trouble(ctx context.Context, err error) {
	s.o.Index = nil
	if s.o.Trouble != nil && ctx.Err() == nil {
		s.o.Trouble(err)
	}
}

// fits reports whether a record of a file says what the file is now, and whether
// that is enough.
func (s *scan) fits(f *file, g *glanced) (known, enough bool) {
	return g.stamp == f.stamp && (f.agent == "" || string(g.agent) == string(f.agent) || g.none), !s.o.Text
}

// learn notes what was found for the index, if it may be kept: it may not when
// the file may have changed unseen, when the dialect was forced on it, and when no
// record can say its times.
func (s *scan) learn(ctx context.Context, n int, got finding) {
	if s.o.Index == nil || !got.keep || s.o.SessionDir != "" && len(s.o.Agents) == 1 {
		return
	}
	if !packs(got.info.Created) || !packs(got.info.Modified) {
		return
	}
	if at := got.stamp.ModTime; at > s.begun-settled && at < s.o.now().UnixNano()+settled {
		return
	}
	f := &s.files[n]
	if s.shelf.known[n] && got.stamp == f.stamp {
		return // read for its text alone
	}
	r := Record{Path: f.path, Stamp: got.stamp, Info: got.info, None: got.none}
	r.Info.Text = ""
	if s.fresh = append(s.fresh, r); len(s.fresh) == keptAtOnce {
		s.remember(ctx, nil)
		s.fresh = s.fresh[:0]
	}
}

// keptAtOnce is how many records wait for the index at most.
const keptAtOnce = 4096

// remember gives the index what was found, and what is gone.
func (s *scan) remember(ctx context.Context, gone []string) {
	if s.o.Index == nil || len(s.fresh) == 0 && len(gone) == 0 {
		return
	}
	// What was read is worth keeping when nobody waits any more, too.
	ctx = context.WithoutCancel(ctx)
	if err := s.o.Index.Keep(ctx, s.fresh, gone); err != nil {
		s.trouble(ctx, err)
	}
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
