package postgres

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/cambium-dev/cambium/blob"
)

// blobs keeps blobs in a store's database.
type blobs struct{ s *pgStore }

var _ blob.Store = blobs{}

// Blobs returns the blobs of the same schema. They are of use until the store
// is closed.
func (s *pgStore) Blobs() blob.Store { return blobs{s} }

// Put stores data; ext is ignored. What is there already is checked by the
// server, and written again if it is wrong.
func (b blobs) Put(ctx context.Context, data []byte, _ string) (blob.Ref, error) {
	ref := blob.RefOf(data)
	if data == nil {
		data = []byte{} // nil would be null
	}
	err := b.s.do(ctx, func(ctx context.Context) error {
		var there bool
		err := b.s.pool.QueryRow(ctx, b.s.sql(`select exists (select from @.blobs where hash = $1 and sha256(body) = hash)`), sum(ref)).Scan(&there)
		if err != nil || there {
			return err
		}
		_, err = b.s.pool.Exec(ctx, b.s.sql(`insert into @.blobs as b (hash, body) values ($1, $2)
			on conflict (hash) do update set body = excluded.body where sha256(b.body) <> b.hash`), sum(ref), data)
		return err
	})
	if err != nil {
		return blob.Ref{}, fmt.Errorf("put blob %q: %w", ref.Hash(), err)
	}
	return ref, nil
}

// Read returns the bytes of a reference, checked.
func (b blobs) Read(ctx context.Context, ref blob.Ref) ([]byte, error) {
	if ref.IsZero() {
		return nil, fmt.Errorf("read blob: %w: no reference", blob.ErrNotExist)
	}
	var data []byte
	found, err := b.s.one(ctx, `select body from @.blobs where hash = $1`, []any{sum(ref)}, &data)
	switch {
	case err == nil && !found:
		err = blob.ErrNotExist
	case err == nil && blob.RefOf(data) != ref:
		err = blob.ErrMismatch
	}
	if err != nil {
		return nil, fmt.Errorf("read blob %q: %w", ref.Hash(), err)
	}
	return data, nil
}

// sum is the hash of a reference as bytes.
func sum(ref blob.Ref) []byte {
	raw, _ := hex.DecodeString(ref.Hash()) // a reference has nothing but digits
	return raw
}
