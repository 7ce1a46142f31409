package exchange

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// Options say what is united and who is told. The zero value unites the sessions
// of all agents, remembers nothing and tells nobody.
type Options struct {
	// Agents are the agents whose sessions are united; nil means all four.
	Agents []string
	// Maps translate working directories beside the home directory, which is
	// "~" on a shared side. The longest that fits counts.
	Maps []Mapping
	// DryRun finds out what would be moved and writes nothing.
	DryRun bool
	// Anew sends sessions to a side that had some and has none any more, which
	// is ErrEmptied otherwise.
	Anew bool
	// State is a directory in which to remember what was seen last, and to see
	// to it that no two runs unite the same sides at once (ErrRunning); "" for
	// nowhere.
	State string
	// Workers is how many sessions are united at once; 0 means 4.
	Workers int
	// Now is the clock, only ever compared with that of the store; nil means
	// time.Now.
	Now func() time.Time

	// Hopeless reports whether an error, of one session, would be that of every
	// other one: the run ends with it. nil says so of none.
	Hopeless func(error) bool

	// Progress is told how many bytes of sessions were looked at of how many.
	Progress func(done, total int64)
	// Moved is told of each session of which something was, or would be,
	// moved. Failed is told of each that could not be united, and Warn what
	// else there is to say, in one line. They are called one at a time; nil
	// means nobody.
	Moved  func(Moved)
	Failed func(Failure)
	Warn   func(text string)

	// fs is where State is; nil means the file system of the machine.
	fs vfs.FS
}

var _ = vfs.Taken(func(o *Options) *vfs.FS { return &o.fs }, nil)

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return 4
}

// Amount is what went one way.
type Amount struct {
	// Sessions are those that were not there before.
	Sessions int64 `json:"sessions"`
	// Entries and Bytes are those of appended lines, settling ones included.
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Blobs, Artifacts and Titles were written.
	Blobs     int64 `json:"blobs"`
	Artifacts int64 `json:"artifacts"`
	Titles    int64 `json:"titles"`
}

func (a *Amount) add(b Amount) {
	a.Sessions += b.Sessions
	a.Entries += b.Entries
	a.Bytes += b.Bytes
	a.Blobs += b.Blobs
	a.Artifacts += b.Artifacts
	a.Titles += b.Titles
}

// Moved is what was moved of one session.
type Moved struct {
	Agent, ID string
	// Here and There are the names of its logs; "" for one that would be made.
	Here, There string
	// Out is what went there, In what came here.
	Out, In Amount
	// Diverged says that both sides had what the other lacked. Settled counts
	// the entries that were appended to both because of it.
	Diverged bool
	Settled  int
	// Damaged counts damaged lines, of both sides. They were not sent.
	Damaged int
	// Relinked counts entries that were sent with the parent below which they are
	// read, because the one that they name is nowhere.
	Relinked int
	// MissingBlobs counts references to blobs, and artifacts, whose bytes neither
	// side has. LeftArtifacts counts artifacts that the other side cannot take.
	MissingBlobs  int
	LeftArtifacts int
}

// Failure is a session that could not be united. All others are.
type Failure struct {
	// Agent and ID say which; ID is "" where it is not known. Name is the log.
	Agent, ID, Name string
	Err             error
}

// Report is what a run did, or would do.
type Report struct {
	Out, In Amount
	// Sessions counts all, Settled those that had nothing to do by their
	// marks.
	Sessions, Settled int
	// Diverged counts sessions that became branches, Damaged those with
	// damaged lines among those that were read.
	Diverged, Damaged int
	// Relinked is as in Moved.
	Relinked int
	// MissingBlobs and LeftArtifacts are as in Moved.
	MissingBlobs, LeftArtifacts int
	// LeftLinks counts symbolic links beside sessions, which are not followed.
	LeftLinks int
	// Failed counts sessions that could not be united.
	Failed int
}

// run is one Run.
type run struct {
	opt         Options
	here, there Side
	paths       paths
	known       *memo
	token       string // tells the files of this home that are not whole yet

	mu     sync.Mutex
	rep    Report             // guarded by mu
	done   int64              // guarded by mu: bytes
	total  int64              // set before others see it
	blobs  [2]map[string]bool // guarded by mu: put or found, out and in
	lost   map[string]bool    // guarded by mu: blobs and artifacts that neither side has
	linked map[string]bool    // guarded by mu: links beside logs, and those logs
	clock  bool               // guarded by mu: clocks were compared
}

