package entry

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// CurrentVersion is the version of the session format that is written, and the
// highest that can be appended to.
const CurrentVersion = 3

// A Header is the first record of a session file (published P1, P4, P5). Which
// program writes a field is said beside it; all read what they do not write as
// if it were absent. Fields that are not listed survive in Raw.
type Header struct {
	// Version is the format version; 1 when the file does not say.
	Version float64
	ID      string
	// Timestamp is when the session was created, as written.
	Timestamp string
	// CWD is the working directory; "" when absent or not a string.
	CWD string
	// Title and TitleSource ("auto" or "user") are written by omp, xcsh and
	// cambium, and by omp in the title slot, which wins (Slot).
	Title       string
	TitleSource string
	// ParentSession is the id or path of the session this one came from.
	// Opaque: programs write either (published P1).
	ParentSession string
	// AdditionalDirectories, PreviousSessionFiles (absolute old paths, by
	// moves) and ProviderPromptCacheKey (inherited by forks) are omp's.
	AdditionalDirectories  []string
	PreviousSessionFiles   []string
	ProviderPromptCacheKey string

	// Slot is omp's title slot before the header, nil if there is none.
	Slot *Slot

	// Raw is the line as stored, nil for a header not read from a file. It
	// must not be changed.
	Raw []byte
}

// A Slot is the content of omp's title slot, the record of exactly 256 bytes
// before the header of an omp file (omp 18.2.3).
type Slot struct {
	Title     string
	Source    string // "auto", "user" or ""
	UpdatedAt string
	// Len is the length of the stored line in bytes with its newline. A slot
	// may be overwritten in place only if it is 256.
	Len int
}

// ParseHeader reads a session header from a JSON object and reports whether it
// is one: type "session" and a string id, which may be empty.
func ParseHeader(raw []byte) (Header, bool) {
	typ, _ := jsonedit.Get(raw, "type")
	if s, ok := jsonedit.String(typ); !ok || s != "session" {
		return Header{}, false
	}
	h := Header{Version: 1, Raw: raw}
	for key, value := range jsonedit.Members(raw) {
		text, isText := jsonedit.String(value)
		switch key {
		case "version":
			h.Version = version(value)
		case "id":
			if !isText {
				return Header{}, false
			}
			h.ID = text
		case "timestamp":
			h.Timestamp = text
		case "cwd":
			h.CWD = text
		case "title":
			h.Title = text
		case "titleSource":
			h.TitleSource = text
		case "parentSession":
			h.ParentSession = text
		case "providerPromptCacheKey":
			h.ProviderPromptCacheKey = text
		case "additionalDirectories":
			h.AdditionalDirectories = texts(value)
		case "previousSessionFiles":
			h.PreviousSessionFiles = texts(value)
		}
	}
	if _, ok := jsonedit.Get(raw, "id"); !ok {
		return Header{}, false
	}
	return h, true
}

// Effective returns the title and its source with the slot folded in: where
// there is a slot, its title wins, and an empty one means no title (omp 18.2.3).
func (h *Header) Effective() (title, source string) {
	if h.Slot != nil {
		return h.Slot.Title, h.Slot.Source
	}
	return h.Title, h.TitleSource
}

// headerOrder is the order of fields in a header that is written anew.
var headerOrder = []string{
	"version", "id", "timestamp", "cwd", "parentSession", "providerPromptCacheKey",
	"additionalDirectories", "previousSessionFiles", "title", "titleSource",
}

// Encode returns the header as one line without newline: type, then its fields
// in the given order, those that are not named in the usual one; absent
// optional ones are left out. Raw is not consulted.
func (h *Header) Encode(order ...string) []byte {
	b := append([]byte(nil), `{"type":"session"`...)
	for _, key := range order {
		b = h.field(b, key)
	}
	for _, key := range headerOrder {
		if !slices.Contains(order, key) {
			b = h.field(b, key)
		}
	}
	return append(b, '}')
}

func (h *Header) field(b []byte, key string) []byte {
	name := func() {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
	}
	text := func(value string, always bool) []byte {
		if value == "" && !always {
			return b
		}
		name()
		return jsonedit.Quote(b, value)
	}
	list := func(values []string) []byte {
		if len(values) == 0 {
			return b
		}
		name()
		for i, v := range values {
			b = append(b, "[,"[min(i, 1)])
			b = jsonedit.Quote(b, v)
		}
		return append(b, ']')
	}
	switch key {
	case "version":
		name()
		if math.IsNaN(h.Version) || math.IsInf(h.Version, 0) {
			return append(b, "null"...)
		}
		return strconv.AppendFloat(b, h.Version, 'f', -1, 64)
	case "id":
		return text(h.ID, true)
	case "timestamp":
		return text(h.Timestamp, true)
	case "cwd":
		return text(h.CWD, true)
	case "parentSession":
		return text(h.ParentSession, false)
	case "providerPromptCacheKey":
		return text(h.ProviderPromptCacheKey, false)
	case "additionalDirectories":
		return list(h.AdditionalDirectories)
	case "previousSessionFiles":
		return list(h.PreviousSessionFiles)
	case "title":
		return text(h.Title, false)
	case "titleSource":
		return text(h.TitleSource, false)
	}
	return b
}

// version reads a version as JavaScript compares it with a number: null is as
// good as absent, true is 1, a string counts if it spells a number. NaN, which is
// neither above nor below any version, is anything else.
func version(raw []byte) float64 {
	if n, ok := jsonedit.Number(raw); ok {
		return n
	}
	if text, ok := jsonedit.String(raw); ok {
		text = strings.TrimSpace(text)
		if text == "" {
			return 0
		}
		if n, ok := jsonedit.Number([]byte(strings.TrimPrefix(text, "+"))); ok {
			return n
		}
		return math.NaN()
	}
	switch string(raw) {
	case "null", "true":
		return 1
	case "false":
		return 0
	}
	return math.NaN()
}

func texts(raw []byte) []string {
	var all []string
	for v := range jsonedit.Elements(raw) {
		if s, ok := jsonedit.String(v); ok {
			all = append(all, s)
		}
	}
	return all
}
