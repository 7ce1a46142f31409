package cli

import (
	"context"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// lsOptions are the flags of ls and recent.
type lsOptions struct {
	cwd               string
	here, all         bool
	empty, text, cost bool
	limit             int
}

func (o *lsOptions) addFlags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "only sessions of this working directory")
	f.BoolVar(&o.empty, "empty", false, "sessions without a message too")
	f.BoolVar(&o.text, "text", false, "with --json: all that was said, as allMessagesText")
	f.BoolVar(&o.cost, "usage", false, "with --json: what the answers cost, as usage")
	f.IntVarP(&o.limit, "limit", "n", o.limit, "at most so many sessions, 0 for all")
	f.BoolVarP(&a.flags.zero, "null", "0", false, "print the paths only, each ended by NUL")
}

func newLs(a *app) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "List the sessions of all agents and projects, newest first",
		GroupID: groupRead,
		Example: "cambium ls --here\ncambium ls --agent pi --json",
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if o.here && o.cwd == "" {
				o.cwd = a.Dir
			}
			return a.list(ctx, o)
		}),
	}
	o.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.here, "here", false, "only sessions of this working directory")
	return cmd
}

// list prints the sessions that the options ask for.
func (a *app) list(ctx context.Context, o lsOptions) error {
	opt := a.catalogOptions()
	opt.CWD, opt.Empty, opt.Text = a.absolute(o.cwd), o.empty, o.text
	bar := a.progress("read sessions")
	opt.Progress = func(done, total int) { bar.Step(int64(done), int64(total)) }
	all, err := catalog.List(ctx, opt)
	bar.Close()
	if err != nil {
		return a.listTrouble(err)
	}
	if o.limit > 0 && len(all) > o.limit {
		all = all[:o.limit]
	}
	if !a.flags.zero {
		open := a.presence().View(ctx)
		for i := range all {
			all[i].Busy = open.Who(all[i].Path)
		}
	}
	switch {
	case a.flags.json:
		for _, info := range all {
			r := row(info, o)
			if o.cost {
				r.Usage = a.usageOf(ctx, info)
			}
			if err := a.emit(r); err != nil {
				return err
			}
		}
		return nil
	case a.flags.zero:
		for _, info := range all {
			a.printPath(info.Path)
		}
		return nil
	case len(all) == 0:
		a.note("", "no sessions found")
		return nil
	}
	return a.table(ctx, all)
}

// listTrouble says what is wrong with the directory that was to be listed.
func (a *app) listTrouble(err error) error {
	p := classify(err)
	if a.flags.sessionDir != "" && p.exit != exitInterrupted {
		p.path = a.flags.sessionDir
		p.text = "list sessions of \"" + p.path + "\": " + cause(err).Error()
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
	Usage        *session.Usage `json:"usage,omitzero"`
	Busy         []jsonHolder   `json:"busy,omitempty"`
	Damaged      bool           `json:"damaged,omitzero"`
	Tips         []string       `json:"tips,omitempty"` // of other live branches
	Text         *string        `json:"allMessagesText,omitzero"`
}

func row(info catalog.Info, o lsOptions) jsonRow {
	r := jsonRow{
		Path: info.Path, ID: info.ID, Agent: string(info.Agent), CWD: info.CWD, Title: info.Title,
		Created: isoTime(info.Created), Modified: isoTime(info.Modified),
		MessageCount: info.Messages, FirstMessage: info.FirstMessage,
		Size: info.Size, Status: string(info.Status), Parent: info.Parent,
		Damaged: info.Damaged, Tips: info.Tips,
	}
	for _, h := range info.Busy {
		r.Busy = append(r.Busy, jsonHolder{h.Program, h.PID, h.Host, h.Terminal, isoTime(h.Since), h.Sure, h.Why})
	}
	if o.text {
		r.Text = &info.Text
	}
	return r
}

// usageOf sums what a session cost; nil when it cannot be read.
func (a *app) usageOf(ctx context.Context, info catalog.Info) *session.Usage {
	o := a.sessionOptions()
	o.ReadOnly = true
	s, err := session.Open(ctx, info.Path, o)
	if err != nil {
		return nil // its row says that it is damaged
	}
	defer s.Close()
	u, err := s.Usage(ctx)
	if err != nil {
		return nil
	}
	return &u
}
