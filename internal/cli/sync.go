package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

func newSync(a *app) *cobra.Command {
	var o work.SyncOptions
	var maps []string
	cmd := &cobra.Command{
		Use:   "sync [STORE]",
		Short: "Unite the sessions here with those of a store or a directory",
		Long: "Unites the sessions of this machine's agents (--agent: of one) with those of STORE, in both directions: " +
			"the URL of a shared store, or a directory, such as a mounted drive or a git checkout. Without STORE it is the one of --store or CAMBIUM_STORE.\n\n" +
			"Each side is appended the entries that it lacks, byte for byte; what diverged becomes branches, and names and labels follow the newest. " +
			"Nothing is ever deleted: a session that was removed on one side comes back from the other. " +
			"It may be stopped at any time; the next run does the rest, and a run with nothing to do writes nothing.",
		GroupID: groupMore,
		Example: "cambium sync postgres://ada@db.example.org/sessions\ncambium sync /mnt/drive/sessions --dry-run\n" +
			"cambium sync ~/checkout --map /srv/code=/mnt/code",
		Args: cobra.MaximumNArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			for _, text := range maps {
				m, err := exchange.ParseMapping(text, a.lib.Env.Home)
				if err != nil {
					return usage("sync: %v", err)
				}
				o.Maps = append(o.Maps, m)
			}
			with := ""
			if len(args) > 0 {
				if with = args[0]; with == "" {
					return told(&work.SideError{Fault: work.Unnamed})
				}
			}
			return runSync(ctx, a, with, o)
		}),
	}
	f := cmd.Flags()
	f.BoolVarP(&o.Dry, "dry-run", "n", false, "say what would be moved, and move nothing")
	f.BoolVar(&o.Anew, "anew", false, "send everything again to a place that had sessions and has none any more")
	f.StringArrayVar(&maps, "map", nil, "the directory `FROM=TO`: what is FROM there is TO here (the home directory is ~ there)")
	return cmd
}

// runSync unites the sessions here with those of a store or a directory that is named,
// "" for that of the options.
func runSync(ctx context.Context, a *app, with string, o work.SyncOptions) error {
	there, err := a.lib.Side(ctx, with, o.Dry)
	if err != nil {
		return told(err)
	}
	defer there.Close()
	cols, _ := term.Size(a.Stderr, a.lib.Env.Getenv)
	bar := term.NewProgress(a.Stderr, term.ProgressOptions{
		Label: "sync sessions", Terminal: a.errTTY && !a.flags.json, Cols: cols, Bytes: true, Now: a.Now,
	})
	o.Progress = bar.Step
	o.Warn = func(text string) { bar.Clear(); a.note("", text) }
	o.Moved = func(m exchange.Moved) { bar.Clear(); syncMoved(a, m, o.Dry) }
	done, err := a.lib.Sync(ctx, there, o)
	bar.Close()
	if err = syncDone(a, done.Report, done.Failures, err, o.Dry); err == nil && there.Waits != nil {
		err = problem{exit: exitPartly, printed: true, text: "something waits for the store still", err: there.Waits}
	}
	return err
}

// sideTrouble says what to do about something that sessions cannot be united with.
func sideTrouble(e *work.SideError) problem {
	p := problem{exit: exitUsage, text: e.Error(), err: e}
	switch e.Fault {
	case work.Unnamed:
		p.todo = "name one: postgres://USER@HOST/DATABASE or a directory; or set CAMBIUM_STORE"
	case work.Unopened:
		p.exit, p.path, p.todo = exitFailed, e.Name, "make it first, or mount what it is in"
		if errors.Is(e, fs.ErrNotExist) {
			p.exit = exitNotFound
		}
	case work.Unfit:
		p.exit, p.path, p.todo = exitRefused, e.Name, "name a directory of its own, such as one on a drive or a git checkout"
	}
	return p
}

// jsonMoved is a session of which something was moved, as --json prints it.
type jsonMoved struct {
	ID            string          `json:"id"`
	Agent         string          `json:"agent"`
	Path          string          `json:"path,omitzero"`
	There         string          `json:"there,omitzero"`
	Out           exchange.Amount `json:"out"`
	In            exchange.Amount `json:"in"`
	Diverged      bool            `json:"diverged,omitzero"`
	Settled       int             `json:"settled,omitzero"`
	Damaged       int             `json:"damaged,omitzero"`
	Relinked      int             `json:"relinked,omitzero"`
	MissingBlobs  int             `json:"missingBlobs,omitzero"`
	LeftArtifacts int             `json:"leftArtifacts,omitzero"`
	DryRun        bool            `json:"dryRun,omitzero"`
}

// syncMoved prints what was moved of one session: always as JSON, else what would
// be.
func syncMoved(a *app, m exchange.Moved, dry bool) {
	if a.flags.json {
		_ = a.emit(jsonMoved{m.ID, m.Agent, m.Here, m.There, m.Out, m.In, m.Diverged, m.Settled, m.Damaged, m.Relinked,
			m.MissingBlobs, m.LeftArtifacts, dry}) // Flush returns the error of the writer
		return
	}
	if dry {
		name := m.Here
		if name == "" {
			name = m.There
		}
		_, _ = a.out.WriteString(wayWords("out", m.Out) + "\t" + wayWords("in", m.In) + "\t" + term.Line(name) + "\n") // as above
	}
}

