package work

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/tend"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
)

// StoreEnv is what is known of the machine for a shared store: its home is the
// root, and no variable of this machine's agents says otherwise.
func (l *Library) StoreEnv() layout.Env {
	if l.Shared == nil {
		return l.Env
	}
	return l.Env.InStore()
}

// Homely returns a working directory as it is called on this machine: in the
// shared store those in a home directory begin with a tilde.
func (l *Library) Homely(dir string) string {
	if l.Shared == nil {
		return dir
	}
	return l.Env.Homely(dir)
}

// Tilde returns a path as a person reads it: one in the home directory begins with a
// tilde.
func Tilde(home, path string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// storeState is where this machine keeps what is its own about the shared store:
// the record of what it did, and notes about its terminals; "" for nowhere.
func (l *Library) storeState() string {
	if l.Shared == nil {
		return ""
	}
	return tend.StoreDir(l.Env, l.Shared.Key)
}

// Records reports whether what is done to sessions is put on record: of a shared
// store it is where this machine has a place for that.
func (l *Library) Records() bool { return l.Shared == nil || l.storeState() != "" }

// indexDir is where the index of sessions lies: each shared store has its own.
func (l *Library) indexDir() string {
	dir := places.Own(l.Env).Cache
	if l.Shared == nil || dir == "" {
		return dir
	}
	return filepath.Join(dir, "stores", short(l.Shared.Key))
}

// Stat describes what is at the path of a session, on the disk or in the shared
// store.
func (l *Library) Stat(path string) (fs.FileInfo, error) {
	if l.Shared == nil {
		return os.Stat(path)
	}
	info, err := l.Shared.Stat(l.Shared.ctx, path)
	if err != nil {
		return nil, err
	}
	return storeInfo{Info: info}, nil
}

// storeInfo is what a store says of a name as a file's.
type storeInfo struct{ storage.Info }

// Name returns the last part of the name.
func (i storeInfo) Name() string { return filepath.Base(i.Info.Name) }

// Size returns the bytes.
func (i storeInfo) Size() int64 { return i.Info.Size }

// Mode returns the type.
func (i storeInfo) Mode() fs.FileMode { return i.Info.Mode }

// ModTime returns when it changed.
func (i storeInfo) ModTime() time.Time { return time.Unix(0, i.Info.ModTime) }

// IsDir reports whether it is a directory.
func (i storeInfo) IsDir() bool { return i.Info.Mode.IsDir() }

// Sys returns nothing.
func (i storeInfo) Sys() any { return nil }
