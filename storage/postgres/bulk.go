package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// minCopy is how many bytes a first append has from which on it is copied into the
// tables: that takes two round trips more, and half the time for each line.
const minCopy = 64 << 10

// copyAll begins a log with a copy of its lines. took is false if the name is
// taken.
func (w *write) copyAll(ctx context.Context) (took bool, err error) {
	err = w.once(ctx, w.size, func(ctx context.Context) error {
		took, err = false, nil
		tx, err := w.pool.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing, once it is committed
		b := &pgx.Batch{}
		w.queueHead(b)
		results := tx.SendBatch(ctx, b)
		err = results.QueryRow().Scan(&w.end.id, &w.end.gen)
		if err = errors.Join(err, results.Close()); errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = w.copyLines(ctx, tx)
		}
		if err == nil {
			b := &pgx.Batch{}
			w.queueTexts(b, 0)
			err = tx.SendBatch(ctx, b).Close()
		}
		if err == nil {
			err = tx.Commit(ctx)
		}
		took = err == nil
		return err
	})
	return took && err == nil, err
}

func (w *write) copyLines(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{w.opt.Schema, "lines"}, []string{"project", "gen", "seq", "pos", "token", "body"},
		pgx.CopyFromSlice(len(w.lines), func(i int) ([]any, error) {
			return []any{w.spread, w.end.gen, int64(i + 1), w.starts[i], w.end.token, w.lines[i]}, nil
		}))
	return err
}
