package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// grace is how long a content that was replaced is kept for who reads it.
const grace = "10 minutes"

// Rename gives a log another name.
func (s *pgStore) Rename(ctx context.Context, old, new string) error {
	if err := s.rename(ctx, old, new); err != nil {
		return fmt.Errorf("rename log %q to %q: %w", old, new, err)
	}
	return nil
}

func (s *pgStore) rename(ctx context.Context, old, new string) error {
	from, err := placeOf(old)
	if err != nil {
		return err
	}
	to, err := placeOf(new)
	if err != nil {
		return err
	}
	v, err := s.find(ctx, from, 0, seen{})
	if err != nil {
		return err
	}
	if v == nil {
		return storage.ErrNotExist
	}
	isDir, err := s.isDir(ctx, to.name())
	if err != nil {
		return err
	}
	if isDir {
		return storage.ErrExist
	}
	moved := false
	err = s.do(ctx, func(ctx context.Context) error {
		moved, err = s.sendRename(ctx, v.id, from, to)
		return err
	})
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Code == "23505", errors.Is(err, storage.ErrExist):
		return storage.ErrExist
	case err != nil:
		return err
	case !moved:
		// Somebody was first, or the answer to this call was lost.
		now, err := s.find(ctx, place{}, v.id, seen{})
		if err != nil {
			return err
		}
		if now == nil || now.place != to {
			return storage.ErrNotExist
		}
	}
	s.tell(v.id, from, to)
	return nil
}

func (s *pgStore) sendRename(ctx context.Context, id int64, from, to place) (moved bool, err error) {
	parents, dirs := chain(to.dir)
	b := &pgx.Batch{}
	b.Queue(s.sql(`update @.heads set dir = $4, base = $5 where id = $1 and dir = $2 and base = $3`),
		id, from.dir, from.base, to.dir, to.base)
	b.Queue(s.sql(`insert into @.dirs (parent, dir) select * from unnest($1::text[], $2::text[])
		on conflict do nothing`), parents, dirs)
	b.Queue(s.sql(`update @.leases set name = $3 where name = $2
		and exists (select from @.heads where id = $1 and dir = $4 and base = $5)`),
		id, from.name(), to.name(), to.dir, to.base)
	results := s.pool.SendBatch(ctx, b)
	tag, err := results.Exec()
	err = errors.Join(err, results.Close())
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" {
		return false, storage.ErrExist
	}
	return tag.RowsAffected() > 0, err
}

// Remove ends a log and takes its lines out of the database.
func (s *pgStore) Remove(ctx context.Context, name string) error {
	if err := s.remove(ctx, name); err != nil {
		return fmt.Errorf("remove log %q: %w", name, err)
	}
	return nil
}

func (s *pgStore) remove(ctx context.Context, name string) error {
	p, err := placeOf(name)
	if err != nil {
		return err
	}
	v, err := s.find(ctx, p, 0, seen{})
	if err != nil {
		return err
	}
	if v == nil {
		return storage.ErrNotExist
	}
	// The head goes first, with a note of its content: the lines that an append
	// brought at the same moment are seen by the next statement only.
	err = s.do(ctx, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql(`with h as (
				delete from @.heads where id = $1 returning project, gen
			) insert into @.dead (project, gen) select project, gen from h on conflict do nothing`), v.id)
		return err
	})
	if err != nil {
		return err
	}
	s.tell(v.id, p)
	return s.do(ctx, func(ctx context.Context) error { return s.purge(ctx, v.project, v.gen) })
}

// purge takes a content out of the database that has no head any more.
func (s *pgStore) purge(ctx context.Context, project, gen int64) error {
	b := &pgx.Batch{}
	for _, table := range []string{"lines", "texts", "dead"} {
		b.Queue(s.sql(`delete from @.`+table+` where project = $1 and gen = $2
			and not exists (select from @.heads where gen = $2)`), project, gen)
	}
	return s.pool.SendBatch(ctx, b).Close()
}

// Sweep takes contents out of the database that were replaced more than ten
// minutes ago, and what a removal left behind that was cut short, and returns how
// many. Each replacement does some of it, too. A user who may not is refused, even
// if there is nothing to do.
func (s *pgStore) Sweep(ctx context.Context) (contents int, err error) {
	var may bool
	if _, err := s.one(ctx, "select has_table_privilege($1, 'delete') and has_table_privilege($2, 'delete')",
		[]any{s.opt.Schema + ".lines", s.opt.Schema + ".dead"}, &may); err != nil {
		return 0, fmt.Errorf("sweep store: %w", err)
	}
	if !may {
		return 0, fmt.Errorf("sweep store: %w: user %q may not delete from the tables in schema %q", ErrDenied, s.user, s.opt.Schema)
	}
	for {
		n, err := s.sweep(ctx)
		if contents += n; n == 0 || err != nil {
			return contents, err
		}
	}
}

// sweep is Sweep of some of what there is.
func (s *pgStore) sweep(ctx context.Context) (contents int, err error) {
	type content struct{ Project, Gen int64 }
	var dead []content
	err = s.do(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, s.sql(`select project, gen from @.dead
			where since < clock_timestamp() - interval '`+grace+`' limit 100`))
		if err != nil {
			return err
		}
		dead, err = pgx.CollectRows(rows, pgx.RowToStructByPos[content])
		return err
	})
	for _, c := range dead {
		if err == nil {
			err = s.do(ctx, func(ctx context.Context) error { return s.purge(ctx, c.Project, c.Gen) })
		}
		if err == nil {
			contents++
		}
	}
	if err != nil {
		return contents, fmt.Errorf("sweep store: %w", err)
	}
	return contents, nil
}