// Run unites the sessions of here, which is made by Homes, and there. The report
// is right whatever the error; an error means that the run ended before its
// time. Sessions that failed are counted, not returned.
func Run(ctx context.Context, here, there Side, opt Options) (Report, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.fs == nil {
		opt.fs = vfs.OS()
	}
	r := &run{opt: opt, here: here, there: there, paths: newPaths(here.env, opt.Maps), lost: make(map[string]bool), linked: make(map[string]bool)}
	r.blobs = [2]map[string]bool{make(map[string]bool), make(map[string]bool)}
	host, _ := os.Hostname() // without one, homes of one path share a token
	r.token = fmt.Sprintf("%x", sha256.Sum256([]byte(host+"\n"+here.key)))[:8]
	r.known = openMemo(opt.fs, opt.State, here.key, there.key)
	if !opt.DryRun {
		unlock, err := r.known.alone()
		if err != nil {
			return r.rep, fmt.Errorf("sync: %w", err)
		}
		defer unlock()
	}
	if len(opt.Agents) > 0 {
		r.known.keepAll() // what is remembered of the others stays
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	todo, settled, err := r.find(ctx)
	if err != nil {
		return r.rep, fmt.Errorf("sync: %w", err)
	}
	r.rep.Settled, r.rep.Sessions = settled, settled+len(todo)
	for _, p := range todo {
		r.total += p.size()
	}
	r.each(len(todo), func(i int) {
		if ctx.Err() != nil {
			return
		}
		if err := r.one(ctx, todo[i]); err != nil {
			stop(err)
		}
	})
	err = context.Cause(ctx)
	if !opt.DryRun {
		err = errors.Join(err, r.known.save())
	}
	if err != nil {
		return r.rep, fmt.Errorf("sync: %w", err)
	}
	return r.rep, nil
}

// one unites a pair and tells how it went. The error is one after which nothing
// else can be done.
func (r *run) one(ctx context.Context, p *pair) error {
	m, err := r.unite(ctx, p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += p.size()
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, r.total)
	}
	r.rep.Out.add(m.Out)
	r.rep.In.add(m.In)
	r.rep.MissingBlobs += m.MissingBlobs
	r.rep.LeftArtifacts += m.LeftArtifacts
	if m.Diverged {
		r.rep.Diverged++
	}
	if m.Damaged > 0 {
		r.rep.Damaged++
	}
	r.rep.Relinked += m.Relinked
	if (m.Out != Amount{} || m.In != Amount{}) && r.opt.Moved != nil {
		r.opt.Moved(m)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.opt.Hopeless != nil && r.opt.Hopeless(err) {
		return err
	}
	if away := r.away(ctx, err); away != nil {
		return away
	}
	if p.here != nil {
		r.known.keepOld(p.here.name)
	}
	r.failLocked(Failure{Agent: p.agent, ID: p.id, Name: p.name(), Err: err})
	return nil
}

// away returns an error that is not of one session, but of a store that cannot
// be reached at all any more: it would be that of every other session.
func (r *run) away(ctx context.Context, err error) error {
	for _, known := range []error{errMadeUp, errNewer, errNone, errOther, errBusy, ErrOutside, vfs.ErrLink, blob.ErrMismatch} {
		if errors.Is(err, known) {
			return nil
		}
	}
	for _, s := range []*Side{&r.here, &r.there} {
		for _, err := range s.store.List(ctx, s.place(r.opt.agents()[0]).Sessions) {
			if err != nil && !errors.Is(err, storage.ErrNotExist) {
				return err
			}
			break
		}
	}
	return nil
}

func (r *run) fail(f Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failLocked(f)
}

func (r *run) failLocked(f Failure) {
	r.rep.Failed++
	if r.opt.Failed != nil {
		r.opt.Failed(f)
	}
}

func (r *run) warn(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opt.Warn != nil {
		r.opt.Warn(fmt.Sprintf(format, args...))
	}
}
