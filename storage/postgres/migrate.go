package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// migrate brings the tables up to date, in one transaction: others see all of it
// or nothing, and a pooler that gives a connection for a transaction is as good as
// the server. Of several programs that begin at once one does it, and the others
// wait.
func (s *pgStore) migrate(ctx context.Context) error {
	conf := s.pool.Config().ConnConfig
	made, err := stdlib.GetConnector(*conf).Connect(ctx)
	if err != nil {
		return err
	}
	one := single{made.(*stdlib.Conn)}
	defer func() { _ = one.Conn.Close() }() // rolled back, or done
	tx, err := one.Conn.Conn().Begin(ctx)
	if err != nil {
		return err
	}
	for _, query := range []string{
		"set local lock_timeout = '120s'",
		fmt.Sprintf("select pg_advisory_xact_lock(%d)", lock.DefaultLockID),
		"create schema if not exists " + s.opt.Schema,
		"set local search_path = " + s.opt.Schema,
	} {
		// None of it is to be prepared.
		if _, err := tx.Exec(ctx, query, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	db := sql.OpenDB(one)
	err = s.up(ctx, db)
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		err = partial.Err
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// up runs the migrations that the database lacks.
func (s *pgStore) up(ctx context.Context, db *sql.DB) error {
	files, err := migrationFiles()
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(s.opt.Schema+"."+versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("%w: %w", errMigrations, err)
	}
	_, err = p.Up(ctx)
	return err
}

// A single is one connection in the middle of a transaction, as all connections of
// a database: what begins a transaction there sets a savepoint.
type single struct{ *stdlib.Conn }

var (
	_ driver.Connector   = single{}
	_ driver.ConnBeginTx = single{}
)

// Connect returns the connection.
func (c single) Connect(context.Context) (driver.Conn, error) { return c, nil }

// Driver is not of use.
func (c single) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// Close leaves the connection to who made it.
func (c single) Close() error { return nil }

// ResetSession leaves the transaction as it is.
func (c single) ResetSession(context.Context) error { return nil }

// Begin sets a savepoint.
func (c single) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx sets a savepoint.
func (c single) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	return step{ctx, c}, c.do(ctx, "savepoint step")
}

func (c single) do(ctx context.Context, query string) error {
	_, err := c.Conn.Conn().Exec(ctx, query, pgx.QueryExecModeSimpleProtocol)
	return err
}

// A step is what is done behind a savepoint.
type step struct {
	ctx context.Context
	c   single
}

// Commit keeps it.
func (t step) Commit() error { return t.c.do(t.ctx, "release savepoint step") }

// Rollback undoes it.
func (t step) Rollback() error { return t.c.do(t.ctx, "rollback to savepoint step") }
