package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/secret"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/unite"
	"github.com/spf13/cobra"
)

// syncOptions are the flags of sync.
type syncOptions struct {
	dry, anew bool
	maps      []string
}

func newSync(a *app) *cobra.Command {
	var o syncOptions
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
			return a.sync(ctx, args, o)
		}),
	}
	f := cmd.Flags()
	f.BoolVarP(&o.dry, "dry-run", "n", false, "say what would be moved, and move nothing")
	f.BoolVar(&o.anew, "anew", false, "send everything again to a place that had sessions and has none any more")
	f.StringArrayVar(&o.maps, "map", nil, "the directory `FROM=TO`: what is FROM there is TO here (the home directory is ~ there)")
	return cmd
}

// sync unites the sessions here with those of a store or a directory.
func (a *app) sync(ctx context.Context, args []string, o syncOptions) error {
	opt := unite.Options{DryRun: o.dry, Anew: o.anew, Now: a.Now, State: filepath.Join(layout.Own(a.env).State, "sync")}
	if a.agent != "" {
		opt.Agents = []string{string(a.agent)}
	}
	for _, text := range o.maps {
		m, err := unite.ParseMapping(text, a.env.Home)
		if err != nil {
			return usage("sync: %v", err)
		}
		opt.Maps = append(opt.Maps, m)
	}
	there, waits, done, err := a.syncWith(ctx, args, o.dry)
	if err != nil {
		return err
	}
	defer done()
	here := unite.Homes(a.env, layout.Overrides{AgentDir: a.flags.agentDir, SessionDir: a.flags.sessionDir}, nil)
	cols, _ := term.Size(a.Stderr, a.env.Getenv)
	bar := term.NewProgress(a.Stderr, term.ProgressOptions{
		Label: "sync sessions", Terminal: a.errTTY && !a.flags.json, Cols: cols, Bytes: true, Now: a.Now,
	})
	var failed []unite.Failure
	opt.Progress = bar.Step
	opt.Warn = func(text string) { bar.Clear(); a.note("", text) }
	opt.Failed = func(f unite.Failure) { failed = append(failed, f) }
	opt.Hopeless = refusedStore
	opt.Moved = func(m unite.Moved) {
		bar.Clear()
		a.syncMoved(m, o.dry)
		if !o.dry && m.In != (unite.Amount{}) && m.Here != "" {
			_ = a.presence().Wrote(ctx, m.Here) // advice, and nothing is lost without it
		}
	}
	rep, err := unite.Run(ctx, here, there, opt)
	bar.Close()
	if err = a.syncDone(rep, failed, err, o.dry); err == nil && waits != nil {
		err = problem{exit: exitPartly, printed: true, text: "something waits for the store still", err: waits}
	}
	return err
}

// syncWith returns the other side that the command line or the environment names.
// What waited for it on this machine was sent; waits says why something waits
// still. done closes it.
func (a *app) syncWith(ctx context.Context, args []string, dry bool) (side unite.Side, waits error, done func(), err error) {
	target := a.flags.store
	if len(args) > 0 {
		target = args[0]
	} else if dir, ok := strings.CutPrefix(target, "file://"); ok && a.flags.sessionDir == dir {
		a.flags.sessionDir = "" // it was taken for the place of the sessions here
	}
	done = func() {}
	if target == "" {
		p := usage("sync: no store is named")
		p.todo = "name one: postgres://USER@HOST/DATABASE or a directory; or set CAMBIUM_STORE"
		return side, nil, done, p
	}
	if scheme, dir, ok := strings.Cut(target, "://"); ok && scheme != "file" {
		if storeKinds()[scheme] == nil {
			if strings.ContainsAny(scheme, ":@") { // there may be a password in it
				return side, nil, done, usage("sync: what is named is no store and no directory")
			}
			return side, nil, done, usage("sync: no kind of store is called %q", scheme)
		}
		a.makesStore = !dry
		s, err := a.reach(ctx, wordless(scheme), target)
		if err != nil {
			return side, nil, done, storeTrouble(err)
		}
		waits = a.sendBefore(ctx, s, dry)
		return unite.Shared(s.key, s.Store, s.blobs), waits, func() { _ = s.close() }, nil // all was acknowledged
	} else if ok {
		target = dir
	}
	target = a.absolute(target)
	said := secret.Spoken(target) // it may be a URL that is mistyped
	switch info, err := os.Stat(target); {
	case err != nil:
		p := classify(fmt.Errorf("sync: open directory %q: %w", said, cause(err)))
		p.path, p.todo = said, "make it first, or mount what it is in"
		if errors.Is(err, fs.ErrNotExist) {
			p.exit = exitNotFound
		}
		return side, nil, done, p
	case !info.IsDir():
		return side, nil, done, usage("sync: %q is no directory", said)
	}
	if why := a.ownPlace(target); why != "" {
		return side, nil, done, problem{exit: exitRefused, path: said, text: fmt.Sprintf("sync: %q %s", said, why),
			todo: "name a directory of its own, such as one on a drive or a git checkout"}
	}
	return unite.Directory(target, nil), nil, done, nil
}

