package serverstatus

import "fmt"

// JetStream is what a store on it says of itself.
type JetStream struct {
	// Server is the version of the server that this client is connected to,
	// Where the addresses in the URL, Cluster the cluster's name; "" for none.
	Server, Where, Cluster string
	// Stream is the stream's name, Leader the server that leads it.
	Stream, Leader string
	// Replicas is how many servers hold the stream, Current how many of them
	// are there and up to date: an append is acknowledged when more than half
	// have it.
	Replicas, Current int
	// Memory is a stream that is kept in memory only.
	Memory bool
	// Sync says when what was acknowledged is synced to disk: "always", "every"
	// and a time, or "unknown" if no monitoring address was given.
	Sync string
	// MaxPayload is the largest message in bytes, MaxBytes the most that the
	// stream may hold; -1 for no limit.
	MaxPayload, MaxBytes int64
	// Names counts names and contents of logs, Messages and Bytes what the
	// stream holds.
	Subjects, Messages, Bytes uint64
	// Logs and Blobs count what is stored. About says that there is too much of
	// it to be counted: they are what the numbers of subjects tell.
	Logs, Blobs uint64
	About       bool
}

// Durability says in a line what an acknowledged append survives.
func (st JetStream) Durability() string {
	switch {
	case st.Memory && st.Replicas == 1:
		return "kept in memory by one server: lost when it ends"
	case st.Memory:
		return fmt.Sprintf("kept in memory by %d servers: lost when they end together", st.Replicas)
	}
	sync := "synced to disk " + st.Sync
	if st.Sync == "always" {
		sync = "synced to disk before it is acknowledged"
	} else if st.Sync == "unknown" {
		sync = "when it is synced to disk is not known (the URL names no monitor=HOST:PORT)"
	}
	if st.Replicas == 1 {
		return "on the disk of one server; " + sync
	}
	return fmt.Sprintf("on the disks of %d servers (%d up to date), acknowledged by %d; each %s",
		st.Replicas, st.Current, st.Replicas/2+1, sync)
}
