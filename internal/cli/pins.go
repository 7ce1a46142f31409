package cli

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The sessions that somebody wants on top are kept by id, so that they stay so
// where they move, in a file of Cambium's state directory: a JSON array, as omp
// 18.2.3 keeps its own. Those of omp are read, and left as they are.
type pins struct{ own, omp map[string]bool }

// maxPins is the size from which on a file of pins is none, in bytes.
const maxPins = 1 << 20

// pinned reads the pins. A file that is not there or cannot be read pins none.
func (a *app) pinned() pins {
	own, _ := readPins(a.pinsFile())
	omp, _ := readPins(a.home(dialect.Omp).Pins)
	return pins{own: own, omp: omp}
}

func (a *app) pinsFile() string {
	return filepath.Join(layout.Own(a.env).State, "pins.json")
}

// readPins reads a file of pins. The error is for one that is there and is none, or
// is not only the person's.
func readPins(path string) (map[string]bool, error) {
	all := map[string]bool{}
	if path == "" {
		return all, nil
	}
	data, err := readFile(path, maxPins+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return all, nil
	case err != nil:
		return all, err
	case len(data) > maxPins:
		return all, fmt.Errorf("read pins %q: it is too large", path)
	}
	if why, err := vfs.Strangers(vfs.OS(), path); err != nil || why != "" {
		return all, fmt.Errorf("read pins %q: %w", path, cmp.Or(err, errors.New(why)))
	}
	var ids []string
	if err := json.Unmarshal(data, &ids); err != nil {
		return all, fmt.Errorf("read pins %q: %w", path, err)
	}
	for _, id := range ids {
		all[id] = true
	}
	return all, nil
}

// has reports whether a session is pinned.
func (p pins) has(info *catalog.Info) bool {
	return info.ID != "" && (p.own[info.ID] || info.Agent == dialect.Omp && p.omp[info.ID])
}

// pin pins sessions, or no longer, and returns those of which that is not for us
// to say: omp pinned them.
func (a *app) pin(ids []string, on bool) (refused []string, err error) {
	if _, err := readPins(a.pinsFile()); err != nil { // nothing that cannot be read is overwritten
		if err := vfs.OS().Rename(a.pinsFile(), a.pinsFile()+".damaged"); err != nil {
			return nil, err
		}
	}
	p := a.pinned()
	for _, id := range ids {
		switch {
		case id == "":
		case on:
			p.own[id] = true
		case p.omp[id]:
			refused = append(refused, id)
			fallthrough
		default:
			delete(p.own, id)
		}
	}
	all := make([]string, 0, len(p.own))
	for id := range p.own {
		all = append(all, id)
	}
	slices.Sort(all)
	data, err := json.Marshal(all, jsontext.WithIndent("\t"))
	if err != nil {
		return refused, fmt.Errorf("write pins: %w", err)
	}
	return refused, replaceFile(a.pinsFile(), append(data, '\n'))
}

// replaceFile writes a small file of Cambium's own so that at any time the old
// or the new one is there, whole.
func replaceFile(path string, data []byte) (err error) {
	fsys := vfs.OS()
	if _, err := vfs.MkdirAll(fsys, filepath.Dir(path)); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-"+rand.Text()[:10])
	f, err := fsys.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if _, err = vfs.WriteAll(f, data); err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = fsys.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	return nil
}
