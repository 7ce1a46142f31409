package work

import (
	"context"
	"sync"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/usage"
)

// Stats counts what all sessions took and cost. It looks into the homes of all agents,
// whichever the library is of: what a session of one agent inherited may have been made
// in a session of another. prices are for what has no cost that is stored.
//
// Sessions that did not change since the last time are not read again, where there is an
// index. A session that cannot be read is noted and left out. The error may be a
// [*NoAgentDir].
func Stats(ctx context.Context, l *Library, prices usage.Prices) (*usage.Book, error) {
	if err := agentDir(l); err != nil {
		return nil, err
	}
	opt := l.Catalog()
	opt.Empty = true
	if l.AgentDir == "" && l.SessionDir == "" {
		opt.Agents = nil
	}
	step, end := l.front.progress("read sessions")
	defer end()
	opt.Progress = step
	t := &teller{kept: keptTallies(ctx, l), known: map[string]tally{}}
	var ledgers []usage.Ledger
	for f, err := range catalog.Files(ctx, usage.With(opt, usage.Watch{Has: t.has, Tell: t.tell})) {
		if err != nil {
			return nil, &Error{Listing, l.SessionDir, err}
		}
		ledger := ledgerOf(&f.Info)
		var ok bool
		if ledger.Charges, ok = t.of(&f); !ok && f.Info.Damaged {
			l.note(f.Info.Path, "it cannot be read ("+f.Info.Detail+"); what it cost is left out")
		}
		ledgers = append(ledgers, ledger)
	}
	t.keep(ctx, l)
	return usage.NewBook(ledgers, prices), nil
}

// keptTallies are what the index keeps of what sessions took.
func keptTallies(ctx context.Context, l *Library) map[string]index.Tally {
	x := l.Index()
	if x == nil || l.IndexTroubled() {
		return nil
	}
	all, err := x.Tallies(ctx)
	if err != nil && ctx.Err() == nil {
		l.IndexTrouble(err)
	}
	return all
}

// A tally is the charges of one session, and the state of its file.
type tally struct {
	state   usage.State
	charges []usage.Charge
	read    bool // not from the index
}

// A teller learns the charges of sessions while they are listed.
type teller struct {
	kept map[string]index.Tally

	mu    sync.Mutex
	known map[string]tally // guarded by mu: by path
	fresh []index.Tally    // what may be kept
}

// has reports whether the index knows the charges of a session.
func (t *teller) has(path string, state usage.State) bool {
	kept, ok := t.kept[path]
	if !ok || stateOf(&kept.State) != state {
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
		t.fresh = append(t.fresh, index.Tally{Path: f.Info.Path, State: f.State, Data: usage.Pack(is.charges)})
	}
	return is.charges, ok
}

// stateOf is the state of a file as a watch knows it.
func stateOf(s *catalog.FileState) usage.State {
	return usage.State{Dev: s.Dev, Ino: s.Ino, Size: s.Size, ModTime: s.ModTime}
}

// keep gives the index what was read.
func (t *teller) keep(ctx context.Context, l *Library) {
	x := l.Index()
	if x == nil || len(t.fresh) == 0 || l.IndexTroubled() {
		return
	}
	if err := x.KeepTallies(ctx, t.fresh); err != nil && ctx.Err() == nil {
		l.IndexTrouble(err)
	}
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
