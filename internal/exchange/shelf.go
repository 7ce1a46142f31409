package exchange

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDeep is how deep artifacts are looked for in their directory.
	maxDeep = 4
	// maxArtifact is the largest that is copied, maxListed the largest that a
	// store without files is given: it is one value there.
	maxArtifact = 1 << 30
	maxListed   = 256 << 20
	// listName is the log with the list of a session's artifacts, in the
	// directory that they would have.
	listName = "artifacts.list"
)

// A shelf is where the artifacts of one session lie on a side.
type shelf interface {
	// all returns the artifacts that are there.
	all(ctx context.Context) ([]artifact, error)
	// has reports whether there is one at a path.
	has(ctx context.Context, path string) (bool, error)
	// takes reports whether one of that path and size could be there.
	takes(path string, size int64) bool
	// read returns one; blob.ErrNotExist or blob.ErrMismatch if it is lost.
	read(ctx context.Context, a artifact) ([]byte, error)
	// put adds one that is not there. It is there when flush has returned.
	put(ctx context.Context, path string, data []byte) error
	flush(ctx context.Context) error
}

// An artifact is one file beside a session: its path below their directory, with
// "/" between, its size, and in a store without files where its bytes are.
type artifact struct {
	path string
	size int64
	ref  blob.Ref
	odd  bool // it can be none, by its name or for how deep it lies
}

// shelf returns the artifacts of a session on its side, nil if it can have none.
// No link is followed below the directory that the session is in.
func (r *reading) shelf(temp func(base string) string, link func(path string)) shelf {
	dir := ident.ArtifactDir(r.at.name)
	switch {
	case dir == "":
		return nil
	case r.side.fsys != nil:
		return &folder{fsys: vfs.Under(r.side.fsys, filepath.Dir(dir)), dir: dir, temp: temp, link: link}
	case r.side.blobs == nil:
		return nil
	}
	return &list{store: r.side.store, blobs: r.side.blobs, name: path.Join(dir, listName), none: !r.at.shelved}
}

// A folder is artifacts as files.
type folder struct {
	fsys vfs.FS
	dir  string
	temp func(base string) string // what a file is called until it is whole
	link func(path string)        // is told of the links that were met
}

func (f *folder) all(ctx context.Context) (found []artifact, err error) {
	err = f.walk(ctx, f.dir, "", maxDeep, &found)
	return found, err
}

func (f *folder) walk(ctx context.Context, dir, below string, deep int, found *[]artifact) error {
	entries, err := f.fsys.ReadDir(dir)
	if err != nil {
		var met *vfs.LinkError
		if errors.As(err, &met) {
			f.link(met.Link)
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) || dirLink(err) {
			return nil
		}
		return err
	}
	for _, info := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch name := path.Join(below, info.Name); {
		case info.Name[0] == '.': // hidden, as files are until they are whole
		case !plain(info.Name) || info.Mode.IsDir() && deep == 0:
			*found = append(*found, artifact{path: name, odd: true})
		case info.Mode.IsDir():
			if err := f.walk(ctx, filepath.Join(dir, info.Name), name, deep-1, found); err != nil {
				return err
			}
		case info.Regular():
			*found = append(*found, artifact{path: name, size: info.Size})
		case info.Mode&fs.ModeSymlink != 0:
			f.link(filepath.Join(dir, info.Name))
		}
	}
	return nil
}

