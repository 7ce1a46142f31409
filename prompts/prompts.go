package prompts

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Source is a database of prompts.
type Source struct {
	// Agent says whose it is; it is on every prompt found in it.
	Agent string
	// Path is the file. It need not be there; "" is no database.
	Path string
	// Parts finds prompts by parts of words, too: the way omp 18.2.3 searches.
	// Without it words must begin with what is asked (published P1, xcsh
	// 17.4.4).
	Parts bool
}

// Options say which databases to use. The zero value has none: prompts are kept
// in memory until Close, which says so.
type Options struct {
	// Own is the database that prompts are added to.
	Own Source
	// Others are read beside it. One that is the same file as an earlier one is
	// left out.
	Others []Source
	// CWD finds only the prompts typed in this working directory; "" finds all.
	CWD string
	// Temp is the folder for private copies of databases that others are
	// writing; "" means the system's.
	Temp string
	// Busy is how long to wait for another process that writes the own
	// database; 0 means 5 seconds.
	Busy time.Duration
	// Longest is how long reading a database, or writing to it, may take, once; 0
	// means 30 seconds.
	Longest time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Trouble is told, once, of each thing that is wrong with a database:
	// always a [*fileError. It may be called from any goroutine, one call at a
	// time, and must not use the History; nil means nobody.
	Trouble func(error)
}

// A Prompt is what a person typed.
type Prompt struct {
	// ID numbers the prompts of one database; 0 for one that is not yet written.
	ID int64
	// Text is the prompt, as it is stored.
	Text string
	// Created is when it was typed, to the second.
	Created time.Time
	// CWD is the working directory, SessionID the session it was typed in; ""
	// when that is not known.
	CWD, SessionID string
	// Agent is that of the Source.
	Agent string
	// Uses is how often it was typed, as far as its database counts that
	// (omp 18.3); else 1.
	Uses int64
}

// A Recap says what a session was about when nothing was typed for a while
// (omp 18.3).
type Recap struct {
	Text    string
	CWD     string
	Created time.Time
}

// A History is the prompts of all its databases. It is safe for concurrent use.
// Who opens it closes it.
type History struct {
	o      Options
	fs     vfs.FS
	own    *reader // nil without an own database
	others []*reader
	work   sync.WaitGroup
	// life ends some time after Close began, and with it what is under way: it is
	// of the History, not of a call. give ends it.
	life context.Context
	give context.CancelFunc
	// io is held while the own database is read, or open for writing, until what
	// was written has left the queue: closing a file takes away all locks that a
	// process has on it. It is locked before mu.
	io sync.Mutex

	mu      sync.Mutex
	last    string   // guarded by mu: the last prompt added, or found at open
	queue   rows     // guarded by mu: what is not yet written
	writing *writing // guarded by mu: that under way, nil when nobody writes
	closed  bool     // guarded by mu

	telling sync.Mutex
	told    map[string]bool // guarded by telling
}

// Open returns the history of these databases. None of them need be there; what
// is wrong with one is told to o.Trouble, and the others are used. The error is
// that of ctx.
func Open(ctx context.Context, o Options) (*History, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Busy == 0 {
		o.Busy = 5 * time.Second
	}
	if o.Longest == 0 {
		o.Longest = 30 * time.Second
	}
	h := &History{o: o, fs: vfs.OS(), told: map[string]bool{}}
	h.life, h.give = context.WithCancel(context.WithoutCancel(ctx))
	if o.Own.Path != "" {
		h.own = newReader(h.fs, o.Own, o)
	}
	for _, s := range o.Others {
		if s.Path != "" {
			h.others = append(h.others, newReader(h.fs, s, o))
		}
	}
	last, err := h.newest(ctx)
	if err != nil {
		return nil, err
	}
	h.last = last
	return h, nil
}

// newest returns the prompt that was added last to the own database.
func (h *History) newest(ctx context.Context) (string, error) {
	if h.own == nil {
		return "", nil
	}
	h.io.Lock()
	defer h.io.Unlock()
	rows, err := h.own.rows(ctx, ask{last: true, limit: 1})
	if err != nil {
		return "", h.bypass(ctx, h.own, err)
	}
	if len(rows) == 0 {
		return "", nil
	}
	return rows[0].Text, nil
}

// Recent returns the n newest prompts of all databases, newest first; of those
// of one second the later one of a database first. n below 0 counts as 0, above
// 1000 as 1000. A database that cannot be read is told to Trouble and left out;
// the error is that of ctx.
func (h *History) Recent(ctx context.Context, n int) ([]Prompt, error) {
	return h.find(ctx, ask{limit: clamp(n)})
}

