package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/depot"
	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/spf13/cobra"
)

// A shared store is one that --store names and that is not on the local disk.
// Names in it are those of a home directory that is the root: the sessions of
// cambium are under "/.cambium/agent/sessions".
type shared struct {
	storage.Store
	blobs blob.Store
	key   string // tells stores apart, without a password
	close func() error
	// depot stands before the store, if there is a place to keep things; nil in
	// what opens a store.
	depot *depot.Store
}

// An opener opens the store of a URL.
type opener func(ctx context.Context, url string, existing bool) (*shared, error)

// storeKinds are the kinds of shared stores, by the scheme of their URL. Each
// opens the store of a URL, which is made if it is not there and existing is
// false; else the error wraps fs.ErrNotExist.
func storeKinds() map[string]opener {
	return map[string]opener{
		"postgres": openPostgres, "postgresql": openPostgres, "nats": openNATS, "tls": openNATS,
	}
}

func openPostgres(ctx context.Context, url string, existing bool) (*shared, error) {
	return openPostgresWith(ctx, url, postgres.Options{Extract: catalog.WordsOf, Existing: existing})
}

// wordless returns what opens a store for who sends much at once: the words of it
// are taken out when it is first searched.
func wordless(scheme string) opener {
	if !strings.HasPrefix(scheme, "postgres") {
		return storeKinds()[scheme]
	}
	return func(ctx context.Context, url string, existing bool) (*shared, error) {
		return openPostgresWith(ctx, url, postgres.Options{Existing: existing})
	}
}

// upgrading returns what opens a store and brings it up to date, whatever its URL
// says of that.
func upgrading(scheme string) opener {
	if !strings.HasPrefix(scheme, "postgres") {
		return storeKinds()[scheme]
	}
	return func(ctx context.Context, url string, existing bool) (*shared, error) {
		return openPostgresWith(ctx, url, postgres.Options{Extract: catalog.WordsOf, Existing: existing, Upgrade: true})
	}
}

func openPostgresWith(ctx context.Context, url string, o postgres.Options) (*shared, error) {
	s, err := postgres.Open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return &shared{Store: s, blobs: s.Blobs(), key: s.Key(), close: s.Close}, nil
}

func openNATS(ctx context.Context, url string, existing bool) (*shared, error) {
	s, err := jetstream.Open(ctx, url, jetstream.Options{Existing: existing})
	if err != nil {
		return nil, err
	}
	return &shared{Store: s, blobs: s.Blobs(), key: s.Key(), close: s.Close}, nil
}