// ownPlace says why a directory is none to unite the sessions here with: it is
// theirs, or one that much else is in; "" if it is a good one.
func (a *app) ownPlace(dir string) string {
	real := func(path string) string {
		for rest := ""; ; {
			if to, err := filepath.EvalSymlinks(path); err == nil {
				return filepath.Join(to, rest)
			}
			up := filepath.Dir(path)
			if up == path {
				return filepath.Join(path, rest)
			}
			path, rest = up, filepath.Join(filepath.Base(path), rest)
		}
	}
	within := func(path, dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	dir = real(dir)
	if dir == filepath.Dir(dir) {
		return "is the root of the file system"
	}
	if a.env.Home != "" && dir == real(a.env.Home) {
		return "is the home directory"
	}
	for _, agent := range layout.Names() {
		place := layout.For(agent, a.env, layout.Overrides{AgentDir: a.flags.agentDir, SessionDir: a.flags.sessionDir})
		for _, root := range append(place.Roots(), place.Flat) {
			switch {
			case root == "":
			case within(dir, real(root)):
				return "is where the sessions of " + agent + " are"
			case within(real(root), dir):
				return "has the sessions of " + agent + " in it: " + root
			}
		}
	}
	return ""
}

// jsonMoved is a session of which something was moved, as --json prints it.
type jsonMoved struct {
	ID            string       `json:"id"`
	Agent         string       `json:"agent"`
	Path          string       `json:"path,omitzero"`
	There         string       `json:"there,omitzero"`
	Out           unite.Amount `json:"out"`
	In            unite.Amount `json:"in"`
	Diverged      bool         `json:"diverged,omitzero"`
	Settled       int          `json:"settled,omitzero"`
	Damaged       int          `json:"damaged,omitzero"`
	MissingBlobs  int          `json:"missingBlobs,omitzero"`
	LeftArtifacts int          `json:"leftArtifacts,omitzero"`
	DryRun        bool         `json:"dryRun,omitzero"`
}

// syncMoved prints what was moved of one session: always as JSON, else what would
// be.
func (a *app) syncMoved(m unite.Moved, dry bool) {
	if a.flags.json {
		_ = a.emit(jsonMoved{m.ID, m.Agent, m.Here, m.There, m.Out, m.In, m.Diverged, m.Settled, m.Damaged,
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
func wayWords(way string, n unite.Amount) string {
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
		Sessions      int          `json:"sessions"`
		Out           unite.Amount `json:"out"`
		In            unite.Amount `json:"in"`
		Diverged      int          `json:"diverged"`
		Damaged       int          `json:"damaged"`
		MissingBlobs  int          `json:"missingBlobs"`
		LeftArtifacts int          `json:"leftArtifacts"`
		LeftLinks     int          `json:"leftLinks"`
		Failed        int          `json:"failed"`
		DryRun        bool         `json:"dryRun"`
	} `json:"synced"`
}

// syncDone prints the counts and what failed.
func (a *app) syncDone(rep unite.Report, failed []unite.Failure, err error, dry bool) error {
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
		j.Synced.Diverged, j.Synced.Damaged, j.Synced.Failed = rep.Diverged, rep.Damaged, rep.Failed
		j.Synced.MissingBlobs, j.Synced.LeftArtifacts, j.Synced.DryRun = rep.MissingBlobs, rep.LeftArtifacts, dry
		j.Synced.LeftLinks = rep.LeftLinks
		if err := a.emit(j); err != nil {
			return err
		}
	} else if err == nil || rep.Out != (unite.Amount{}) || rep.In != (unite.Amount{}) {
		a.syncCounts(rep, dry)
	}
	switch {
	case errors.Is(err, unite.ErrEmptied):
		return problem{exit: exitRefused, text: err.Error(), todo: "is it mounted? --anew sends all sessions again", err: err}
	case errors.Is(err, unite.ErrOutside), errors.Is(err, unite.ErrRunning):
		return problem{exit: exitRefused, text: err.Error(), err: err}
	case err != nil:
		p := classify(err)
		if refusedStore(err) {
			p = storeTrouble(err).(problem)
		}
		if p.exit == exitFailed && (rep.Out != unite.Amount{} || rep.In != unite.Amount{}) {
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
func (a *app) syncCounts(rep unite.Report, dry bool) {
	would := ""
	if dry {
		would = "would be "
	}
	amount := func(n unite.Amount) string {
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
	if (rep.Out == unite.Amount{} && rep.In == unite.Amount{}) {
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
	if rep.MissingBlobs > 0 {
		a.message("missing on both sides: " + plural(rep.MissingBlobs, "blob") + " that entries name")
	}
	if rep.LeftArtifacts > 0 {
		a.message("too large, or named so that the other side cannot keep them: " + plural(rep.LeftArtifacts, "artifact"))
	}
}
