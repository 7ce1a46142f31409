package catalog

import (
	"context"
	"hash/maphash"
	"io"
	"path"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// kin finds what the sessions that others were copied from spent. Each of them
// is read once. It is safe for concurrent use.
type kin struct {
	o    *Options
	look *look
	seed maphash.Seed

	mu   sync.Mutex         // guards all below
	ids  map[uint64]sibling // the file of a session, by the hash of the id in its name
	read map[string]*ledger // by path
}

// A sibling is a file that was found: an item's, without its order.
type sibling struct{ folder, at int32 }

// A ledger is what one session spent, once it is known.
type ledger struct {
	once sync.Once
	keys []uint64
}

func newKin(o *Options, found *look) *kin {
	return &kin{o: o, look: found, seed: maphash.MakeSeed(), read: map[string]*ledger{}}
}

// spent returns the keys of what a session says that it spent, in order. parent
// is its id or its path, as the header of child says; nil when there is no such
// session any more.
func (k *kin) spent(ctx context.Context, parent string, child file) []uint64 {
	name := k.find(parent)
	if name == "" || name == child.path || name == child.target {
		return nil
	}
	k.mu.Lock()
	one := k.read[name]
	if one == nil {
		one = &ledger{}
		k.read[name] = one
	}
	k.mu.Unlock()
	one.once.Do(func() { one.keys = k.keys(ctx, name) })
	return one.keys
}

// find returns the file that a header calls its parent, "" for none.
func (k *kin) find(parent string) string {
	if isAbs(parent) {
		return path.Clean(parent)
	}
	if f, ok := k.file(parent); ok {
		return f.name()
	}
	return ""
}

// file returns the file of a session that was found, by its id or its path.
func (k *kin) file(parent string) (file, bool) {
	id := parent
	if isAbs(parent) {
		parent = path.Clean(parent)
		id = ident.FileID(base(parent))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids == nil {
		k.ids = map[uint64]sibling{}
		k.look.each(func(folder, at int32) {
			id := ident.FileID(alias(k.look.folders[folder].name(at)))
			k.ids[maphash.String(k.seed, id)] = sibling{folder, at}
		})
	}
	s, ok := k.ids[maphash.String(k.seed, id)]
	if !ok {
		return file{}, false
	}
	f := k.look.folders[s.folder].file(s.at)
	return f, ident.FileID(base(f.path)) == id && (id == parent || f.path == parent)
}

// keys reads one session for what it spent.
func (k *kin) keys(ctx context.Context, name string) []uint64 {
	return k.gather(ctx, name, func(keys *[]uint64) journal.Pass {
		f := &facts{scanner: newScanner(), seed: k.seed, spent: func(key uint64, _ Usage) { *keys = append(*keys, key) }}
		return journal.Pass{Scanner: f.scanner, Entry: f.entry}
	})
}

// all reads one session for the keys of its entries.
func (k *kin) all(ctx context.Context, name string) []uint64 {
	return k.gather(ctx, name, func(keys *[]uint64) journal.Pass {
		return journal.Pass{Scanner: newScanner(), Entry: func(e *entry.Envelope, _ []byte, _ entry.At) {
			*keys = append(*keys, keyOf(k.seed, e))
		}}
	})
}

// gather reads one session for keys that a pass finds, and returns them in order; nil
// when it cannot be read.
func (k *kin) gather(ctx context.Context, name string, with func(keys *[]uint64) journal.Pass) []uint64 {
	log, err := k.o.source().Open(ctx, name)
	if err != nil {
		return nil
	}
	defer func() { _ = log.Close() }() // nothing was written
	info, err := log.Stat()
	if err != nil {
		return nil
	}
	keys := []uint64{}
	pass := with(&keys)
	pass.ParseSlot, pass.MaxLine = spelling.ParseSlot, maxHeld
	if _, err := pass.Read(ctx, log, source.Length(log, info)); err != nil {
		return nil
	}
	slices.Sort(keys)
	return keys
}

// pass calls spent with all that the entries of a log say that they cost.
func (k *kin) pass(ctx context.Context, log io.ReaderAt, size int64, spent func(key uint64, u Usage)) error {
	f := facts{scanner: newScanner(), seed: k.seed, spent: spent}
	pass := journal.Pass{Scanner: f.scanner, Entry: f.entry, ParseSlot: spelling.ParseSlot, MaxLine: maxHeld}
	_, err := pass.Read(ctx, log, size)
	return err
}
