package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/spf13/cobra"
)

// chooseStore settles what --store and CAMBIUM_STORE mean. A shared store is
// not opened yet: see openStore.
func chooseStore(a *app) error {
	l := a.lib
	from := "--store"
	if l.Store == "" {
		l.Store, from = a.lib.Env.Getenv("CAMBIUM_STORE"), "CAMBIUM_STORE"
	}
	if l.Store == "" {
		return nil
	}
	scheme, dir, ok := strings.Cut(l.Store, "://")
	_, isShared := work.Openers()[scheme]
	switch {
	case !ok || !isShared && (scheme != "file" || !filepath.IsAbs(dir)):
		return usage("read %s: want postgres:// and a server and database, nats:// and a server, or file:// and an absolute path", from)
	case l.SessionDir != "" || isShared && l.AgentDir != "":
		return usage("read %s: it cannot be combined with --session-dir%s", from, map[bool]string{true: " and --agent-dir"}[isShared])
	case !isShared:
		l.SessionDir = dir
	}
	a.lib.Scheme = map[bool]string{true: scheme}[isShared]
	return nil
}

// worksShared are the commands that work on a shared store; without a command
// it is listed.
func worksShared() []string {
	return []string{"cambium", "ls", "show", "tree", "context", "entries", "search", "follow", "new", "append", "label", "rename", "branch",
		"rpc", "serve", "resume", "continue", "fork", "move", "run", "chat", "acp", "rm", "undo", "trash", "doctor"}
}

// openStore opens the shared store, if one is named, for a command that works on
// one. sync opens it beside the local disk.
func openStore(ctx context.Context, a *app, cmd *cobra.Command) error {
	command := cmd.Name()
	for up := cmd.Parent(); up != nil && up.HasParent(); up = up.Parent() {
		command = up.Name() // what its subcommands work on, it does
	}
	if a.lib.Scheme == "" || a.lib.Shared != nil || command == "sync" {
		return nil
	}
	if !slices.Contains(worksShared(), command) {
		p := usage("%s: it works on the local disk only", command)
		p.todo = "leave --store and CAMBIUM_STORE out"
		return p
	}
	a.lib.Makes = slices.Contains(makesShared(), command) && !changed(cmd, "dry-run")
	s, err := a.lib.ReachStore(ctx)
	if err != nil {
		return told(err)
	}
	a.lib.Attach(ctx, s)
	a.lib.SendWaiting(ctx)
	a.lib.Shared.Asked = a.lib.Shared.Offline.Look()
	return nil
}

// makesShared are the commands that make a shared store that is not there: they
// begin sessions. What reads, or changes what is there, finds no store then.
func makesShared() []string {
	return []string{"new", "append", "run", "chat", "acp", "rpc", "serve", "sync"}
}

// changed reports whether a command has a flag that the command line sets.
func changed(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && f.Changed
}

// storeTrouble says what to do about a store that cannot be opened.
func storeTrouble(err error) error {
	p := problem{exit: exitFailed, text: err.Error(), err: err}
	var old *serverstatus.Old
	switch {
	case work.NoStore(err):
		p.exit, p.todo = exitNotFound, "`cambium store init` makes it"
	case errors.As(err, &old):
		p.exit, p.todo = exitRefused, "`cambium store upgrade` brings it up to date"
	case errors.Is(err, postgres.ErrAway), errors.Is(err, jetstream.ErrAway):
		p.todo = "is it running, and can it be reached from here?"
	case errors.Is(err, postgres.ErrDenied), errors.Is(err, jetstream.ErrDenied):
		p.exit, p.todo = exitRefused, "name a user in the URL that may, or have its rights changed"
	case errors.Is(err, postgres.ErrRefused):
		p.todo = "check user, password and database in the URL"
	case errors.Is(err, jetstream.ErrRefused):
		p.todo = "check user and password in the URL"
	case errors.Is(err, jetstream.ErrForeign), errors.Is(err, jetstream.ErrWeak), errors.Is(err, jetstream.ErrNoJetStream):
		p.exit = exitRefused
	case errors.Is(err, postgres.ErrForeign), errors.Is(err, postgres.ErrSchema), errors.Is(err, postgres.ErrReadOnly):
		p.exit = exitRefused
	}
	return p
}

// unsavedTodo says what to do about entries that are not saved.
func unsavedTodo(err error) string {
	switch {
	case work.Away(err):
		return "try again when the store answers"
	case errors.Is(err, postgres.ErrReadOnly):
		return "name the server that takes writes"
	case work.Refused(err):
		return "this user may read there only: name one that may write, or have its rights changed"
	case errors.Is(err, postgres.ErrFull), errors.Is(err, jetstream.ErrFull):
		return "make room on the server, then try again"
	}
	return "make room or repair the disk, then try again"
}

// sharedLines prints a log of the shared store as the file that it would be.
func sharedLines(ctx context.Context, a *app, path string) (err error) {
	log, err := a.lib.Shared.Open(ctx, path, storage.Read)
	if err != nil {
		return trouble(path, err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return trouble(path, err)
		}
		if _, err := a.out.Write(line.Bytes); err != nil {
			return err
		}
		if err := a.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}
