package postgres

import (
	"context"
	"fmt"
)

// Status is what a store says of itself.
type Status struct {
	// Server is the version of PostgreSQL, as it says it; Where is its address.
	Server, Where string
	// Database and Schema say where in it, Version that of the tables.
	Database, Schema string
	Version          int64
	// Commit is synchronous_commit: when an append is acknowledged. Fsync is
	// false for a server that may lose all in a power cut.
	Commit string
	Fsync  bool
	// Standbys is how many servers confirm an append before it is acknowledged,
	// Replicas how many follow in all.
	Standbys, Replicas int
	// ReadOnly is a server that takes no writes.
	ReadOnly bool
	// Logs, Lines, Bytes and Blobs count what is stored; the lines and bytes of
	// logs as their heads say.
	Logs, Lines, Bytes, Blobs int64
	// AboutBlobs says that there are so many blobs that they were not counted:
	// Blobs is what the server estimates.
	AboutBlobs bool
	// Unindexed counts lines that cannot be found by words yet.
	Unindexed int64
}

// countBlobs is up to how many bytes of their table, which does not hold what is
// in them, blobs are counted and not estimated: some hundred thousand.
const countBlobs = 32 << 20

// Status describes the server and what is stored.
func (s *Store) Status(ctx context.Context) (Status, error) {
	st := Status{Where: s.where(), Database: s.database, Schema: s.opt.Schema}
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
		return Status{}, fmt.Errorf("read status: %w", err)
	}
	return st, nil
}

// Key tells stores apart: the servers in the URL, the database and the schema. No
// password is in it.
func (s *Store) Key() string {
	return fmt.Sprintf("postgres %s %s %s", s.where(), s.database, s.opt.Schema)
}

// Durability says in a line what an acknowledged append survives.
func (st Status) Durability() string {
	text := map[string]string{
		"off":          "acknowledged before it is on disk (synchronous_commit = off): what came last may be lost with the server",
		"local":        "on the server's disk; standbys may lack it (synchronous_commit = local)",
		"remote_write": "on the server's disk, and written by its standbys (synchronous_commit = remote_write)",
		"on":           "on the server's disk (synchronous_commit = on)",
		"remote_apply": "on the server's disk, and seen on its standbys (synchronous_commit = remote_apply)",
	}[st.Commit]
	if text == "" {
		text = "synchronous_commit = " + st.Commit
	}
	if st.Standbys > 0 && st.Commit != "off" && st.Commit != "local" {
		text += fmt.Sprintf(", confirmed by synchronous standbys (%d)", st.Standbys)
	}
	if !st.Fsync {
		text += "; the server does not wait for its disk (fsync = off): all may be lost in a power cut"
	}
	return text
}