// chooseStore settles what --store and CAMBIUM_STORE mean. A shared store is
// not opened yet: see openStore.
func (a *app) chooseStore() error {
	f := &a.flags
	from := "--store"
	if f.store == "" {
		f.store, from = a.env.Getenv("CAMBIUM_STORE"), "CAMBIUM_STORE"
	}
	if f.store == "" {
		return nil
	}
	scheme, dir, ok := strings.Cut(f.store, "://")
	_, isShared := storeKinds()[scheme]
	switch {
	case !ok || !isShared && (scheme != "file" || !filepath.IsAbs(dir)):
		return usage("read %s: want postgres:// and a server and database, nats:// and a server, or file:// and an absolute path", from)
	case f.sessionDir != "" || isShared && f.agentDir != "":
		return usage("read %s: it cannot be combined with --session-dir%s", from, map[bool]string{true: " and --agent-dir"}[isShared])
	case !isShared:
		f.sessionDir = dir
	}
	a.storeScheme = map[bool]string{true: scheme}[isShared]
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
func (a *app) openStore(ctx context.Context, cmd *cobra.Command) error {
	command := cmd.Name()
	for up := cmd.Parent(); up != nil && up.HasParent(); up = up.Parent() {
		command = up.Name() // what its subcommands work on, it does
	}
	if a.storeScheme == "" || a.shared != nil || command == "sync" {
		return nil
	}
	if !slices.Contains(worksShared(), command) {
		p := usage("%s: it works on the local disk only", command)
		p.todo = "leave --store and CAMBIUM_STORE out"
		return p
	}
	a.makesStore = slices.Contains(makesShared(), command) && !changed(cmd, "dry-run")
	s, err := a.reachStore(ctx)
	if err != nil {
		return err
	}
	a.shared, a.ctx = s, ctx
	a.sendWaiting(ctx)
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

// reach opens the store of a URL, which is made, and said so, if it is not there
// and this command is to make it.
func (a *app) reach(ctx context.Context, open opener, url string) (*shared, error) {
	stop := a.waiting("open store")
	s, missing := open(ctx, url, true)
	err := missing
	if noStore(missing) && a.makesStore {
		s, err = open(ctx, url, false)
	}
	stop()
	if missing != nil && err == nil {
		a.note("", "a store was made in "+strings.TrimPrefix(missing.Error(), "open store: there is no store yet in "))
	}
	return s, err
}

// noStore reports whether an error means that there is no store where one is
// looked for.
func noStore(err error) bool {
	var path *fs.PathError // a file that the URL names
	return errors.Is(err, fs.ErrNotExist) && !errors.As(err, &path) && !awayStore(err)
}

// storeTrouble says what to do about a store that cannot be opened.
func storeTrouble(err error) error {
	p := problem{exit: exitFailed, text: err.Error(), err: err}
	var old *postgres.Old
	switch {
	case noStore(err):
		p.exit, p.todo = exitNotFound, "`cambium store init` makes it"
	case errors.As(err, &old):
		p.exit, p.todo = exitRefused, "`cambium store upgrade` brings it up to date"
	case errors.Is(err, postgres.ErrAway), errors.Is(err, jetstream.ErrAway):
		p.todo = "is it running, and can it be reached from here?"
	case lacksRight(err):
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

// refusedStore reports whether an error means that a shared store takes nothing
// from this user, or from nobody.
func refusedStore(err error) bool {
	return errors.Is(err, postgres.ErrRefused) || errors.Is(err, jetstream.ErrRefused) || errors.Is(err, postgres.ErrReadOnly)
}

// lacksRight reports whether a shared store let a user in who may not do this.
func lacksRight(err error) bool {
	return refusedStore(err) && slices.ContainsFunc([]string{"(42501)", "may not use", "may not delete"}, func(says string) bool {
		return strings.Contains(err.Error(), says)
	})
}

// unsavedTodo says what to do about entries that are not saved.
func unsavedTodo(err error) string {
	switch {
	case awayStore(err):
		return "try again when the store answers"
	case errors.Is(err, postgres.ErrReadOnly):
		return "name the server that takes writes"
	case refusedStore(err):
		return "this user may read there only: name one that may write, or have its rights changed"
	case strings.Contains(err.Error(), "the server's"): // it is full
		return "make room on the server, then try again"
	}
	return "make room or repair the disk, then try again"
}

// closeStore closes what openStore opened.
func (a *app) closeStore() {
	if a.shared != nil {
		_ = a.shared.close() // sessions in it are closed and saved
	}
}

// storeEnv is what is known of the machine for a shared store: its home is the
// root, and no variable of this machine's agents says otherwise.
func (a *app) storeEnv() layout.Env {
	env := a.env
	if a.shared != nil {
		env.Home = "/"
		env.Getenv = func(string) string { return "" }
		env.LookupEnv = func(string) (string, bool) { return "", false }
		env.Exists = nil
		env.Real = func(p string) (string, bool) {
			p = a.homely(p)
			real, ok := a.env.Real(p)
			return cmp.Or(real, p), ok || strings.HasPrefix(p, a.env.Home+"/")
		}
	}
	return env
}

// homely returns a working directory as it is called on this machine: in the
// shared store those in a home directory begin with a tilde.
func (a *app) homely(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && a.shared != nil && (rest == "" || rest[0] == '/') {
		return filepath.Clean(a.env.Home + rest)
	}
	return dir
}

// storeState is where this machine keeps what is its own about the shared store:
// the record of what it did, and notes about its terminals; "" for nowhere.
func (a *app) storeState() string {
	own := layout.Own(a.env).State
	if a.shared == nil || !filepath.IsAbs(own) {
		return ""
	}
	return filepath.Join(own, "stores", short(a.shared.key))
}

// shareSessions has sessions kept in the shared store, if there is one.
func (a *app) shareSessions(o *session.Options) {
	if a.shared != nil {
		o.Store, o.Blobs, o.Presence, o.Memory = a.shared.Store, a.shared.blobs, nil, nil
		if a.storeState() == "" {
			o.Undo = nil
		}
		o.Holder, o.TakeOver = a.holder(), a.flags.ifBusy == busyTake
	}
}

// shareCatalog has sessions looked for in the shared store, if there is one.
func (a *app) shareCatalog(o *catalog.Options) {
	if a.shared != nil {
		o.FS = storefs.New(a.ctx, a.shared.Store)
	}
}

// indexDir is where the index of sessions lies: each shared store has its own.
func (a *app) indexDir() string {
	dir := layout.Own(a.env).Cache
	if a.shared == nil || dir == "" {
		return dir
	}
	return filepath.Join(dir, "stores", fmt.Sprintf("%x", sha256.Sum256([]byte(a.shared.key)))[:16])
}

// statPath describes what is at the path of a session, on the disk or in the
// shared store.
func (a *app) statPath(path string) (fs.FileInfo, error) {
	if a.shared == nil {
		return os.Stat(path)
	}
	info, err := a.shared.Stat(a.ctx, path)
	if err != nil {
		return nil, err
	}
	return storeInfo{Info: info}, nil
}

// sharedLines prints a log of the shared store as the file that it would be.
func (a *app) sharedLines(ctx context.Context, path string) (err error) {
	log, err := a.shared.Open(ctx, path, storage.Read)
	if err != nil {
		return a.trouble(path, err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return a.trouble(path, err)
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

// storeInfo is what a store says of a name as a file's.
type storeInfo struct{ storage.Info }

// Name returns the last part of the name.
func (i storeInfo) Name() string { return filepath.Base(i.Info.Name) }

// Size returns the bytes.
func (i storeInfo) Size() int64 { return i.Info.Size }

// Mode returns the type.
func (i storeInfo) Mode() fs.FileMode { return i.Info.Mode }

// ModTime returns when it changed.
func (i storeInfo) ModTime() time.Time { return time.Unix(0, i.Info.ModTime) }

// IsDir reports whether it is a directory.
func (i storeInfo) IsDir() bool { return i.Info.Mode.IsDir() }

// Sys returns nothing.
func (i storeInfo) Sys() any { return nil }
