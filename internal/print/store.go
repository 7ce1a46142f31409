package print

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
)

// jsonStore is what store status prints.
type jsonStore struct {
	Kind     string `json:"kind"`
	Where    string `json:"where,omitzero"`
	Away     string `json:"away,omitzero"`
	Server   string `json:"server,omitzero"`
	Database string `json:"database,omitzero"`
	Schema   string `json:"schema,omitzero"`
	Version  int64  `json:"version,omitzero"`
	Wants    int64  `json:"wants,omitzero"`
	Cluster  string `json:"cluster,omitzero"`
	Stream   string `json:"stream,omitzero"`
	Leader   string `json:"leader,omitzero"`
	ReadOnly bool   `json:"readOnly,omitzero"`

	Durability jsonDurability `json:"durability,omitzero"`
	Holds      *jsonHolds     `json:"holds,omitzero"`
	Leases     []jsonLease    `json:"leases"`
	Waiting    []jsonWaiting  `json:"waiting"`
	Kept       jsonKept       `json:"kept"`
}

// jsonDurability says when an append is acknowledged.
type jsonDurability struct {
	Summary           string `json:"summary"`
	SynchronousCommit string `json:"synchronousCommit,omitzero"`
	Fsync             *bool  `json:"fsync,omitzero"`
	Standbys          int    `json:"synchronousStandbys,omitzero"`
	Replicas          int    `json:"replicas,omitzero"`
	Current           int    `json:"currentReplicas,omitzero"`
	Sync              string `json:"sync,omitzero"`
}

// jsonHolds counts what is in a store.
type jsonHolds struct {
	Logs     int64  `json:"logs"`
	Lines    *int64 `json:"lines,omitzero"`
	Messages *int64 `json:"messages,omitzero"`
	Bytes    int64  `json:"bytes"`
	Blobs    int64  `json:"blobs"`
	// About says which of them are estimates.
	About     []string `json:"about,omitzero"`
	Unindexed int64    `json:"unindexed,omitzero"`
}

// jsonLease is a session that somebody has open.
type jsonLease struct {
	Path     string `json:"path"`
	Host     string `json:"host,omitzero"`
	PID      int    `json:"pid,omitzero"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since"`

	who presence.Holder
}

// jsonWaiting is what waits on this machine for one session.
type jsonWaiting struct {
	Path  string `json:"path"`
	Lines int    `json:"lines"`
	Since string `json:"since"`
}

// jsonKept counts the copies on this machine.
type jsonKept struct {
	Sessions int   `json:"sessions"`
	Bytes    int64 `json:"bytes"`
}

// Store prints what a shared store is and how it is.
func Store(c *console.Console, is work.StoreStatus) error {
	st := storeOf(is)
	if c.JSON {
		return c.Emit(st)
	}
	return showStore(c, st)
}

// storeOf is the status of a store as it is printed.
func storeOf(is work.StoreStatus) jsonStore {
	st := jsonStore{Kind: is.Kind, Where: is.Where, Leases: []jsonLease{}, Waiting: []jsonWaiting{}, Kept: jsonKept{is.Copies, is.CopiedBytes}}
	if is.Away {
		st.Away = "it does not answer"
	}
	if old := is.Old; old != nil {
		st.Where, st.Database, st.Schema, st.Version, st.Wants = old.Where, old.Database, old.Schema, old.Version, old.Wants
	}
	for _, w := range is.Waiting {
		st.Waiting = append(st.Waiting, jsonWaiting{w.Name, len(w.Lines), Time(w.Since)})
	}
	for _, l := range is.Leases {
		h := l.Holder
		st.Leases = append(st.Leases, jsonLease{l.Path, h.Host, h.PID, h.Terminal, Time(h.Since), session.HolderOf(h)})
	}
	switch {
	case is.Postgres != nil:
		st.ofPostgres(is.Postgres)
	case is.JetStream != nil:
		st.ofJetStream(is.JetStream)
	}
	return st
}

// ofPostgres takes what a database says of itself.
func (st *jsonStore) ofPostgres(is *serverstatus.Postgres) {
	st.Server, st.Where, st.Database, st.Schema, st.Version = "PostgreSQL "+is.Server, is.Where, is.Database, is.Schema, is.Version
	st.ReadOnly = is.ReadOnly
	st.Durability = jsonDurability{
		Summary: is.Durability(), SynchronousCommit: is.Commit, Fsync: &is.Fsync, Standbys: is.Standbys, Replicas: is.Replicas,
	}
	st.Holds = &jsonHolds{Logs: is.Logs, Lines: &is.Lines, Bytes: is.Bytes, Blobs: is.Blobs, Unindexed: is.Unindexed}
	if is.AboutBlobs {
		st.Holds.About = []string{"blobs"}
	}
}

// ofJetStream takes what a stream says of itself.
func (st *jsonStore) ofJetStream(is *serverstatus.JetStream) {
	st.Server, st.Where, st.Cluster, st.Stream, st.Leader = "NATS "+is.Server, is.Where, is.Cluster, is.Stream, is.Leader
	st.Durability = jsonDurability{Summary: is.Durability(), Replicas: is.Replicas, Current: is.Current, Sync: is.Sync}
	messages := int64(is.Messages)
	st.Holds = &jsonHolds{Logs: int64(is.Logs), Messages: &messages, Bytes: int64(is.Bytes), Blobs: int64(is.Blobs)}
	if is.About {
		st.Holds.About = []string{"logs", "blobs"}
	}
}

// showStore prints the status as text.
func showStore(c *console.Console, st jsonStore) error {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(c.Out, "%-11s %s\n", name, term.Line(text))
		}
	}
	row("store", strings.TrimSpace(st.Server+" at "+st.Where))
	row("away", st.Away)
	if st.Database != "" {
		text := fmt.Sprintf("%s, schema %s of version %d", st.Database, st.Schema, st.Version)
		if st.Wants != 0 {
			text += fmt.Sprintf("; this program wants %d", st.Wants)
		}
		row("database", text)
	}
	if st.Stream != "" {
		text := "stream " + st.Stream
		if st.Leader != "" {
			text += ", led by " + st.Leader
		}
		row("cluster", strings.TrimPrefix(st.Cluster+": "+text, ": "))
	}
	row("durability", st.Durability.Summary)
	if st.ReadOnly {
		row("read-only", "the server takes no writes")
	}
	if h := st.Holds; h != nil {
		count := func(what string, n int64, word string) string {
			if slices.Contains(h.About, what) {
				return "about " + term.Plural(int(n), word)
			}
			return term.Plural(int(n), word)
		}
		text := count("logs", h.Logs, "session")
		if h.Lines != nil {
			text += ", " + count("lines", *h.Lines, "line")
		}
		if h.Messages != nil {
			text += ", " + count("messages", *h.Messages, "message")
		}
		text += ", " + term.Bytes(h.Bytes) + ", " + count("blobs", h.Blobs, "blob")
		if h.Unindexed > 0 {
			text += fmt.Sprintf("; %d lines cannot be found by words yet", h.Unindexed)
		}
		row("holds", text)
	}
	for _, l := range st.Leases {
		row("open", l.Path+": "+strings.TrimPrefix(l.who.String(), "open in "))
	}
	for _, w := range st.Waiting {
		row("waiting", fmt.Sprintf("%s: %s since %s", w.Path, term.Plural(w.Lines, "line"), w.Since))
	}
	row("kept here", fmt.Sprintf("%s, %s", term.Plural(st.Kept.Sessions, "session"), term.Bytes(st.Kept.Bytes)))
	return nil
}
