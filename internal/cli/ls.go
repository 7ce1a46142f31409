package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/spf13/cobra"
)

// lsOptions are the flags of ls and recent.
type lsOptions struct {
	cwd         string
	here, all   bool
	empty, text bool
	newest      bool // stop at the limit, by when files changed
	limit       int
	// named, if not nil, names sessions otherwise.
	named func(context.Context, []catalog.Info)
}

func (o *lsOptions) addFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "only sessions of this working directory")
	f.BoolVar(&o.empty, "empty", false, "sessions without a message too")
	f.BoolVar(&o.text, "text", false, "with --json: all that was said, as allMessagesText")
	f.Bool("usage", true, "with --json: what the answers cost, as usage; it is always told")
	_ = f.MarkHidden("usage") // it is defined above
	f.VarP((*counted)(&o.limit), "limit", "n", "at most so many sessions, 0 for all")
	f.BoolVarP(&a.flags.zero, "null", "0", false, "print the paths only, each ended by NUL")
}

// counted is a flag's number of things, 0 or more.
type counted int

// Set reads it.
func (c *counted) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("want a number, 0 or more")
	}
	*c = counted(n)
	return nil
}

// String prints it.
func (c *counted) String() string { return strconv.Itoa(int(*c)) }

// Type names it in a help text.
func (c *counted) Type() string { return "int" }

func newLs(a *app) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Aliases: []string{"list"},
		Use:     "ls",
		Short:   "List the sessions of all agents and projects, newest first",
		GroupID: groupRead,
		Example: "cambium ls --here\ncambium ls --agent pi --json",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if o.here && o.cwd == "" {
				o.cwd = a.lib.Dir
			}
			return runLs(ctx, a, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.here, "here", false, "only sessions of this working directory")
	return cmd
}

// runLs prints the sessions that the options ask for.
func runLs(ctx context.Context, a *app, o lsOptions) error {
	if dir := a.lib.AgentDir; dir != "" {
		if _, err := vfs.OS().Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return problem{exit: exitNotFound, path: dir, text: fmt.Sprintf("list sessions of %q: %v", dir, work.Cause(err)),
				todo: "name the directory of an agent, such as ~/.pi/agent"}
		}
	}
	opt := a.lib.Catalog()
	opt.CWD, opt.Empty, opt.Text = a.lib.Absolute(o.cwd), o.empty, o.text
	bar := a.progress("read sessions")
	opt.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	defer frugal()()
	found, err := o.sessions(ctx, opt)
	bar.Close()
	if err != nil {
		return listingTrouble(a, err)
	}
	noteFound(a, found.n)
	switch {
	case a.flags.json:
		for info := range withOpen(ctx, a, found) {
			if err := a.emit(jsonOf(info, o)); err != nil {
				return err
			}
		}
		return nil
	case a.flags.zero:
		for info := range found.all {
			a.printPath(info.Path)
		}
		return nil
	case found.n == 0:
		if outOfReach(a) {
			return nil // said in its place
		}
		if o.empty || o.newest {
			a.note("", "no sessions found")
		} else {
			a.note("", "no sessions found; `cambium ls --empty` lists those without a message too")
		}
		return nil
	}
	return showTable(ctx, a, found.all, withOpen(ctx, a, found))
}

// enough is how much memory a listing takes before what is not needed is looked
// for again and again, in bytes: what 100,000 sessions need, and some more.
const enough = 56 << 20

// frugal has that looked for early, unless the environment says when, until usual
// is called.
func frugal() (usual func()) {
	was := debug.SetMemoryLimit(-1)
	if was == math.MaxInt64 {
		debug.SetMemoryLimit(enough)
	}
	return func() { debug.SetMemoryLimit(was) }
}

// A listing is sessions, newest first, which may be asked for again.
type listing struct {
	all iter.Seq[catalog.Info]
	n   int
	// seen returns what was seen of the file of session n; nil when nothing was
	// noted.
	seen func(n int) (catalog.FileState, bool)
}

