package work

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
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
	opt := l.Catalog()
	opt.Empty = true
	if l.AgentDir == "" && l.SessionDir == "" {
		opt.Agents = nil
	}
	found, err := statsFiles(ctx, l, opt)
	if err != nil {
		return nil, err
	}
	t := &teller{l: l, from: source.Of(opt.Store, l.FS), kept: keptTallies(ctx, l)}
	ledgers, err := t.all(ctx, found)
	if err != nil {
		return nil, err
	}
	t.keep(ctx)
	return usage.NewBook(ledgers, prices), nil
}

// statsFiles lists the files of all sessions.
func statsFiles(ctx context.Context, l *Library, opt catalog.Options) ([]catalog.File, error) {
	step, end := l.front.progress("read sessions")
	defer end()
	opt.Progress = step
	var all []catalog.File
	for f, err := range catalog.Files(ctx, opt) {
		if err != nil {
			return nil, &Error{Listing, l.SessionDir, err}
		}
		all = append(all, f)
	}
	return all, nil
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

// A teller makes the ledgers of sessions.
type teller struct {
	l    *Library
	from source.Source
	kept map[string]index.Tally

	mu    sync.Mutex
	fresh []index.Tally // guarded by mu: what was read and may be kept
}

// all returns the ledgers of some files.
func (t *teller) all(ctx context.Context, found []catalog.File) ([]usage.Ledger, error) {
	ledgers := make([]usage.Ledger, len(found))
	var unread []int
	words := map[string]string{}
	for i := range found {
		ledgers[i] = ledgerOf(&found[i].Info)
		if kept, ok := t.kept[found[i].Info.Path]; ok && sameState(kept.State, found[i].State) {
			if ledgers[i].Charges, ok = usage.Unpack(kept.Data, words); ok {
				continue
			}
		}
		unread = append(unread, i)
	}
	step, end := t.l.front.progress("read usage")
	defer end()
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(unread)) {
		wait.Go(func() {
			r := newTallyReader()
			for n := next.Add(1) - 1; n < int64(len(unread)) && ctx.Err() == nil; n = next.Add(1) - 1 {
				at := unread[n]
				ledgers[at].Charges = t.read(ctx, r, &found[at])
				t.mu.Lock()
				step(int(done.Add(1)), len(unread))
				t.mu.Unlock()
			}
		})
	}
	wait.Wait()
	return ledgers, ctx.Err()
}

// sameState reports whether a file is as it was.
func sameState(a, b catalog.FileState) bool {
	return a.Dev == b.Dev && a.Ino == b.Ino && a.Size == b.Size && a.ModTime == b.ModTime
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

// read reads one session, and notes what is to be kept of it.
func (t *teller) read(ctx context.Context, r *tallyReader, f *catalog.File) []usage.Charge {
	if f.State.Size == 0 {
		return nil
	}
	charges, state, err := r.read(ctx, t.from, f.Name)
	if err != nil {
		if ctx.Err() == nil {
			t.l.note(f.Info.Path, "what it cost cannot be read: "+Cause(err).Error())
		}
		return nil
	}
	if f.Settled && sameState(state, f.State) {
		t.mu.Lock()
		t.fresh = append(t.fresh, index.Tally{Path: f.Info.Path, State: state, Data: usage.Pack(charges)})
		t.mu.Unlock()
	}
	return charges
}

// keep gives the index what was read.
func (t *teller) keep(ctx context.Context) {
	x := t.l.Index()
	if x == nil || len(t.fresh) == 0 || t.l.IndexTroubled() {
		return
	}
	if err := x.KeepTallies(ctx, t.fresh); err != nil && ctx.Err() == nil {
		t.l.IndexTrouble(err)
	}
}

// A tallyReader reads what sessions took, one after another.
type tallyReader struct {
	pass journal.Pass
	made *usage.Reader
}

// heldTally is the longest line that is held while it is looked at, in bytes. Of a longer
// one its usage is found all the same.
const heldTally = 8 << 20

func newTallyReader() *tallyReader {
	r := &tallyReader{made: usage.NewReader()}
	r.pass = journal.Pass{
		Scanner: r.made.Scanner(), ParseSlot: spelling.ParseSlot, MaxLine: heldTally,
		Entry: func(e *entry.Envelope, _ []byte, at entry.At) { r.made.Entry(e, at) },
	}
	return r
}

// read returns the charges of a session, and the state of the file that was read: the
// zero state if it changed meanwhile.
func (r *tallyReader) read(ctx context.Context, from source.Source, name string) ([]usage.Charge, catalog.FileState, error) {
	var none catalog.FileState
	log, err := from.Open(ctx, name)
	if err != nil {
		return nil, none, err
	}
	defer func() { _ = log.Close() }() // nothing was written
	before, err := log.Stat()
	if err != nil {
		return nil, none, err
	}
	r.made.Reset()
	is, err := r.pass.Read(ctx, log, before.Size)
	if err != nil {
		return nil, none, err
	}
	if is.Found == journal.NotASession {
		return nil, none, nil
	}
	charges := r.made.Charges(onBranch(is, log))
	after, err := log.Stat()
	if err != nil || after.Stamp != before.Stamp {
		return charges, none, nil
	}
	return charges, catalog.FileState{Dev: after.Dev, Ino: after.Ino, Size: after.Size, ModTime: after.ModTime}, nil
}

// onBranch returns which entries are on the branch on which a session goes on, by
// position, nil for all: a session of the first version has no branches.
func onBranch(is *journal.Glance, log io.ReaderAt) []bool {
	list := is.List()
	if list == nil || is.Header.Version < 2 && !list.Named() {
		return nil
	}
	list.Load = func(i int) ([]byte, error) {
		at := list.At(i)
		line := make([]byte, at.Len)
		n, err := log.ReadAt(line, at.Off)
		if n == len(line) {
			err = nil // it may be the end of the file
		}
		return line, err
	}
	t := tree.New(list, is.Gaps)
	active := make([]bool, list.Len())
	for _, i := range t.Path(t.Leaf(), tree.Healed) {
		active[i] = true
	}
	return active
}
