package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/spf13/cobra"
)

func newStore(a *app) *cobra.Command {
	status := func(ctx context.Context, _ *cobra.Command, _ []string) error { return a.storeStatus(ctx) }
	cmd := &cobra.Command{
		Use:   "store [status|init|upgrade|gc]",
		Short: "Say what a shared store is, and tend it",
		Long: "Says of the store of --store or CAMBIUM_STORE what it is, what an acknowledged append survives there, how much is in it, " +
			"who has which session open, and what waits on this machine to be sent.",
		GroupID: groupMore,
		Example: "cambium store status --store postgres://ada@db.example.org/sessions\ncambium store upgrade",
		RunE:    a.tends(status),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "status", Short: "Say what it is and how it is", Args: cobra.NoArgs, RunE: a.tends(status),
	}, &cobra.Command{
		Use: "init", Short: "Make what it needs, if it is not there: tables or a stream", Args: cobra.NoArgs,
		RunE: a.tends(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := a.mustReach(ctx, ""); err != nil {
				return err
			}
			return a.storeStatus(ctx)
		}),
	}, &cobra.Command{
		Use: "upgrade", Short: "Bring what an older version made up to date", Args: cobra.NoArgs,
		RunE: a.tends(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if err := a.mustReach(ctx, "upgrade=true"); err != nil {
				return err
			}
			return a.storeStatus(ctx)
		}),
	}, &cobra.Command{
		Use: "gc", Short: "Take out what nobody can read any more: contents that were replaced ten minutes ago", Args: cobra.NoArgs,
		RunE: a.tends(func(ctx context.Context, _ *cobra.Command, _ []string) error { return a.storeSweep(ctx) }),
	})
	return cmd
}

