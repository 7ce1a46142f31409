package exchange

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/storage"
)

// A digest tells entries apart by their bytes.
type digest [16]byte

func digestOf(line []byte) digest {
	sum := sha256.Sum256(line)
	return digest(sum[:16])
}

// A reading is one side's session as it was read. The caller closes it.
type reading struct {
	side    *Side
	at      *logAt
	log     *journal.Journal
	list    *entry.List
	digests []digest       // of each entry
	stored  []digest       // of the lines as they are stored, where digests are not
	has     map[digest]int // the first entry with the digest
	tree    *tree.Tree
	links   tree.Relink  // what the lines of a copy say besides
	linked  map[int]bool // entries that count with the links that they are read with
	latest  int64        // the newest time of its entries, NoTime if none has one
}

// What is wrong with a session that cannot be united.
var (
	errMadeUp = errors.New("its header is damaged; `cambium doctor --fix` restores it")
	errNewer  = errors.New("its format is newer than this program writes")
	errNone   = errors.New("not a session")
	errOther  = errors.New("another session has its name now")
)

// read reads a session of a side: lines as they are stored, those of an older
// version as they read when migrated. Every line is looked at if digests are
// wanted.
func (s *Side) read(ctx context.Context, at *logAt, digests bool) (_ *reading, err error) {
	r := &reading{side: s, at: at, latest: entry.NoTime}
	r.log, err = journal.Open(ctx, journal.Options{
		Store: s.store, Name: at.name, ParseSlot: spelling.ParseSlot, Migrate: spelling.Migrate,
		Rebuild: func([]byte, *entry.Index) entry.Header { return entry.Header{Version: entry.CurrentVersion} },
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("read session %q: %w", at.name, errors.Join(err, r.close()))
		}
	}()
	switch r.log.Found() {
	case journal.Valid:
	case journal.NoHeader:
		return nil, errMadeUp
	case journal.Newer:
		return nil, errNewer
	case journal.Missing:
		return nil, storage.ErrNotExist
	default:
		return nil, errNone
	}
	if r.log.Header().ID != at.header.ID {
		return nil, errOther
	}
	if r.log.Mark() != at.mark {
		at.shelved = true // since it was listed there may be more beside it
	}
	r.list = r.log.List()
	r.tree = tree.New(r.list, r.log.Gaps())
	if r.links, err = r.tree.Relink(tree.Names(at.header.ID)); err != nil {
		return nil, err
	}
	for i := range r.list.Len() {
		if t := r.list.Time(i); t != entry.NoTime {
			r.latest = max(r.latest, t)
		}
	}
	if digests {
		return r, r.look(ctx)
	}
	return r, nil
}

func (r *reading) close() error { return r.log.Close() }

// look takes the digest of every line.
func (r *reading) look(ctx context.Context) error {
	n := r.list.Len()
	r.digests, r.has = make([]digest, n), make(map[digest]int, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.line(i)
		if err != nil {
			return err
		}
		p := digestOf(line)
		if r.digests[i] = p; !r.known(p) {
			r.has[p] = i
		}
	}
	return nil
}

func (r *reading) known(p digest) bool {
	_, ok := r.has[p]
	return ok
}

// line returns the line of entry i without what may surround it.
func (r *reading) line(i int) ([]byte, error) {
	raw, err := r.list.Load(i)
	if err != nil {
		return nil, err
	}
	raw = jsonl.Trim(raw, 1).In(raw)
	if r.linked[i] {
		raw = r.links.Line(i, raw)
	}
	return raw, nil
}

// old reports whether the session is of an older version.
func (r *reading) old() bool { return spelling.Old(r.log.Header().Version) }

// lacks returns the entries of from that r does not have, each once, parents
// before children and otherwise in the order of from. Ids of an older version
// are made of line numbers, and say more than bytes do.
func (r *reading) lacks(from *reading) []int {
	byID := r.old() || from.old()
	want := make(map[int]bool)
	var all []int
	for i, p := range from.digests {
		if r.known(p) || from.has[p] != i {
			continue
		}
		if id, ok := from.list.ID(i); byID && ok && r.list.Find(id) >= 0 {
			continue
		}
		want[i] = true
		all = append(all, i)
	}
	return parentsFirst(from.parent, all, want)
}

// parentsFirst puts entries in an order in which none stands before its parent,
// if that is among them, and which is otherwise that of the list.
func parentsFirst(parent func(i int) int, all []int, want map[int]bool) []int {
	out := make([]int, 0, len(all))
	var chain []int
	for _, i := range all {
		for at := i; at >= 0 && want[at]; at = parent(at) {
			want[at] = false // a cycle ends here, too
			chain = append(chain, at)
		}
		for n := len(chain) - 1; n >= 0; n-- {
			out = append(out, chain[n])
		}
		chain = chain[:0]
	}
	return out
}
