package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// detect finds out whether a pooler stands before the server: it gives clients a
// number of its own for the process that serves them. What such a process keeps
// for a session, prepared statements and what it listens to, is then not relied
// on: the pooler may give another one to the next transaction. Leases and locks of
// this package are rows or end with their transaction, and need nothing.
func (s *pgStore) detect(ctx context.Context, url string) error {
	err := s.once(ctx, 0, func(ctx context.Context) error {
		pg := of(ctx).Conn().PgConn()
		results, err := pg.Exec(ctx, "select pg_backend_pid()").ReadAll()
		if err != nil {
			return err
		}
		if len(results) != 1 || len(results[0].Rows) != 1 {
			return fmt.Errorf("server: %d answers to one question", len(results))
		}
		s.pooled = string(results[0].Rows[0][0]) != strconv.FormatUint(uint64(pg.PID()), 10)
		return nil
	})
	c := s.pool.Config()
	if err != nil || !s.pooled || strings.Contains(url, "default_query_exec_mode=") {
		return err
	}
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	pool, err := pgxpool.NewWithConfig(s.life, c)
	if err != nil {
		return err
	}
	s.pool.Close()
	s.pool.pool = pool
	return nil
}
