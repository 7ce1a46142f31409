package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// artifacts copies what lies beside a session and the other side has nothing of
// that path for. It comes before the entries that speak of it, so that who sees
// those finds it. What a side cannot take is counted.
func (s *sending) artifacts(ctx context.Context) error {
	if err := s.copyArtifacts(ctx); err != nil {
		return fmt.Errorf("copy artifacts: %w", err)
	}
	return nil
}

func (s *sending) copyArtifacts(ctx context.Context) error {
	from, to := s.from.shelf(s.tempName, s.link), s.to.shelf(s.tempName, s.link)
	if from == nil {
		return nil
	}
	all, err := from.all(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, a := range all {
		err := s.offer(ctx, from, to, a)
		var met *vfs.LinkError
		if errors.As(err, &met) {
			s.link(met.Link)
			continue
		}
		if err != nil {
			return err
		}
	}
	if to == nil {
		return nil
	}
	return to.flush(ctx)
}

// offer copies one artifact, unless the other side has it or cannot take it.
func (s *sending) offer(ctx context.Context, from, to shelf, a artifact) error {
	if to == nil || a.odd {
		s.left++
		return nil
	}
	if there, err := to.has(ctx, a.path); there || err != nil {
		return err
	}
	if !to.takes(a.path, a.size) {
		s.left++
		return nil
	}
	return s.copyArtifact(ctx, from, to, a)
}

// link says, once, of a link beside a session that it was left alone, and has the
// session looked at again the next time.
func (s *sending) link(path string) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.linked[s.from.at.name], s.run.linked[s.to.at.name] = true, true
	if s.run.linked[path] {
		return
	}
	s.run.linked[path] = true
	s.run.rep.LeftLinks++
	if s.run.opt.Warn != nil {
		s.run.opt.Warn(fmt.Sprintf("left out what a symbolic link beside a session leads to: %q; put a copy in its place to have it sent", path))
	}
}

// hasArtifacts reports whether anything lies beside the session.
func (s *sending) hasArtifacts(ctx context.Context) (bool, error) {
	from := s.from.shelf(s.tempName, s.link)
	if from == nil {
		return false, nil
	}
	all, err := from.all(ctx)
	if err != nil {
		err = fmt.Errorf("list artifacts: %w", err)
	}
	return len(all) > 0, err
}

// lose counts what neither side has, once.
func (s *sending) lose(key string) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if !s.run.lost[key] {
		s.run.lost[key] = true
		s.missing++
	}
}

// copyArtifact copies one. One that is lost where it was is counted, and holds
// nothing back.
func (s *sending) copyArtifact(ctx context.Context, from, to shelf, a artifact) error {
	if !s.opt.DryRun {
		data, err := from.read(ctx, a)
		if errors.Is(err, blob.ErrNotExist) || errors.Is(err, blob.ErrMismatch) {
			s.lose(s.from.at.name + "\x00" + a.path)
			return nil
		}
		if err == nil {
			err = to.put(ctx, a.path, data)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", a.path, err)
		}
	}
	s.amount.Artifacts++
	return nil
}
