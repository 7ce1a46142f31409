package powers

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/storage"
)

// PrefixReader is the power of a Store that reads the start of a log without
// opening it.
type PrefixReader interface {
	// ReadPrefix returns the first n bytes of a log, fewer if it is shorter.
	ReadPrefix(ctx context.Context, name string, n int) ([]byte, error)
}

// ReadPrefix returns the first n bytes of a log, fewer if it is shorter. From
// a store without the power it opens the log and reads lines.
func ReadPrefix(ctx context.Context, store storage.Store, name string, n int) (_ []byte, err error) {
	if p, ok := store.(PrefixReader); ok {
		return p.ReadPrefix(ctx, name, n)
	}
	log, err := store.Open(ctx, name, storage.Read)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var prefix []byte
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return nil, err
		}
		prefix = append(prefix, line.Bytes[:min(len(line.Bytes), n-len(prefix))]...)
		if line.LF && len(prefix) < n {
			prefix = append(prefix, '\n')
		}
		if len(prefix) >= n {
			break
		}
	}
	return prefix, nil
}
