package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/presence"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newStore(a *app) *cobra.Command {
	status := func(ctx context.Context, _ *cobra.Command, _ []string) error { return runStoreStatus(ctx, a) }
	cmd := &cobra.Command{
		Use:   "store [status|init|upgrade|gc]",
		Short: "Say what a shared store is, and tend it",
		Long: "Says of the store of --store or CAMBIUM_STORE what it is, what an acknowledged append survives there, how much is in it, " +
			"who has which session open, and what waits on this machine to be sent.",
		GroupID: groupMore,
		Example: "cambium store status --store postgres://ada@db.example.org/sessions\ncambium store upgrade",
		RunE:    tends(a, status),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "status", Short: "Say what it is and how it is", Args: cobra.NoArgs, RunE: tends(a, status),
	}, &cobra.Command{
		Use: "init", Short: "Make what it needs, if it is not there: tables or a stream", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := work.InitStore(ctx, a.lib); err != nil {
				return told(err)
			}
			return runStoreStatus(ctx, a)
		}),
	}, &cobra.Command{
		Use: "upgrade", Short: "Bring what an older version made up to date", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := work.UpgradeStore(ctx, a.lib); err != nil {
				return told(err)
			}
			return runStoreStatus(ctx, a)
		}),
	}, &cobra.Command{
		Use: "gc", Short: "Take out what nobody can read any more: contents that were replaced ten minutes ago", Args: cobra.NoArgs,
		RunE: tends(a, func(ctx context.Context, _ *cobra.Command, _ []string) error { return runStoreSweep(ctx, a) }),
	})
	return cmd
}

// tends is run for the commands that open the shared store themselves.
func tends(a *app, f func(context.Context, *cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if a.err == nil {
			a.err = prepare(a)
		}
		if a.err == nil && a.lib.Scheme == "" {
			p := usage("store: no shared store is named")
			p.todo = "say --store or set CAMBIUM_STORE: postgres://USER@HOST/DATABASE or nats://HOST"
			a.err = p
		}
		if a.err == nil {
			a.err = f(cmd.Context(), cmd, args)
		}
		return nil
	}
}

// runStoreSweep removes from a store what is no longer needed.
func runStoreSweep(ctx context.Context, a *app) error {
	n, err := work.SweepStore(ctx, a.lib)
	if errors.Is(err, work.ErrNoSweep) {
		return usage("store gc: %v", err)
	}
	if err != nil {
		return told(err)
	}
	if a.flags.json {
		return a.emit(map[string]jsonSwept{"swept": {n}})
	}
	if n == 0 {
		a.message("nothing to take out")
	} else {
		a.message("taken out: " + plural(n, "content") + " that had been replaced")
	}
	return nil
}

// jsonSwept is what store gc took out, as --json prints it.
type jsonSwept struct {
	Contents int `json:"contents"`
}

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

// runStoreStatus prints what the store is and how it is.
func runStoreStatus(ctx context.Context, a *app) error {
	is, err := work.Status(ctx, a.lib)
	if err != nil && is.Old == nil {
		return told(err)
	}
	st := storeOf(is)
	show := showStore
	if a.flags.json {
		show = func(a *app, st jsonStore) error { return a.emit(st) }
	}
	shown := show(a, st)
	switch {
	case err != nil:
		return errors.Join(shown, told(err))
	case shown == nil && is.Away:
		return problem{exit: exitFailed, text: "the store does not answer", todo: "is it running, and can it be reached from here?"}
	}
	return shown
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
		st.Waiting = append(st.Waiting, jsonWaiting{w.Name, len(w.Lines), isoTime(w.Since)})
	}
	for _, l := range is.Leases {
		h := l.Holder
		st.Leases = append(st.Leases, jsonLease{l.Path, h.Host, h.PID, h.Terminal, isoTime(h.Since), session.HolderOf(h)})
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
func showStore(a *app, st jsonStore) error {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(a.out, "%-11s %s\n", name, term.Line(text))
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
				return "about " + plural(int(n), word)
			}
			return plural(int(n), word)
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
		row("waiting", fmt.Sprintf("%s: %s since %s", w.Path, plural(w.Lines, "line"), w.Since))
	}
	row("kept here", fmt.Sprintf("%s, %s", plural(st.Kept.Sessions, "session"), term.Bytes(st.Kept.Bytes)))
	return nil
}