// Search returns the n newest prompts that match query, ordered, limited and
// failing as for Recent.
//
// query is split at blanks, and a prompt matches if each piece is the beginning
// of one of its words, or of several in sequence: "comm" and "git-c" match "git
// commit". In a database with Parts query is split at all that is no letter or
// digit, and a prompt also matches if it holds each piece anywhere. Without a
// piece nothing matches. Case and accents of letters do not matter.
func (h *History) Search(ctx context.Context, query string, n int) ([]Prompt, error) {
	return h.find(ctx, ask{search: true, query: query, limit: clamp(n)})
}

// Sessions returns the ids of the sessions in which the n newest prompts that
// match query were typed, each once, those of the newest prompts first.
func (h *History) Sessions(ctx context.Context, query string, n int) ([]string, error) {
	found, err := h.Search(ctx, query, n)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, p := range found {
		if p.SessionID != "" && !slices.Contains(ids, p.SessionID) {
			ids = append(ids, p.SessionID)
		}
	}
	return ids, nil
}

// Titles returns the names that the databases give to sessions, by session id:
// those of omp's session_titles. It fails as Recent does.
func (h *History) Titles(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	for _, r := range h.readers() {
		err := r.read(ctx, func(d *database) error { return d.titles(all) })
		if err == nil {
			continue
		}
		if err := h.bypass(ctx, r, err); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Recaps returns the last recap of each session, by session id: of omp's
// session_recaps. It fails as Recent does.
func (h *History) Recaps(ctx context.Context) (map[string]Recap, error) {
	all := map[string]Recap{}
	for _, r := range h.readers() {
		err := r.read(ctx, func(d *database) error { return d.recaps(all) })
		if err == nil {
			continue
		}
		if err := h.bypass(ctx, r, err); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// find asks every database and puts the answers in order.
func (h *History) find(ctx context.Context, a ask) ([]Prompt, error) {
	if a.limit == 0 {
		return nil, ctx.Err()
	}
	a.cwd = h.o.CWD
	all, err := h.findOwn(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, r := range h.readers() {
		rows, err := r.rows(ctx, a)
		if err != nil {
			if err := h.bypass(ctx, r, err); err != nil {
				return nil, err
			}
		}
		all = append(all, rows.of(r.Agent)...)
	}
	slices.SortStableFunc(all, func(x, y Prompt) int { return y.Created.Compare(x.Created) })
	return all[:min(len(all), a.limit)], nil
}

// findOwn asks the own database and the queue. A prompt goes from one to the
// other while io is held, so that it is neither missed nor found twice.
func (h *History) findOwn(ctx context.Context, a ask) ([]Prompt, error) {
	h.io.Lock()
	defer h.io.Unlock()
	h.mu.Lock()
	queue := slices.Clone(h.queue)
	h.mu.Unlock()
	all, err := h.pending(ctx, queue, a)
	if err != nil || h.own == nil {
		return all, err
	}
	rows, err := h.own.rows(ctx, a)
	if err != nil {
		return all, h.bypass(ctx, h.own, err)
	}
	return append(all, rows.of(h.own.Agent)...), nil
}

// readers returns the other databases, each file once.
func (h *History) readers() []*reader {
	var all []*reader
	var seen []vfs.Info
	if h.own != nil {
		if info, err := h.fs.Stat(h.own.Path); err == nil {
			seen = append(seen, info)
		}
	}
	for _, r := range h.others {
		info, err := h.fs.Stat(r.Path)
		if err == nil && slices.ContainsFunc(seen, info.SameFile) {
			continue
		}
		if err == nil {
			seen = append(seen, info)
		}
		all = append(all, r)
	}
	return all
}

// bypass tells that a database cannot be read; an error of ctx it returns.
func (h *History) bypass(ctx context.Context, r *reader, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	then := "its prompts are left out"
	if r == h.own && unusable(err) {
		then = "the next prompt that is kept begins it anew"
	}
	h.tell(&fileError{path: r.Path, act: "read prompts", err: err, then: then})
	return nil
}

// tell tells Trouble of something, unless it was told already.
func (h *History) tell(err *fileError) {
	h.telling.Lock()
	defer h.telling.Unlock()
	key := err.act + "\x00" + err.path + "\x00" + plain(err.err)
	if h.o.Trouble == nil || h.told[key] {
		return
	}
	h.told[key] = true
	h.o.Trouble(err)
}
