package powers

import (
	"errors"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
)

// AsLocked returns an error of waiting for a lock as a [*Locked], any other one as
// it is.
func AsLocked(err error) error {
	if err == nil {
		return nil
	}
	var held *vfs.Held
	if !errors.As(err, &held) {
		return err
	}
	by := held.By
	return &storage.Locked{PID: by.PID, Program: by.Program, Stopped: by.Stopped, Todo: by.Todo(), Err: err}
}