// wayWords says what went one way.
func wayWords(way string, n exchange.Amount) string {
	text := way + " "
	if n.Sessions == 1 {
		text += "new, "
	}
	text += plural(int(n.Entries), "entry")
	if n.Titles > 0 {
		text += ", name"
	}
	return text
}

// jsonSynced is how a sync ended, as --json prints it.
type jsonSynced struct {
	Synced struct {
		Sessions      int             `json:"sessions"`
		Out           exchange.Amount `json:"out"`
		In            exchange.Amount `json:"in"`
		Diverged      int             `json:"diverged"`
		Damaged       int             `json:"damaged"`
		Relinked      int             `json:"relinked"`
		MissingBlobs  int             `json:"missingBlobs"`
		LeftArtifacts int             `json:"leftArtifacts"`
		LeftLinks     int             `json:"leftLinks"`
		Failed        int             `json:"failed"`
		DryRun        bool            `json:"dryRun"`
	} `json:"synced"`
}

// syncDone prints the counts and what failed.
func syncDone(a *app, rep exchange.Report, failed []exchange.Failure, err error, dry bool) error {
	for _, f := range failed {
		p := classify(f.Err)
		p.path, p.text = f.Name, fmt.Sprintf("sync %s session: %v", f.Agent, f.Err)
		if !strings.Contains(p.text, f.Name) {
			p.text = fmt.Sprintf("sync %s session %q: %v", f.Agent, f.Name, f.Err)
		}
		p.todo = ""
		a.report(p)
	}
	if a.flags.json {
		var j jsonSynced
		j.Synced.Sessions, j.Synced.Out, j.Synced.In = rep.Sessions, rep.Out, rep.In
		j.Synced.Diverged, j.Synced.Damaged, j.Synced.Relinked, j.Synced.Failed = rep.Diverged, rep.Damaged, rep.Relinked, rep.Failed
		j.Synced.MissingBlobs, j.Synced.LeftArtifacts, j.Synced.DryRun = rep.MissingBlobs, rep.LeftArtifacts, dry
		j.Synced.LeftLinks = rep.LeftLinks
		if err := a.emit(j); err != nil {
			return err
		}
	} else if err == nil || rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
		syncCounts(a, rep, dry)
	}
	switch {
	case errors.Is(err, exchange.ErrEmptied):
		return problem{exit: exitRefused, text: err.Error(), todo: "is it mounted? --anew sends all sessions again", err: err}
	case errors.Is(err, exchange.ErrOutside), errors.Is(err, exchange.ErrRunning):
		return problem{exit: exitRefused, text: err.Error(), err: err}
	case err != nil:
		p := classify(err)
		if work.Refused(err) {
			p = storeTrouble(err).(problem)
		}
		if p.exit == exitFailed && (rep.Out != exchange.Amount{} || rep.In != exchange.Amount{}) {
			p.exit, p.todo = exitPartly, "the next run does the rest"
		}
		return p
	case len(failed) > 0:
		return problem{exit: exitPartly, printed: true, text: "some sessions were not united"}
	case rep.LeftLinks > 0:
		return problem{exit: exitPartly, printed: true, text: "what links lead to was left out"}
	}
	return nil
}

// syncCounts says in words what was moved.
func syncCounts(a *app, rep exchange.Report, dry bool) {
	would := ""
	if dry {
		would = "would be "
	}
	amount := func(n exchange.Amount) string {
		text := fmt.Sprintf("%s (%s), %s, %s", plural(int(n.Entries), "entry"), plural(int(n.Sessions), "new session"),
			term.Bytes(n.Bytes), plural(int(n.Blobs), "blob"))
		if n.Artifacts > 0 {
			text += ", " + plural(int(n.Artifacts), "artifact")
		}
		if n.Titles > 0 {
			text += ", " + plural(int(n.Titles), "name")
		}
		return text
	}
	if (rep.Out == exchange.Amount{} && rep.In == exchange.Amount{}) {
		a.message(fmt.Sprintf("nothing to move: %s", plural(rep.Sessions-min(rep.Failed, rep.Sessions), "session")))
	} else {
		a.message(would + "sent: " + amount(rep.Out))
		a.message(would + "received: " + amount(rep.In))
	}
	for _, say := range []struct {
		n    int
		text string
	}{
		{rep.Diverged, "%s had gone two ways, which are branches now"},
		{rep.Damaged, "%s with damaged lines, which were not sent; `cambium doctor` tells more"},
	} {
		if say.n > 0 {
			a.message(fmt.Sprintf(say.text, plural(say.n, "session")))
		}
	}
	if rep.Relinked > 0 {
		a.message(fmt.Sprintf("%s whose parent is nowhere, sent with the one below which it is read", plural(rep.Relinked, "entry")))
	}
	if rep.MissingBlobs > 0 {
		a.message("missing on both sides: " + plural(rep.MissingBlobs, "blob") + " that entries name")
	}
	if rep.LeftArtifacts > 0 {
		a.message("too large, or named so that the other side cannot keep them: " + plural(rep.LeftArtifacts, "artifact"))
	}
}
