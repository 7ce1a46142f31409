package catalog

import (
	"context"
	"io"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/source"
)

// maxPins is how much of a list of pins is read, in bytes.
const maxPins = 1 << 20

// pins are the ids of the sessions that are pinned, by dialect (omp 18.2.3: an
// array in a file of the agent directory). A list that cannot be read has none.
type pins map[dialect.Name]map[string]bool

func (o *Options) pins(ctx context.Context) pins {
	all, from := pins{}, o.source()
	for _, p := range o.places() {
		if p.Pins == "" {
			continue
		}
		raw, err := small(ctx, from, p.Pins)
		if err != nil {
			continue
		}
		ids := map[string]bool{}
		for e := range jsonedit.Elements(raw) {
			if id, ok := jsonedit.String(e); ok {
				ids[id] = true
			}
		}
		all[dialect.Name(p.Name)] = ids
	}
	return all
}

// small reads a small file.
func small(ctx context.Context, from source.Source, name string) ([]byte, error) {
	f, err := from.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return io.ReadAll(io.NewSectionReader(f, 0, maxPins))
}
