package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// buckets makes what is missing of the leases' and the blobs' stores, and refuses
// what is less than was asked for. They are made as the client's library makes
// them, but that only their leader answers: others may lag behind.
func (s *natsStore) buckets(ctx context.Context) error {
	leases, blobs := s.leaseBucket(), s.blobBucket()
	meta := map[string]string{markKey: version}
	for _, want := range []jetstream.StreamConfig{{
		Name: "KV_" + leases, Description: "Who has sessions of Cambium open",
		Subjects: []string{"$KV." + leases + ".>"}, MaxMsgsPerSubject: 1, AllowRollup: true, DenyDelete: true, AllowMsgTTL: true,
	}, {
		Name: "OBJ_" + blobs, Description: "Blobs of Cambium",
		Subjects: []string{"$O." + blobs + ".C.>", "$O." + blobs + ".M.>"}, AllowRollup: true,
	}} {
		want.Replicas, want.Storage, want.Discard, want.Metadata = s.opt.Replicas, s.storage(), jetstream.DiscardNew, meta
		if err := s.bucket(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

func (s *natsStore) bucket(ctx context.Context, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, 2*s.opt.Timeout)
	defer cancel()
	stream, err := s.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && s.opt.Existing {
		return s.missing(want.Name)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = s.js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			stream, err = s.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return plain(err)
	}
	c := stream.CachedInfo().Config
	switch {
	case c.Metadata[markKey] == "" || !slices.Equal(c.Subjects, want.Subjects):
		return fmt.Errorf("%w: stream %q was not made by this program", ErrForeign, c.Name)
	case c.Replicas < want.Replicas:
		return fmt.Errorf("%w: stream %q has %d replicas, %d were asked for", ErrWeak, c.Name, c.Replicas, want.Replicas)
	case c.Storage != want.Storage && !s.opt.memory:
		return fmt.Errorf("%w: stream %q is kept in memory only", ErrWeak, c.Name)
	case c.MaxAge > 0 && strings.HasPrefix(c.Name, "OBJ_"):
		return fmt.Errorf("%w: stream %q forgets what is older than %s", ErrWeak, c.Name, c.MaxAge)
	}
	return nil
}