// withOpen yields sessions with who has them open.
func withOpen(ctx context.Context, a *app, l listing) iter.Seq[catalog.Info] {
	who := a.lib.WhoHas(ctx)
	return func(yield func(catalog.Info) bool) {
		n := 0
		for info := range l.all {
			var at *catalog.FileState
			if l.seen != nil {
				if seen, ok := l.seen(n); ok {
					at = &seen
				}
			}
			n++
			if info.Busy = who(info.Path, at); !yield(info) {
				return
			}
		}
	}
}

// sessions finds the sessions.
func (o lsOptions) sessions(ctx context.Context, opt catalog.Options) (listing, error) {
	if o.newest {
		some, err := o.newestOf(ctx, opt)
		if err == nil && o.named != nil {
			o.named(ctx, some)
		}
		return listing{all: slices.Values(some), n: len(some)}, err
	}
	rows, err := catalog.ReadRows(ctx, opt)
	if err != nil {
		return listing{}, err
	}
	n := rows.Len()
	if o.limit > 0 {
		n = min(n, o.limit)
	}
	return listing{n: n, seen: rows.State, all: func(yield func(catalog.Info) bool) {
		left := n
		if left == 0 {
			return
		}
		for info := range rows.All() {
			if left--; !yield(info) || left == 0 {
				return
			}
		}
	}}, nil
}

// newestOf finds those of which the files changed last, no more than the limit.
func (o lsOptions) newestOf(ctx context.Context, opt catalog.Options) ([]catalog.Info, error) {
	if o.limit < 1 {
		return catalog.List(ctx, opt)
	}
	var all []catalog.Info
	for info, err := range catalog.Scan(ctx, opt) {
		if err != nil {
			return all, err
		}
		if all = append(all, info); len(all) == o.limit {
			break
		}
	}
	return all, nil
}

// listingTrouble says what is wrong with the directory that was to be listed.
func listingTrouble(a *app, err error) error { return listTrouble(a.lib.SessionDir, err) }

// listTrouble says what is wrong with a directory that was to be listed, "" for those
// of the agents.
func listTrouble(dir string, err error) problem {
	p := classify(err)
	if dir != "" && p.exit != exitInterrupted {
		p.path = dir
		p.text = "list sessions of \"" + p.path + "\": " + work.Cause(err).Error()
		p.todo = "name a directory with session files"
	}
	return p
}

// jsonRow is a session as --json prints it.
type jsonRow struct {
	Path         string         `json:"path"`
	ID           string         `json:"id"`
	Agent        string         `json:"agent"`
	CWD          string         `json:"cwd"`
	Title        string         `json:"title,omitzero"`
	Created      string         `json:"created,omitzero"`
	Modified     string         `json:"modified"`
	MessageCount int            `json:"messageCount"`
	FirstMessage string         `json:"firstMessage"`
	Size         int64          `json:"size"`
	Status       string         `json:"status"`
	Parent       string         `json:"parentSession,omitzero"`
	Usage        *catalog.Usage `json:"usage,omitzero"`
	Busy         []jsonHolder   `json:"busy,omitempty"`
	Damaged      bool           `json:"damaged,omitzero"`
	Tips         []string       `json:"tips,omitempty"` // of other live branches
	Text         *string        `json:"allMessagesText,omitzero"`
}

func jsonOf(info catalog.Info, o lsOptions) jsonRow {
	r := jsonRow{
		Path: info.Path, ID: info.ID, Agent: string(info.Agent), CWD: info.CWD, Title: info.Title,
		Created: isoTime(info.Created), Modified: isoTime(info.Modified),
		MessageCount: info.Messages, FirstMessage: info.FirstMessage,
		Size: info.Size, Status: string(info.Status), Parent: info.Parent,
		Damaged: info.Damaged, Tips: info.Tips,
	}
	if info.Usage != (catalog.Usage{}) {
		r.Usage = &info.Usage
	}
	for _, h := range info.Busy {
		r.Busy = append(r.Busy, jsonHolder{h.Program, h.PID, h.Host, h.Terminal, isoTime(h.Since), h.Sure, h.Why})
	}
	if o.text {
		r.Text = &info.Text
	}
	return r
}
