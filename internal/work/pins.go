package work

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Pins are the sessions that somebody wants on top. They are kept by id, so that they stay so
// where they move, in a file of Cambium's state directory: a JSON array, as omp
// 18.2.3 keeps its own. Those of omp are read, and left as they are.
type Pins struct{ own, omp map[string]bool }

// maxPins is the size from which on a file of pins is none, in bytes.
const maxPins = 1 << 20

// Pins reads the pins. A file that is not there or cannot be read pins none.
func (l *Library) Pins() Pins {
	own, _ := readPins(l.PinsFile())
	omp, _ := readPins(l.Home(dialect.Omp).Pins)
	return Pins{own: own, omp: omp}
}

// PinsFile is the file that keeps them.
func (l *Library) PinsFile() string {
	return filepath.Join(places.Own(l.Env).State, "pins.json")
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

// Has reports whether a session is pinned.
func (p Pins) Has(info *catalog.Info) bool {
	return info.ID != "" && (p.own[info.ID] || info.Agent == dialect.Omp && p.omp[info.ID])
}

// Pin pins sessions, or no longer, and returns those of which that is not for us
// to say: omp pinned them.
func (l *Library) Pin(ids []string, on bool) (refused []string, err error) {
	if _, err := readPins(l.PinsFile()); err != nil { // nothing that cannot be read is overwritten
		if err := vfs.OS().Rename(l.PinsFile(), l.PinsFile()+".damaged"); err != nil {
			return nil, err
		}
	}
	p := l.Pins()
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
	return refused, replaceFile(l.PinsFile(), append(data, '\n'))
}
