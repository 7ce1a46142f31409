// Package spending counts what all sessions took and cost. The charges are made while the
// catalogue reads a session; those of a session that did not change come from an index,
// if there is one that keeps them.
package spending

import (
	"context"
	"sync"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/usage"
)

// A Keeper is an index that keeps what sessions took and cost. It is never the truth.
type Keeper interface {
	// Tallies returns what is kept, by path. Nobody else holds it.
	Tallies(ctx context.Context) (map[string]usage.Tally, error)
	// KeepTallies replaces what is kept of some sessions.
	KeepTallies(ctx context.Context, some []usage.Tally) error
}

// Count counts the sessions that o tells, those without a message among them. What their
// index keeps is used if it is a [Keeper]. prices are for what has no cost that is stored.
// unread is told of each session that cannot be read: what it cost is left out.
func Count(ctx context.Context, o catalog.Options, prices usage.Prices, unread func(catalog.Info)) (*usage.Book, error) {
	o.Empty = true
	t := &teller{known: map[string]tally{}}
	t.recall(ctx, &o)
	index, trouble := o.Index, o.Trouble
	o.Trouble = func(err error) {
		index = nil
		if trouble != nil {
			trouble(err)
		}
	}
	var ledgers []usage.Ledger
	for f, err := range catalog.Files(ctx, usage.With(o, usage.Watch{Has: t.has, Tell: t.tell})) {
		if err != nil {
			return nil, err
		}
		ledger := ledgerOf(&f.Info)
		var ok bool
		if ledger.Charges, ok = t.of(&f); !ok && f.Info.Damaged {
			unread(f.Info)
		}
		ledgers = append(ledgers, ledger)
	}
	if keeper, ok := index.(Keeper); ok && len(t.fresh) > 0 {
		if err := keeper.KeepTallies(ctx, t.fresh); err != nil && ctx.Err() == nil {
			o.Trouble(err)
		}
	}
	return usage.NewBook(ledgers, prices), nil
}

// A tally is the charges of one session, and the state of its file.
type tally struct {
	state   usage.State
	charges []usage.Charge
	read    bool // not from the index
}

// A teller learns the charges of sessions while they are listed.
type teller struct {
	kept map[string]usage.Tally

	mu    sync.Mutex
	known map[string]tally // guarded by mu: by path
	fresh []usage.Tally    // what may be kept
}

// recall reads what the index keeps. An index with which something is wrong is done
// without.
func (t *teller) recall(ctx context.Context, o *catalog.Options) {
	keeper, ok := o.Index.(Keeper)
	if !ok {
		return
	}
	var err error
	if t.kept, err = keeper.Tallies(ctx); err != nil && ctx.Err() == nil {
		if o.Trouble != nil {
			o.Trouble(err)
		}
		o.Index = nil
	}
}

// has reports whether the index knows the charges of a session.
func (t *teller) has(path string, state usage.State) bool {
	kept, ok := t.kept[path]
	if !ok || kept.State != state {
		return false
	}
	charges, ok := usage.Unpack(kept.Data, nil)
	if ok {
		t.note(path, tally{state: state, charges: charges})
	}
	return ok
}

// tell takes the charges of a session that was read.
func (t *teller) tell(path string, state usage.State, charges []usage.Charge) {
	t.note(path, tally{state: state, charges: charges, read: true})
}

func (t *teller) note(path string, is tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[path] = is
}

// of returns the charges of a session that was listed, and notes them for the index if
// the file was left alone for a while. It reports false for one that could not be read.
func (t *teller) of(f *catalog.File) ([]usage.Charge, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	is, ok := t.known[f.Info.Path]
	if ok && is.read && f.Settled && is.state == stateOf(&f.State) {
		t.fresh = append(t.fresh, usage.Tally{Path: f.Info.Path, State: is.state, Data: usage.Pack(is.charges)})
	}
	return is.charges, ok
}

// stateOf is the state of a file as a watch knows it.
func stateOf(s *catalog.FileState) usage.State {
	return usage.State{Dev: s.Dev, Ino: s.Ino, Size: s.Size, ModTime: s.ModTime}
}

// ledgerOf is the ledger of a session without its charges.
func ledgerOf(i *catalog.Info) usage.Ledger {
	l := usage.Ledger{Path: i.Path, ID: i.ID, Parent: i.Parent, CWD: i.CWD, Agent: string(i.Agent), Title: i.Title, Created: usage.NoTime}
	if l.Title == "" && i.FirstMessage != catalog.NoMessages {
		l.Title = i.FirstMessage
	}
	if !i.Created.IsZero() {
		l.Created = i.Created.UnixMilli()
	}
	return l
}
