package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
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
	return pins{own: readPins(a.pinsFile()), omp: readPins(a.home(dialect.Omp).Pins)}
}

func (a *app) pinsFile() string {
	return filepath.Join(layout.Own(a.env).State, "pins.json")
}

func readPins(path string) map[string]bool {
	all := map[string]bool{}
	if info, err := os.Stat(path); path == "" || err != nil || info.Size() > maxPins {
		return all
	}
	data, err := os.ReadFile(path)
	var ids []string
	if err != nil || json.Unmarshal(data, &ids) != nil {
		return all
	}
	for _, id := range ids {
		all[id] = true
	}
	return all
}

// has reports whether a session is pinned.
func (p pins) has(info *catalog.Info) bool {
	return info.ID != "" && (p.own[info.ID] || info.Agent == dialect.Omp && p.omp[info.ID])
}

// pin pins sessions, or no longer, and returns those of which that is not for us
// to say: omp pinned them.
func (a *app) pin(ids []string, on bool) (refused []string, err error) {
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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".pins-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
