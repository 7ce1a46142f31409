package postgres

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/serverstatus"
)

// countBlobs is up to how many bytes of their table, which does not hold what is
// in them, blobs are counted and not estimated: some hundred thousand.
const countBlobs = 32 << 20

// Status describes the server and what is stored.
func (s *pgStore) Status(ctx context.Context) (serverstatus.Postgres, error) {
	st := serverstatus.Postgres{Where: s.where(), Database: s.database, Schema: s.opt.Schema}
	_, err := s.one(ctx, `
		select current_setting('server_version'), current_setting('synchronous_commit'), current_setting('fsync')::bool,
			pg_is_in_recovery() or current_setting('transaction_read_only')::bool,
			(select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')),
			(select count(*) from pg_stat_replication),
			(select coalesce(max(version_id) filter (where is_applied), 0) from @.`+versionTable+`),
			h.logs, h.lines, h.bytes, h.unindexed,
			b.estimate, b.known and b.size > $2
		from (select count(*) as logs, coalesce(sum(lines), 0)::bigint as lines, coalesce(sum(bytes), 0)::bigint as bytes,
			coalesce(sum(lines - texted), 0)::bigint as unindexed from @.heads) as h,
			(select coalesce(sum(c.reltuples), 0)::bigint as estimate, coalesce(bool_and(c.reltuples >= 0), false) as known,
				coalesce(sum(pg_relation_size(c.oid)), 0)::bigint as size
				from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1)) as b`,
		[]any{s.opt.Schema + ".blobs", countBlobs},
		&st.Server, &st.Commit, &st.Fsync, &st.ReadOnly, &st.Standbys, &st.Replicas, &st.Version,
		&st.Logs, &st.Lines, &st.Bytes, &st.Unindexed, &st.Blobs, &st.AboutBlobs)
	if err == nil && !st.AboutBlobs {
		_, err = s.one(ctx, "select count(*) from @.blobs", nil, &st.Blobs)
	}
	if err != nil {
		return serverstatus.Postgres{}, fmt.Errorf("read status: %w", err)
	}
	return st, nil
}

// Key tells stores apart: the servers in the URL, the database and the schema. No
// password is in it.
func (s *pgStore) Key() string {
	return fmt.Sprintf("postgres %s %s %s", s.where(), s.database, s.opt.Schema)
}

// Durability says in a line what an acknowledged append survives.
func (s *pgStore) Durability(ctx context.Context) (string, error) {
	st, err := s.Status(ctx)
	if err != nil {
		return "", err
	}
	return st.Durability(), nil
}
