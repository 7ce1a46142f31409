package transcript

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// whole puts back into a message what was cut for its length when it was stored.
func (r *Reader) whole(ctx context.Context, raw entry.JSON, i int) entry.JSON {
	if r.o.Blobs == nil {
		return raw
	}
	line, err := r.s.Stored(i)
	if err != nil {
		return raw
	}
	for _, c := range spelling.Cuts(line) {
		ref, ok := blob.ParseRef(c.Ref)
		if !ok {
			continue
		}
		text, err := r.o.Blobs.Read(ctx, ref)
		if err != nil {
			if r.o.Trouble != nil {
				r.o.Trouble(fmt.Sprintf("read the whole text of line %d: %v", r.list.At(i).Line, err))
			}
			continue
		}
		path := c.Path
		if len(path) > 0 && path[0] == "message" {
			path = path[1:]
		}
		raw = replaceAt(raw, path, jsonedit.Quoted(string(text)))
	}
	return raw
}

// replaceAt returns v with another value where path leads, v where it leads
// nowhere.
func replaceAt(v entry.JSON, path []string, value entry.JSON) entry.JSON {
	if len(path) == 0 {
		return value
	}
	if jsonedit.Kind(v) == jsontext.KindBeginObject {
		if member, ok := jsonedit.Get(v, path[0]); ok {
			return jsonedit.Set(v, path[0], replaceAt(member, path[1:], value))
		}
		return v
	}
	at, err := strconv.Atoi(path[0])
	if err != nil || jsonedit.Kind(v) != jsontext.KindBeginArray {
		return v
	}
	var out jsonedit.Array
	n := 0
	for e := range jsonedit.Elements(v) {
		if n == at {
			e = replaceAt(e, path[1:], value)
		}
		out.Add(e)
		n++
	}
	return out.Value()
}
