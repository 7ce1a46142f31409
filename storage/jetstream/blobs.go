package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/nats-io/nats.go/jetstream"
)

// blobBucket is the object store of the blobs. Its stream is OBJ_ and that.
func (s *natsStore) blobBucket() string { return s.opt.Stream + "_BLOBS" }

// blobs keeps blobs in a store's object store, each under its hash.
type blobs struct{ s *natsStore }

var _ blob.Store = blobs{}

// Blobs returns the blobs beside the stream. They are of use until the store is
// closed.
func (s *natsStore) Blobs() blob.Store { return blobs{s} }

// bucket returns the object store.
func (b blobs) bucket(ctx context.Context) (jetstream.ObjectStore, error) {
	o, err := b.s.js.ObjectStore(ctx, b.s.blobBucket())
	return o, plain(err)
}

// Put stores data; ext is ignored. What is there already is read and checked, and
// written again if it is wrong. To write it twice does no harm.
func (b blobs) Put(ctx context.Context, data []byte, _ string) (blob.Ref, error) {
	ref := blob.RefOf(data)
	if there, err := b.Read(ctx, ref); err == nil && len(there) == len(data) {
		return ref, nil
	}
	err := b.s.large(ctx, len(data), func(ctx context.Context) error {
		bucket, err := b.bucket(ctx)
		if err != nil {
			return err
		}
		_, err = bucket.PutBytes(ctx, ref.Hash(), data)
		return plain(err)
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
	err := b.s.large(ctx, 64<<20, func(ctx context.Context) error {
		bucket, err := b.bucket(ctx)
		if err != nil {
			return err
		}
		data, err = bucket.GetBytes(ctx, ref.Hash())
		switch {
		case errors.Is(err, jetstream.ErrObjectNotFound):
			return blob.ErrNotExist
		case errors.Is(err, jetstream.ErrDigestMismatch):
			return blob.ErrMismatch
		}
		return plain(err)
	})
	if err == nil && blob.RefOf(data) != ref {
		err = blob.ErrMismatch
	}
	if err != nil {
		return nil, fmt.Errorf("read blob %q: %w", ref.Hash(), err)
	}
	return data, nil
}

// large is do for what may take longer: a second more for each MiB.
func (s *natsStore) large(ctx context.Context, size int, f func(ctx context.Context) error) error {
	patient := s.patient()
	for {
		err := s.timed(ctx, s.opt.Timeout+time.Duration(size>>20)*time.Second, f)
		if err == nil {
			s.away.Store(false)
			return nil
		}
		if fateOf(err) == final || ctx.Err() != nil || !patient.Wait(ctx) {
			return s.settle(ctx, err)
		}
	}
}
