package session

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/damage"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/storage/memory"
)

// ParseEntries reads the bytes of a session file: its header, its entries and
// what is wrong with them. An older version is migrated in memory. Blobs are
// not put back in, for there is no store to take them from. data must not be
// changed while the list is used.
//
// The error is ErrNotSession for bytes without a valid header and without
// entries; a header that is missing or torn before entries is made up, and the
// damage says so.
func ParseEntries(data []byte) (entry.Header, *entry.List, damage.Report, error) {
	const name = "session.jsonl"
	store := memory.New(memory.Options{})
	store.Set(name, data)
	log, err := journal.Open(context.Background(), journal.Options{
		Store: store, Name: name,
		Migrate: spelling.Migrate, ParseSlot: spelling.ParseSlot,
		Rebuild: func(torn []byte, x *entry.Index) entry.Header { return spelling.MadeUp(name, "", torn, x) },
	})
	if err != nil {
		return entry.Header{}, nil, nil, err
	}
	if found := log.Found(); found == journal.NotASession || found == journal.Empty {
		return entry.Header{}, nil, nil, fmt.Errorf("parse entries: %w", ErrNotSession)
	}
	return log.Header(), log.List(), log.Damage(), nil
}
