package postgres

import (
	"context"
	"fmt"
	"iter"
	"path"
	"sync"

	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// Search yields the lines that hold text, found by the server.
func (s *pgStore) Search(ctx context.Context, dir string, text []byte) iter.Seq2[powers.Hit, error] {
	return func(yield func(powers.Hit, error) bool) {
		clean, after := path.Clean(dir), ""
		for {
			heads, err := s.logsIn(ctx, clean, after)
			if err != nil {
				yield(powers.Hit{}, fmt.Errorf("search %q: %w", dir, err))
				return
			}
			for i := range heads {
				after = heads[i].base
				if !s.searchLog(ctx, &heads[i], text, yield) {
					return
				}
			}
			if len(heads) < listRows {
				return
			}
		}
	}
}

// searchStep is how many lines are searched with one statement.
const searchStep = 2000

// searchLog reports whether to go on.
func (s *pgStore) searchLog(ctx context.Context, h *head, text []byte, yield func(powers.Hit, error) bool) bool {
	for from := int64(0); from < h.lines; from += searchStep {
		var hits []storage.Line
		err := s.do(ctx, func(ctx context.Context) error {
			hits = hits[:0]
			rows, err := s.pool.Query(ctx, s.sql(`select seq, body from @.lines
				where project = $1 and gen = $2 and seq > $3 and seq <= $4 and position($5::bytea in body) > 0 order by seq`),
				h.project, h.gen, from, min(from+searchStep, h.lines), text)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				line := storage.Line{LF: true}
				if err := rows.Scan(&line.Pos, &line.Bytes); err != nil {
					return err
				}
				line.Pos--
				hits = append(hits, line)
			}
			return rows.Err()
		})
		if err != nil {
			return yield(powers.Hit{Name: h.name()}, fmt.Errorf("search log %q: %w", h.name(), err))
		}
		for _, line := range hits {
			if !yield(powers.Hit{Name: h.name(), Line: line}, nil) {
				return false
			}
		}
	}
	return true
}

// Index extracts the words of all lines in a directory, however deep, that were
// appended without Options.Extract. It may be broken off at any time; the next
// one goes on there. Without Extract it does nothing.
func (s *pgStore) Index(ctx context.Context, dir string) error {
	if s.opt.Extract == nil {
		return nil
	}
	first, end := below(path.Clean(dir))
	var ids []int64
	err := s.do(ctx, func(ctx context.Context) error {
		ids = ids[:0]
		rows, err := s.pool.Query(ctx, s.sql(`select id from @.heads
			where texted < lines and (dir = $1 or dir >= $2 and dir < $3)`), path.Clean(dir), first, end)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	if err == nil {
		err = s.indexLogs(ctx, ids)
	}
	if err != nil {
		return fmt.Errorf("index %q: %w", dir, err)
	}
	return nil
}

// indexers is how many logs are indexed at once.
const indexers = 4

// indexLogs extracts what logs lack, until one fails.
func (s *pgStore) indexLogs(ctx context.Context, ids []int64) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan int64)
	var group sync.WaitGroup
	for range min(indexers, len(ids)) {
		group.Go(func() {
			for id := range work {
				if err := s.indexLog(ctx, id); err != nil {
					stop(err) // the first counts
				}
			}
		})
	}
	for _, id := range ids {
		select {
		case work <- id:
		case <-ctx.Done():
		}
	}
	close(work)
	group.Wait()
	return context.Cause(ctx)
}

// indexLog extracts what one log lacks, some lines at a time.
func (s *pgStore) indexLog(ctx context.Context, id int64) error {
	for {
		var h head
		var texted int64
		found, err := s.one(ctx, `select h.texted, `+headColumns+` from @.heads h where h.id = $1 and h.texted < h.lines`,
			[]any{id}, append([]any{&texted}, h.fields()...)...)
		if err != nil || !found {
			return err
		}
		v := view{head: h}
		p := v.spanAfter(seen{})
		p.from = texted
		page := new(page)
		p.pos = 1 << 62 // as many rows as a page has
		p.rows = minRows
		if err := s.fetch(ctx, &p, page); err != nil {
			return err
		}
		if len(page.ends) == 0 {
			return nil // replaced meanwhile; the new content is indexed by itself
		}
		lines, start := make([][]byte, len(page.ends)), 0
		for i, end := range page.ends {
			lines[i], start = page.data[start:end], end
		}
		t := extract(s.opt.Extract, lines)
		err = s.do(ctx, func(ctx context.Context) error {
			_, err := s.pool.Exec(ctx, s.sql(`with h as (
					update @.heads set texted = $4, said = said + $8 where id = $1 and gen = $2 and texted = $3 returning project, gen
				) insert into @.texts (project, gen, seq, part, words)
				select h.project, h.gen, $3::bigint + u.line, u.part, `+asWords+`
				from h, unnest($5::bigint[], $6::bigint[], $7::text[]) as u(line, part, words)
				on conflict do nothing`),
				id, h.gen, texted, p.from, t.line, t.part, t.words, t.said)
			return err
		})
		if err != nil {
			return err
		}
	}
}