// tends is run for the commands that open the shared store themselves.
func (a *app) tends(f func(context.Context, *cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if a.err == nil {
			a.err = a.prepare()
		}
		if a.err == nil && a.storeScheme == "" {
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

// mustReach opens the store that is named, which must answer. more is added to the
// query of a PostgreSQL URL.
func (a *app) mustReach(ctx context.Context, more string) error {
	url := a.flags.store
	if more != "" && strings.HasPrefix(a.storeScheme, "postgres") {
		url += map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")] + more
	}
	stop := a.waiting("open store")
	s, err := storeKinds()[a.storeScheme](ctx, url)
	stop()
	if err != nil {
		return storeTrouble(err)
	}
	return s.close()
}

// storeSweep removes from a store what is no longer needed.
func (a *app) storeSweep(ctx context.Context) error {
	s, err := storeKinds()[a.storeScheme](ctx, a.flags.store)
	if err != nil {
		return storeTrouble(err)
	}
	defer func() { _ = s.close() }() // all was acknowledged
	sweeper, ok := s.Store.(interface{ Sweep(context.Context) error })
	if !ok {
		return usage("store gc: there is nothing to do in this kind of store")
	}
	return sweeper.Sweep(ctx)
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
	Logs      int64 `json:"logs,omitzero"`
	Lines     int64 `json:"lines,omitzero"`
	Messages  int64 `json:"messages,omitzero"`
	Bytes     int64 `json:"bytes"`
	Blobs     int64 `json:"blobs,omitzero"`
	Unindexed int64 `json:"unindexed,omitzero"`
}

// jsonLease is a session that somebody has open.
type jsonLease struct {
	Path     string `json:"path"`
	Host     string `json:"host,omitzero"`
	PID      int    `json:"pid,omitzero"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since"`

	who session.Holder
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

// storeStatus prints what the store is and how it is.
func (a *app) storeStatus(ctx context.Context) error {
	s, err := a.reachStore(ctx)
	if err != nil {
		return err
	}
	a.shared, a.ctx = s, ctx // closed in the end
	a.sendWaiting(ctx)
	st := jsonStore{Kind: a.storeScheme, Where: plainURL(a.flags.store), Leases: []jsonLease{}, Waiting: []jsonWaiting{}}
	if s.depot != nil {
		if away := s.depot.Away(); away != nil {
			st.Away = "it does not answer"
		}
		waiting, err := s.depot.Wait()
		if err != nil {
			return err
		}
		for _, w := range waiting {
			st.Waiting = append(st.Waiting, jsonWaiting{w.Name, len(w.Lines), isoTime(w.Since)})
		}
		slices.SortFunc(st.Waiting, func(x, y jsonWaiting) int { return cmp.Compare(x.Path, y.Path) })
		st.Kept.Sessions, st.Kept.Bytes = s.depot.Copies()
	}
	if st.Away == "" {
		if err := a.describeStore(ctx, &st); err != nil {
			return storeTrouble(err)
		}
		all, err := storage.Survey(ctx, s.Store)
		if err != nil {
			return storeTrouble(err)
		}
		for path, holders := range all {
			for _, h := range holders {
				st.Leases = append(st.Leases, jsonLease{path, h.Host, h.PID, h.Terminal, isoTime(h.Since), session.HolderOf(h)})
			}
		}
		slices.SortFunc(st.Leases, func(x, y jsonLease) int { return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Since, y.Since)) })
	}
	if a.flags.json {
		err = a.emit(st)
	} else {
		err = a.printStore(st)
	}
	if err == nil && st.Away != "" {
		err = problem{exit: exitFailed, text: "the store does not answer", todo: "is it running, and can it be reached from here?"}
	}
	return err
}

// describeStore asks the store itself.
func (a *app) describeStore(ctx context.Context, st *jsonStore) error {
	far, err := storeKinds()[a.storeScheme](ctx, a.flags.store)
	if err != nil {
		return err
	}
	defer func() { _ = far.close() }() // nothing was written
	switch s := far.Store.(type) {
	case *postgres.Store:
		is, err := s.Status(ctx)
		if err != nil {
			return err
		}
		st.Server, st.Where, st.Database, st.Schema, st.Version = "PostgreSQL "+is.Server, is.Where, is.Database, is.Schema, is.Version
		st.ReadOnly = is.ReadOnly
		st.Durability = jsonDurability{
			Summary: is.Durability(), SynchronousCommit: is.Commit, Fsync: &is.Fsync, Standbys: is.Standbys, Replicas: is.Replicas,
		}
		st.Holds = &jsonHolds{Logs: is.Logs, Lines: is.Lines, Bytes: is.Bytes, Blobs: is.Blobs, Unindexed: is.Unindexed}
	case *jetstream.Store:
		is, err := s.Status(ctx)
		if err != nil {
			return err
		}
		st.Server, st.Where, st.Cluster, st.Stream, st.Leader = "NATS "+is.Server, is.Where, is.Cluster, is.Stream, is.Leader
		st.Durability = jsonDurability{Summary: is.Durability(), Replicas: is.Replicas, Current: is.Current, Sync: is.Sync}
		st.Holds = &jsonHolds{Messages: int64(is.Messages), Bytes: int64(is.Bytes)}
	}
	return nil
}

// printStore prints the status as text.
func (a *app) printStore(st jsonStore) error {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(a.out, "%-11s %s\n", name, term.Line(text))
		}
	}
	row("store", strings.TrimSpace(st.Server+" at "+st.Where))
	row("away", st.Away)
	if st.Database != "" {
		row("database", fmt.Sprintf("%s, schema %s of version %d", st.Database, st.Schema, st.Version))
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
	if h := st.Holds; h != nil && st.Stream != "" {
		row("holds", fmt.Sprintf("%d messages, %s", h.Messages, term.Bytes(h.Bytes)))
	} else if h != nil {
		text := fmt.Sprintf("%s, %d lines, %s, about %d blobs", plural(int(h.Logs), "session"), h.Lines, term.Bytes(h.Bytes), h.Blobs)
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
