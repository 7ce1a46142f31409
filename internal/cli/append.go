package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

// jsonAppended is an entry that is on disk; Line is the line of the input that
// it came from.
type jsonAppended struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId,omitzero"`
	Line     int    `json:"line"`
}

// jsonRefused ends the output of an append that was given what is no entry.
type jsonRefused struct {
	Error string `json:"error"`
	Line  int    `json:"line"`
}

func newAppend(a *app) *cobra.Command {
	var leaf string
	cmd := &cobra.Command{
		Use:   "append SESSION",
		Short: "Append entries, read from standard input",
		Long: "Reads the body of one entry a line, such as {\"type\":\"message\",\"message\":{…}}, and appends it as a child of the one before; " +
			"the first follows the session's leaf or the entry of --leaf. Ids, parents and times are given here: those in a body are not looked at. " +
			"Types that Cambium does not know are appended as they are, empty lines are passed over. The id of each entry is printed when it is on disk.\n\n" +
			"A line that is no entry ends it with exit code 7: nothing of that line is written, the entries before it are. " +
			"A SESSION that is the path of a missing or empty file is begun there.",
		GroupID: groupWrite,
		Example: "echo '{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}' | cambium append ./session.jsonl\n" +
			"cambium append 0198c2a1 --leaf 5f0c1d2e < bodies.jsonl",
		Args: cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if leaf == "" && cmd.Flags().Changed("leaf") {
				return usage("--leaf requires a non-empty value")
			}
			a.lib.GoesOn = true
			path, err := a.resolve(ctx, args[0])
			if err != nil {
				return err
			}
			p := &appender{a: a, path: path, leaf: leaf}
			return p.close(p.all(ctx))
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().StringVar(&leaf, "leaf", "", "the entry that the first one follows: an id, the beginning of one, or a label")
	completesEntries(a, cmd, "leaf")
	return cmd
}

// An appender appends what it reads. Entries are written as they come; they are
// made durable, and their ids printed, when no further line is at hand, so that
// a long input costs few syncs and a slow one is answered at once.
type appender struct {
	a    *app
	path string
	leaf string
	s    *session.Session // nil until it is begun
	// waiting are the entries whose ids are not printed yet.
	waiting []jsonAppended
	// end is what ends the output with --json, instead of an error on stderr;
	// nil for nothing.
	end *jsonRefused
}

// all appends all lines of the input.
func (p *appender) all(ctx context.Context) error {
	if work.Begun(p.a.lib, p.path) {
		if err := p.open(ctx); err != nil {
			return err
		}
	} else if p.leaf != "" {
		return problem{exit: exitNotFound, path: p.path, text: fmt.Sprintf("Entry %s not found", p.leaf),
			todo: fmt.Sprintf("%q is not begun yet; leave --leaf out", p.path)}
	}
	if term.IsTerminal(p.a.Stdin) && p.a.errTTY && !p.a.flags.json {
		p.a.message("reading entry bodies, one a line; Ctrl-D ends them")
	}
	for in, err := range lines(ctx, p.a.Stdin) {
		if err != nil {
			return err
		}
		if len(in.text) > 0 {
			if err := p.add(ctx, in); err != nil {
				return err
			}
		}
		if in.last {
			if err := p.sync(ctx); err != nil {
				return err
			}
		}
	}
	if p.s == nil {
		return p.open(ctx) // a session without entries
	}
	return nil
}

// open opens or begins the session. Nothing is synced unless it is asked for.
func (p *appender) open(ctx context.Context) error {
	s, err := openWith(ctx, p.a, p.path, func(o *session.Options) { o.Sync = session.SyncNone })
	if err != nil {
		return err
	}
	p.s = s
	if p.leaf == "" {
		return nil
	}
	at, err := entryID(s, p.leaf)
	if err != nil {
		return err
	}
	return s.MoveLeaf(at)
}

// add appends the entry of one line. A session that is not there is begun by
// the first line that is an entry.
func (p *appender) add(ctx context.Context, in input) error {
	body, err := entry.ParseBody(in.text)
	if err != nil {
		return p.refused(in, err)
	}
	if p.s == nil {
		if err := p.open(ctx); err != nil {
			return err
		}
	}
	id, err := p.s.Append(ctx, body)
	if id != "" {
		done := jsonAppended{ID: id, Line: in.no}
		done.ParentID, _ = p.s.List().ParentID(p.s.LeafPosition())
		p.waiting = append(p.waiting, done)
	}
	var missing *session.Error
	if id == "" && (errors.As(err, &missing) || errors.Is(err, entry.ErrNotBody)) {
		return p.refused(in, err)
	}
	if err != nil {
		return p.failed(in.no, err)
	}
	return nil
}

// refused says which line is no entry, and why.
func (p *appender) refused(in input, err error) error {
	text := strings.TrimPrefix(err.Error(), "parse entry body: ")
	if bad := (*jsonl.SyntaxError)(nil); errors.As(err, &bad) {
		text = fmt.Sprintf("not JSON: %s at byte %d", bad.Reason, bad.Offset+1)
	} else if errors.Is(err, entry.ErrNotBody) {
		text = strings.Replace(text, "scan line: ", "", 1)
	}
	p.end = &jsonRefused{Error: text, Line: in.no}
	return problem{exit: exitPartly, line: in.no, err: err, printed: p.a.flags.json,
		text: fmt.Sprintf("append to session %q: line %d of the input: %s", p.path, in.no, text),
		todo: "nothing of that line was written; go on from there"}
}

// failed says up to which line the input was read when saving failed.
func (p *appender) failed(no int, err error) error {
	err = failed(p.path, err)
	var known problem
	if errors.As(err, &known) && known.exit != exitInterrupted {
		known.line = no
		known.text = fmt.Sprintf("append to session %q: line %d of the input: %s", p.path, no, known.text)
		return known
	}
	return err
}

// sync makes durable what was appended and prints the ids.
func (p *appender) sync(ctx context.Context) error {
	if len(p.waiting) == 0 {
		return nil
	}
	if err := p.s.Flush(ctx); err != nil {
		return p.failed(p.waiting[len(p.waiting)-1].Line, err)
	}
	return p.show(p.waiting)
}

// show prints the ids of entries that are on disk: the first that wait.
func (p *appender) show(saved []jsonAppended) error {
	p.waiting = p.waiting[len(saved):]
	for _, e := range saved {
		if err := p.a.print(result{plain: e.ID, json: e}); err != nil {
			return err
		}
	}
	return p.a.out.Flush()
}

// close closes the session, which saves what can still be saved, and prints the
// ids of that. err is what ended the input, nil for its end.
func (p *appender) close(err error) error {
	if p.s != nil {
		queued := min(p.s.Queued(), len(p.waiting))
		saved := p.waiting
		closed := p.s.Close()
		interrupted := errors.Is(err, context.Canceled)
		switch {
		case closed == nil && interrupted:
			err = context.Canceled // what was not saved because of that is saved now
		case closed == nil && errors.Is(err, session.ErrUnsaved):
			err = problem{exit: exitFailed, path: p.path, text: fmt.Sprintf("append to session %q: writing failed for a while; "+
				"all lines up to line %d are saved, the next ones were not read", p.path, p.waiting[len(p.waiting)-1].Line)}
		case closed != nil && queued > 0:
			saved = saved[:len(saved)-queued]
		case closed != nil:
			saved = nil // it is not known what became durable
		}
		if closed != nil && (err == nil || p.end != nil || interrupted) {
			err = failed(p.path, closed)
		}
		if shown := p.show(saved); err == nil {
			err = shown
		}
	}
	if p.end != nil && p.a.flags.json {
		return errors.Join(err, p.a.emit(p.end))
	}
	return err
}
