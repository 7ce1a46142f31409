package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
)

// held is what the lines of a log amount to, whatever its head says.
type held struct {
	lines, last, bytes int64
	placed             bool // each line starts where the one before it ends
}

const heldColumns = `count(*), coalesce(max(seq), 0), coalesce(sum(size), 0)::bigint, coalesce(bool_and(pos = before), true)
	from (select seq, pos, octet_length(body)::bigint + 1 as size,
		coalesce(sum(octet_length(body)::bigint + 1) over (order by seq rows between unbounded preceding and 1 preceding), 0) as before
		from @.lines where project = $1 and gen = $2) as l`

// wrong says what a head says otherwise than its lines.
func (h *held) wrong(v *head) string {
	var all []string
	if h.lines != v.lines || h.last != v.lines {
		text := fmt.Sprintf("the store says that it has %d lines, and has %d", v.lines, h.lines)
		if h.last != h.lines {
			text += fmt.Sprintf(", numbered up to %d", h.last)
		}
		all = append(all, text)
	}
	if h.bytes != v.bytes || !h.placed {
		all = append(all, fmt.Sprintf("the store says that it has %d bytes, and has %d", v.bytes, h.bytes))
	}
	return strings.Join(all, "; ")
}

// Audit compares the head of a log with its lines.
func (s *pgStore) Audit(ctx context.Context, name string) (string, error) {
	fail := func(err error) (string, error) { return "", fmt.Errorf("audit log %q: %w", name, err) }
	p, err := placeOf(name)
	if err != nil {
		return fail(err)
	}
	var v head
	var h held
	found := false
	err = s.do(ctx, func(ctx context.Context) error {
		tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing was written
		err = tx.QueryRow(ctx, s.sql(`select `+headColumns+` from @.heads h where h.dir = $1 and h.base = $2`), p.dir, p.base).Scan(v.fields()...)
		if found = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = tx.QueryRow(ctx, s.sql(`select `+heldColumns), v.project, v.gen).Scan(&h.lines, &h.last, &h.bytes, &h.placed)
		}
		return err
	})
	switch {
	case err != nil:
		return fail(err)
	case !found:
		return fail(storage.ErrNotExist)
	}
	return h.wrong(&v), nil
}

// Amend makes a new content of the lines that are there, numbered anew, and moves
// the head to it. The old content is kept as long as one that was replaced.
func (s *pgStore) Amend(ctx context.Context, name string) error {
	p, err := placeOf(name)
	if err != nil {
		return fmt.Errorf("amend log %q: %w", name, err)
	}
	var v head
	amended := false
	err = s.do(ctx, func(ctx context.Context) error {
		tx, err := s.pool.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing, once it is committed
		err = tx.QueryRow(ctx, s.sql(`select `+headColumns+` from @.heads h where h.dir = $1 and h.base = $2 for update`), p.dir, p.base).Scan(v.fields()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return storage.ErrNotExist
		}
		if err != nil {
			return err
		}
		var h held
		if err := tx.QueryRow(ctx, s.sql(`select `+heldColumns), v.project, v.gen).Scan(&h.lines, &h.last, &h.bytes, &h.placed); err != nil {
			return err
		}
		if h.wrong(&v) == "" {
			return nil
		}
		if err := s.renumber(ctx, tx, &v, &h); err != nil {
			return err
		}
		amended = true
		return tx.Commit(ctx)
	})
	if err != nil {
		return fmt.Errorf("amend log %q: %w", name, s.settle(ctx, err))
	}
	if amended {
		s.tell(v.id, p)
		if s.opt.Extract != nil {
			_ = s.indexLog(ctx, v.id) // else Index does it
		}
	}
	return nil
}

// renumber copies the lines of a content into a new one, which the head gets.
func (s *pgStore) renumber(ctx context.Context, tx pgx.Tx, v *head, h *held) error {
	var gen int64
	if err := tx.QueryRow(ctx, s.sql(`select nextval('@.numbers')`)).Scan(&gen); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, s.sql(`insert into @.lines (project, gen, seq, pos, token, body)
		select project, $3, row_number() over (order by seq),
			coalesce(sum(octet_length(body)::bigint + 1) over (order by seq rows between unbounded preceding and 1 preceding), 0), token, body
		from @.lines where project = $1 and gen = $2`), v.project, v.gen, gen); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, s.sql(`insert into @.dead (project, gen) values ($1, $2) on conflict do nothing`), v.project, v.gen); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, s.sql(`update @.heads h set gen = $2, lines = $3, bytes = $4, texted = 0, said = 0, mtime = clock_timestamp(),
		token = coalesce((select token from @.lines l where l.project = h.project and l.gen = $2 order by seq desc limit 1), token) where id = $1`),
		v.id, gen, h.lines, h.bytes)
	return err
}
