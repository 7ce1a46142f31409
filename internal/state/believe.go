package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// believed reports as an error what somebody else may have put where Cambium keeps what it
// will do: a record says which file is replaced, moved or deleted, and with what.
func believed(path string, info vfs.Info) error {
	if why := info.Stranger(); why != "" {
		return fmt.Errorf("what %q says is not believed: %s", path, why)
	}
	return nil
}

// believedBelow is believed of the state directory and of what is named below it. What is not there
// says nothing. A store that machines share is everybody's who has it: it is asked there.
func (j *Journal) believedBelow(fsys vfs.FS, paths ...string) error {
	for _, path := range append([]string{j.opt.Dir}, paths...) {
		info, err := fsys.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = believed(path, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// believedTrash is believedBelow of something in the trash.
func (j *Journal) believedTrash(dir string) error {
	if j.opt.Shared != nil {
		return nil
	}
	return j.believedBelow(j.fs, j.trash, dir, filepath.Join(dir, recordName)) // what was removed keeps its mode
}

// isID reports whether an id is one that names a file here, and nothing elsewhere.
func isID(id string) bool { return id != "" && safe(id) == id }
