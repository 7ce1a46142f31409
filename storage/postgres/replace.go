package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
)

// Replace puts a new content in place of the log's: it is sent as it is made,
// seen by nobody until it is whole, and the head moves to it in the end. Others
// append meanwhile; only the last step waits for them.
func (l *rowLog) Replace(ctx context.Context, at storage.Mark, rewrite storage.Rewrite) (storage.Mark, error) {
	if err := l.take(ctx); err != nil {
		return at, l.fail("replace", err)
	}
	defer l.turn.Give()
	select {
	case l.store.replacing <- struct{}{}:
		defer func() { <-l.store.replacing }()
	case <-ctx.Done():
		return at, l.fail("replace", fmt.Errorf("%w: %w", storage.ErrLocked, context.Cause(ctx)))
	}
	v, err := l.compare(ctx, at)
	if err != nil {
		return at, l.fail("replace", err)
	}
	r := &replacement{rowLog: l, old: v, at: seenOf(at), token: newToken()}
	mark, err := r.run(ctx, rewrite)
	if err != nil {
		return at, l.fail("replace", l.store.settle(ctx, err))
	}
	l.store.tell(v.id, v.place)
	return mark, nil
}

// A replacement is a new content on its way. It is also what the content is
// copied from.
type replacement struct {
	*rowLog
	old   *view
	at    seen
	token int64
	gen   int64
	lines int64 // given so far
	bytes int64
	next  func() ([]byte, error, bool)
	row   [6]any
	err   error // that of the rewrite
}

func (r *replacement) run(ctx context.Context, rewrite storage.Rewrite) (storage.Mark, error) {
	// A connection of its own: this one is busy while the log is read.
	conn, err := pgx.ConnectConfig(ctx, r.store.pool.Config().ConnConfig)
	if err != nil {
		return storage.Mark{}, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // rolled back, or done
	tx, err := conn.Begin(ctx)
	if err != nil {
		return storage.Mark{}, err
	}
	if err := tx.QueryRow(ctx, r.store.sql(`select nextval('@.numbers')`)).Scan(&r.gen); err != nil {
		return storage.Mark{}, err
	}
	if err := r.copy(ctx, tx, rewrite); err != nil {
		return storage.Mark{}, err
	}
	if err := r.swap(ctx, tx); err != nil {
		return storage.Mark{}, err
	}
	mark := markOf(r.old.id, r.gen, r.lines, r.token)
	if err := tx.Commit(ctx); err != nil {
		if fateOf(err, r.store.several) == unknown && r.happened(ctx) {
			return mark, nil
		}
		return storage.Mark{}, err
	}
	if _, err := r.store.sweep(ctx); err == nil && r.store.opt.Extract != nil {
		// What is missing can be found by words when Index has run again.
		_ = r.store.indexLog(ctx, r.old.id)
	}
	return mark, nil
}

// copy streams what the rewrite gives into the database.
func (r *replacement) copy(ctx context.Context, tx pgx.Tx, rewrite storage.Rewrite) error {
	was := *r.old
	was.head.lines = r.at.lines
	next, stop := iter.Pull2(rewrite(r.store.each(ctx, was.spanAfter(seen{}))))
	defer stop()
	r.next = next
	_, err := tx.CopyFrom(ctx, pgx.Identifier{r.store.opt.Schema, "lines"},
		[]string{"project", "gen", "seq", "pos", "token", "body"}, &source{r: r, ctx: ctx})
	if r.err != nil {
		return r.err // the copy was broken off for it
	}
	return err
}

// source gives the new rows to the copy.
type source struct {
	r   *replacement
	ctx context.Context
}

// Next makes the next row of the next line.
func (c *source) Next() bool {
	r := c.r
	line, err, ok := r.next()
	if !ok {
		return false
	}
	if err == nil && bytes.IndexByte(line, '\n') >= 0 {
		err = errors.New("rewritten line has a line feed in it")
	}
	if err == nil {
		err = c.ctx.Err()
	}
	if r.err = err; err != nil {
		return false
	}
	if line == nil {
		line = []byte{} // nil would be null
	}
	r.row = [6]any{r.old.project, r.gen, r.lines + 1, r.bytes, r.token, line}
	r.lines++
	r.bytes += int64(len(line)) + 1
	return true
}

// Values returns the row.
func (c *source) Values() ([]any, error) { return c.r.row[:], nil }

// Err returns what ended the rewrite.
func (c *source) Err() error { return c.r.err }

// swap moves the head to the new content, after adding what others appended
// since the old one was read.
func (r *replacement) swap(ctx context.Context, tx pgx.Tx) error {
	var now head
	err := tx.QueryRow(ctx, r.store.sql(`select `+headColumns+` from @.heads h where h.id = $1 for update`), r.old.id).Scan(now.fields()...)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &storage.Changed{Kind: storage.Gone}
	case err != nil:
		return err
	case now.gen != r.old.gen:
		return &storage.Changed{Kind: storage.Replaced, Now: now.mark()}
	}
	token := r.token
	if now.lines > r.at.lines {
		token = now.token
		if _, err := tx.Exec(ctx, r.store.sql(`insert into @.lines (project, gen, seq, pos, token, body)
			select project, $3, seq - $4 + $5, pos - coalesce((select pos + octet_length(body) + 1 from @.lines
				where project = $1 and gen = $2 and seq = $4), 0) + $6, token, body
			from @.lines where project = $1 and gen = $2 and seq > $4`),
			r.old.project, r.old.gen, r.gen, r.at.lines, r.lines, r.bytes); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, r.store.sql(`insert into @.dead (project, gen) values ($1, $2)`), r.old.project, r.old.gen); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, r.store.sql(`update @.heads h set gen = $2, lines = $3, token = $4, texted = 0, said = 0,
		mtime = clock_timestamp(), bytes = (select coalesce(max(pos + octet_length(body) + 1), 0) from @.lines l
			where l.project = h.project and l.gen = $2 and l.seq = $3) where id = $1`),
		r.old.id, r.gen, r.lines+now.lines-r.at.lines, token)
	return err
}

// happened reports whether the head moved to the new content although no answer
// came.
func (r *replacement) happened(ctx context.Context) bool {
	v, err := r.store.find(ctx, place{}, r.old.id, seen{})
	return err == nil && v != nil && v.gen == r.gen
}
