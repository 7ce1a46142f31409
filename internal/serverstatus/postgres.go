package serverstatus

import "fmt"

// Postgres is what a store on it says of itself.
type Postgres struct {
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

// Durability says in a line what an acknowledged append survives.
func (st Postgres) Durability() string {
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
