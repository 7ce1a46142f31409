package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// maxRecord is how long the record of operations becomes before its older half goes.
const maxRecord = readBack

// shorten writes the record anew with its younger half, if it is too long. f is the
// record, whose lock is held: who waits for it sees afterwards that it is another file.
func (j *Journal) shorten(f vfs.File) (err error) {
	info, err := f.Stat()
	if err != nil || info.Size <= maxRecord {
		return err
	}
	data := make([]byte, maxRecord/2)
	if _, err := f.ReadAt(data, info.Size-int64(len(data))); err != nil {
		return err
	}
	_, data, _ = bytes.Cut(data, []byte{'\n'})
	temp := j.path(fmt.Sprintf(".operations%s%d", tempMark, os.Getpid()))
	if err := j.own.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := j.own.Open(temp, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = vfs.WriteAll(w, data)
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = j.own.Rename(temp, j.path("operations"))
	}
	if err != nil {
		return errors.Join(err, j.own.Remove(temp))
	}
	return j.own.SyncDir(j.opt.Dir)
}