func (f *folder) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *folder) has(_ context.Context, path string) (bool, error) {
	_, err := f.fsys.Lstat(f.at(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (f *folder) takes(_ string, size int64) bool { return size <= maxArtifact }

func (f *folder) read(_ context.Context, a artifact) ([]byte, error) {
	data, err := vfs.ReadFile(f.fsys, f.at(a.path), maxArtifact)
	if errors.Is(err, fs.ErrNotExist) {
		err = blob.ErrNotExist // it went meanwhile
	}
	return data, err
}

// put writes a file, whole or not at all.
func (f *folder) put(_ context.Context, path string, data []byte) error {
	dir, base := filepath.Split(f.at(path))
	if _, err := vfs.MkdirAll(f.fsys, dir); err != nil {
		return err
	}
	temp := filepath.Join(dir, f.temp(base))
	if err := f.fsys.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := writeFile(f.fsys, temp, data, true)
	if err == nil {
		err = f.fsys.RenameNew(temp, f.at(path))
	}
	if err != nil {
		err = errors.Join(err, f.fsys.Remove(temp))
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // somebody was quicker
	}
	return err
}

func (f *folder) flush(context.Context) error { return nil }

// A list is artifacts in a store without files: each is a blob, and a log in the
// place of their directory says which, a line for each. The first line of a path
// counts.
type list struct {
	store storage.Store
	blobs blob.Store
	name  string
	none  bool // there was no such log when the side was listed

	seen  map[string]artifact // by path; nil until it was read
	order []string
	mark  storage.Mark
	lines [][]byte // to be appended
}

// listed is a line of a list.
type listed struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Blob string `json:"blob"`
	Size int64  `json:"size"`
}

const listedType = "artifact"

// load reads the list, unless it was read or there was none.
func (l *list) load(ctx context.Context) (err error) {
	if l.seen != nil {
		return nil
	}
	l.seen, l.order, l.mark = make(map[string]artifact), nil, storage.Mark{}
	if l.none {
		return nil
	}
	log, err := l.store.Open(ctx, l.name, storage.Read)
	if errors.Is(err, storage.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	info, err := log.Stat(ctx)
	if err != nil {
		return err
	}
	l.mark = info.Mark // what comes behind it is seen when it is in the way
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return err
		}
		if a, ok := parseListed(line.Bytes); ok {
			if _, again := l.seen[a.path]; !again {
				l.seen[a.path] = a
				l.order = append(l.order, a.path)
			}
		}
	}
	return nil
}

// parseListed reads a line of a list. One that names what could not be beside a
// session is none.
func parseListed(line []byte) (artifact, bool) {
	var at listed
	if json.Unmarshal(line, &at, jsontext.AllowDuplicateNames(true)) != nil || at.Type != listedType {
		return artifact{}, false
	}
	ref, ok := blob.ParseRef(at.Blob)
	return artifact{path: at.Path, size: at.Size, ref: ref}, ok && inShelf(at.Path)
}

// inShelf reports whether a path stays below the directory of artifacts on any
// system.
func inShelf(name string) bool {
	parts := strings.Split(name, "/")
	for _, part := range parts {
		if !plain(part) {
			return false
		}
	}
	return len(parts) <= maxDeep+1
}

func (l *list) all(ctx context.Context) ([]artifact, error) {
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	found := make([]artifact, len(l.order))
	for i, name := range l.order {
		found[i] = l.seen[name]
	}
	return found, nil
}

func (l *list) has(ctx context.Context, path string) (bool, error) {
	err := l.load(ctx)
	_, ok := l.seen[path]
	return ok, err
}

func (l *list) takes(path string, size int64) bool {
	return size <= maxListed && utf8.ValidString(path) && inShelf(path)
}

func (l *list) read(ctx context.Context, a artifact) ([]byte, error) { return l.blobs.Read(ctx, a.ref) }

func (l *list) put(ctx context.Context, path string, data []byte) error {
	ref, err := l.blobs.Put(ctx, data, "")
	if err != nil {
		return err
	}
	line, err := json.Marshal(listed{Type: listedType, Path: path, Blob: ref.String(), Size: int64(len(data))})
	l.lines = append(l.lines, line)
	return err
}

// flush appends what was put, whose bytes are there.
func (l *list) flush(ctx context.Context) error {
	if len(l.lines) == 0 {
		return nil
	}
	for range maxTries {
		err := l.append(ctx)
		if err = again(err); !errors.Is(err, errAgain) {
			return err
		}
		l.none, l.seen = false, nil
		if err := l.load(ctx); err != nil {
			return err
		}
		rest := l.lines[:0]
		for _, line := range l.lines {
			a, _ := parseListed(line)
			if _, there := l.seen[a.path]; !there {
				rest = append(rest, line)
			}
		}
		if l.lines = rest; len(rest) == 0 {
			return nil
		}
	}
	return errBusy
}

func (l *list) append(ctx context.Context) (err error) {
	mode := storage.Write
	if l.mark.IsZero() {
		mode = storage.Create
	}
	log, err := l.store.Open(ctx, l.name, mode)
	if errors.Is(err, storage.ErrNotExist) {
		return fmt.Errorf("%w: %w", errAgain, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if _, err := log.Append(ctx, l.mark, l.lines); err != nil {
		return err
	}
	return powers.Sync(ctx, log)
}
