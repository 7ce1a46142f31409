package catalog

import (
	"context"
)

// tell says that the index is of no use, and makes none of it from here on.
func (s *scan) tell(ctx context.Context, err error) {
	s.o.Index = nil
	if s.o.Trouble != nil && ctx.Err() == nil {
		s.o.Trouble(err)
	}
}

// learn notes what was found for the index, if it may be kept: it may not when
// the file may have changed unseen, when the dialect was forced on it, and when no
// record can say its times.
func (s *scan) learn(ctx context.Context, j *job, got finding) {
	if s.o.Index == nil || !got.keep || s.o.SessionDir != "" && len(s.o.Agents) == 1 {
		return
	}
	if !packs(got.info.Created) || !packs(got.info.Modified) {
		return
	}
	if at := got.stamp.ModTime; at > s.begun-settled && at < s.o.now().UnixNano()+settled {
		return
	}
	if j.known && got.stamp == j.file.stamp {
		return // read for its text alone
	}
	r := Record{Path: j.file.path, Stamp: got.stamp, Info: got.info, None: got.none}
	r.Info.Text = ""
	if s.fresh = append(s.fresh, r); len(s.fresh) == s.batch {
		s.remember(ctx, nil)
		clear(s.fresh)
		s.fresh = s.fresh[:0]
	}
}

// How many records wait for the index at most: those of one directory come one
// after the other, or of many directories in turn, each of which is written then.
const (
	keptOfFew  = 1024
	keptOfMany = 4096
)

// remember gives the index what was found, and what is gone.
func (s *scan) remember(ctx context.Context, gone []string) {
	if s.o.Index == nil || len(s.fresh) == 0 && len(gone) == 0 {
		return
	}
	// What was read is worth keeping when nobody waits any more, too.
	ctx = context.WithoutCancel(ctx)
	if err := s.o.Index.Keep(ctx, s.fresh, gone); err != nil {
		s.tell(ctx, err)
	}
}
