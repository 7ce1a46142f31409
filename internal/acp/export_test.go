package acp

import (
	"bytes"
	"context"
	"encoding/json" // the type of the SDK
	"strings"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/replay"
	"github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// Encoded is encoded.
var Encoded = encoded

// Before is before.
func Before(dir, path string) (string, bool) { return before(dir, path) }

// Told returns the lines by which messages are told: as they are stored where that can
// be, or each decoded; and how many were told as they are stored.
func Told(items []replay.Item, decode bool) (told []string, passed int) {
	var out bytes.Buffer
	q := newQueue(&out)
	h := &held{id: "s", told: newTold(), s: &server{lines: &lines{queue: q}}}
	h.s.conn = acp.NewConnection(func(context.Context, string, json.RawMessage) (any, *acp.RequestError) { return nil, nil }, q, strings.NewReader(""))
	for _, item := range items {
		h.told.message = ""
		if decode || !h.passed(item, partsOf(item.JSON)) {
			h.decoded(item)
		} else {
			passed++
		}
	}
	q.close(time.Minute)
	return strings.Split(out.String(), "\n"), passed
}

// Passes reports whether a text is passed on as it is stored.
func Passes(text entry.JSON) bool {
	m := partsOf(append(append([]byte(`{"content":`), text...), '}'))
	return plain(m.content)
}

// Blocks tells the blocks of content: the kind of each and its text.
func Blocks(content entry.JSON) (all string, ok bool) {
	ok = blocksIn(content, func(b block) bool {
		if len(b.raw) == 0 || !jsontext.Value(b.raw).IsValid(jsontext.AllowDuplicateNames(true)) {
			all += "broken "
		}
		all += b.kind + ":" + string(b.text) + " "
		return true
	})
	return all, ok
}
