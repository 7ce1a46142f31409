package unite

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/blob"
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
	from, to := s.from.shelf(s.tempName), s.to.shelf(s.tempName)
	if from == nil {
		return nil
	}
	all, err := from.all(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, a := range all {
		if to == nil {
			s.left++
			continue
		}
		if there, err := to.has(ctx, a.path); there || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if !to.takes(a.path, a.size) {
			s.left++
			continue
		}
		if err := s.copyArtifact(ctx, from, to, a); err != nil {
			return err
		}
	}
	if to == nil {
		return nil
	}
	return to.flush(ctx)
}

// hasArtifacts reports whether anything lies beside the session.
func (s *sending) hasArtifacts(ctx context.Context) (bool, error) {
	from := s.from.shelf(s.tempName)
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
