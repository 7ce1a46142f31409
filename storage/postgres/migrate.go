package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// up runs the migrations that the database lacks.
func (s *Store) up(ctx context.Context, db *sql.DB) error {
	files, err := migrationFiles()
	if err != nil {
		return err
	}
	lock, err := locker()
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(s.opt.Schema+"."+versionTable), goose.WithSessionLocker(lock),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("%w: %w", errMigrations, err)
	}
	_, err = p.Up(ctx)
	return err
}
