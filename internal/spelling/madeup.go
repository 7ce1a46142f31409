package spelling

import (
	stdpath "path"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
)

// MadeUp returns a header for a log that has none: from what is legible of a
// torn one, else from the log's name and its entries.
func MadeUp(name, cwd string, torn []byte, x *entry.Index) entry.Header {
	h := entry.Header{Version: entry.CurrentVersion, CWD: cwd}
	base := stdpath.Base(name)
	if ts, id, ok := ident.ParseFileName(base); ok {
		h.Timestamp, h.ID = ts, id
	} else {
		h.ID = strings.TrimSuffix(base, ident.Ext)
	}
	if h.Timestamp == "" && x.Len() > 0 && x.Time(0) != entry.NoTime {
		h.Timestamp = jsonedit.FormatTime(x.Time(0))
	}
	if len(torn) > 0 {
		legible(torn, &h)
	}
	return h
}

// legible takes into h what can still be read of a torn header.
func legible(torn []byte, h *entry.Header) {
	keys := []string{"id", "timestamp", "cwd", "title", "titleSource", "parentSession"}
	into := []*string{&h.ID, &h.Timestamp, &h.CWD, &h.Title, &h.TitleSource, &h.ParentSession}
	for i, span := range jsonl.Legible(torn, keys) {
		if span.End > span.Start {
			*into[i] = string(jsonl.Unquote(nil, torn[span.Start:span.End]))
		}
	}
}

// WithArguments returns the content of a message with other arguments for a
// call, and false when the message does not make it.
func WithArguments(message []byte, callID string, arguments entry.JSON) (entry.JSON, bool) {
	content, _ := jsonedit.Get(message, "content")
	var out jsonedit.Array
	found := false
	for block := range jsonedit.Elements(content) {
		typ, _ := jsonedit.Text(block, "type")
		id, _ := jsonedit.Text(block, "id")
		if typ == "toolCall" && id == callID {
			found = true
			block = jsonedit.Set(block, "arguments", arguments)
		}
		out.Add(block)
	}
	return out.Value(), found
}
