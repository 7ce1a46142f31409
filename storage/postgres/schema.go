package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"

	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the version of the tables that this package reads and
// writes: that of the last migration.
const schemaVersion = 5

// versionTable is where the version of the tables is kept.
const versionTable = "cambium_version"

// oldestServer is the first version of PostgreSQL that has all that is used.
const oldestServer = 140000

// found is what a database says of itself.
type found struct {
	server  int  // its version, as server_version_num
	standby bool // it takes no writes
	ours    bool // the version table is there
	tables  bool // there are tables in the schema
	version int64
}

// prepare looks at the database, and makes or upgrades the tables where that is
// wanted.
func (s *pgStore) prepare(ctx context.Context) error {
	f, err := s.look(ctx)
	if err == nil && f.version > 0 && f.version < schemaVersion {
		f, err = s.lookAgain(ctx)
	}
	if err != nil {
		return err
	}
	switch {
	case f.server < oldestServer:
		return fmt.Errorf("%s runs PostgreSQL %d: want 14 or later", s.where(), f.server/10000)
	case !f.ours && f.tables:
		return fmt.Errorf("%w: schema %q of database %q: choose another with ?schema=NAME", ErrForeign, s.opt.Schema, s.database)
	case f.version > schemaVersion:
		return fmt.Errorf("%w: schema %q has version %d, this program knows %d: use a newer program", ErrSchema, s.opt.Schema, f.version, schemaVersion)
	case f.version == schemaVersion:
		return nil
	case f.version == 0 && s.opt.Existing:
		return &serverstatus.Missing{Where: fmt.Sprintf("schema %q of database %q at %s", s.opt.Schema, s.database, s.where())}
	case f.standby && f.version == 0:
		return fmt.Errorf("%w: %s: schema %q is not made yet", ErrReadOnly, s.where(), s.opt.Schema)
	case f.version > 0 && !s.opt.Upgrade:
		return &serverstatus.Old{Err: ErrSchema, Where: s.where(), Database: s.database, Schema: s.opt.Schema, Version: f.version, Wants: schemaVersion}
	case f.standby:
		return fmt.Errorf("%w: %s: schema %q has version %d, this program wants %d", ErrReadOnly, s.where(), s.opt.Schema, f.version, schemaVersion)
	}
	return s.migrate(ctx)
}

// lookAgain looks when nobody is making or upgrading tables any more: what is
// half made is not old.
func (s *pgStore) lookAgain(ctx context.Context) (found, error) {
	err := s.once(ctx, 0, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, "select pg_advisory_xact_lock($1)", lock.DefaultLockID)
		return err
	})
	if err != nil {
		return found{}, err
	}
	return s.look(ctx)
}

func (s *pgStore) look(ctx context.Context) (f found, err error) {
	err = s.once(ctx, 0, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, `
			select current_setting('server_version_num')::int, pg_is_in_recovery() or current_setting('transaction_read_only')::bool,
				exists (select from pg_tables where schemaname = $1 and tablename = $2),
				exists (select from pg_class where relnamespace = to_regnamespace($1)::oid and relkind in ('r', 'p', 'v', 'm', 'f'))`,
			s.opt.Schema, versionTable).Scan(&f.server, &f.standby, &f.ours, &f.tables)
		if err != nil || !f.ours {
			return err
		}
		return s.pool.QueryRow(ctx, s.sql("select coalesce(max(version_id) filter (where is_applied), 0) from @."+versionTable)).Scan(&f.version)
	})
	return f, err
}

// hostOf names the servers of a configuration as people do.
func hostOf(c *pgconn.Config) string {
	one := func(host string, port uint16) string {
		if filepath.IsAbs(host) {
			return host
		}
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	text := one(c.Host, c.Port)
	last := text
	for _, f := range c.Fallbacks {
		if next := one(f.Host, f.Port); next != last {
			text, last = text+","+next, next
		}
	}
	return text
}

var errMigrations = errors.New("migrations are not as they should be")

func migrationFiles() (fs.FS, error) { return fs.Sub(migrations, "migrations") }
