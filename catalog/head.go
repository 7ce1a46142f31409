package catalog

import (
	"bytes"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
)

const (
	// prefix is how much of a file is read to know it at a glance, in bytes
	// (published P3). What begins in it and does not end there is read on.
	prefix = 4096
	// maxPrefix is how far that goes.
	maxPrefix = 256 << 10
)

// A head is what the beginning of a session file tells.
type head struct {
	header entry.Header
	found  bool   // a header was
	lines  bool   // entries were
	prompt string // the text of the first prompt
	done   bool   // nothing further is to be learnt
}

// headerOf returns the header at the beginning of a file.
func headerOf(log io.ReaderAt) (entry.Header, bool) {
	var h head
	h.read(log, make([]byte, prefix), false)
	return h.header, h.found
}

// read reads the beginning of a file: until the header is known and, if that is
// wanted, the first prompt. buf is where the reading begins.
func (h *head) read(log io.ReaderAt, buf []byte, prompt bool) {
	var blocks blocks
	for {
		n, err := log.ReadAt(buf, 0)
		whole := err != nil || n < len(buf)
		*h = head{}
		h.parse(buf[:n], whole, prompt, &blocks)
		if h.done || whole || len(buf) >= maxPrefix {
			return
		}
		buf = make([]byte, 4*len(buf))
	}
}

// parse looks at the lines of a prefix; whole says that it is the whole file.
func (h *head) parse(text []byte, whole, prompt bool, blocks *blocks) {
	if text := jsonl.Trim(text, 0).In(text); len(text) > 0 && text[0] == '[' {
		for _, s := range jsonl.Objects(text, "") {
			if h.line(s.In(text), prompt, blocks); h.done {
				return
			}
		}
		return
	}
	for off := int64(0); len(text) > 0 && !h.done; {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if !ended && !whole {
			return
		}
		in := jsonl.Trim(line, off)
		h.line(line[in.Start:in.End], prompt, blocks)
		off += int64(len(text) - len(rest))
		text = rest
	}
}

func (h *head) line(line []byte, prompt bool, blocks *blocks) {
	var e entry.Envelope
	if len(line) == 0 || e.Scan(line) != nil {
		return
	}
	switch e.Kind {
	case entry.Title:
		if slot, ok := spelling.ParseSlot(line); ok && !h.found && h.header.Slot == nil {
			h.header.Slot = &slot
		}
	case entry.Session:
		if h.found {
			return
		}
		slot := h.header.Slot
		if h.header, h.found = entry.ParseHeader(bytes.Clone(line)); h.found {
			h.header.Slot = slot
			h.done = !prompt
		}
	case entry.Message:
		h.lines = true
		switch e.Role {
		case entry.RoleUser:
			content, _ := entryContent(line, &e)
			if said := blocks.text(content); len(said) > 0 {
				h.prompt, h.done = string(said), true
			}
		case entry.RoleAssistant, entry.RoleToolResult:
			h.done = true // nobody asked before it
		}
	case entry.Unknown:
	default:
		h.lines = true
	}
	if h.done && !h.found {
		h.done = !h.lines // a header may still come, but hardly does
	}
}

// contentQuery finds the content of a message.
var contentQuery = jsonl.Query{Keys: []string{"content"}, Inside: -1}

// entryContent returns the raw content of a message entry.
func entryContent(line []byte, e *entry.Envelope) ([]byte, bool) {
	var found [1]jsonl.Span
	body := e.Body.In(line)
	if body == nil || contentQuery.Scan(body, found[:]) != nil {
		return nil, false
	}
	return found[0].In(body), found[0].Present()
}
