package state

import (
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Draft says where a draft's session belongs.
type Draft struct {
	// Path is the absolute path at which the session is to be written.
	Path string
	// Agent is the session's dialect.
	Agent string
}

// Suffix ends the name of every draft.
const Suffix = ".jsonl"

// Dir returns the directory of drafts in the state directory dir.
func Dir(dir string) string { return filepath.Join(dir, "drafts") }

// Name returns the path of a draft of the session id in the state directory
// dir. The tag keeps apart two drafts of one id; it should be random.
func Name(dir, id, tag string) string {
	return filepath.Join(Dir(dir), safe(id)+"."+tag+Suffix)
}

// safe makes an id a file name: what is not a plain character becomes a dash.
func safe(id string) string {
	if len(id) > 100 {
		id = id[:100]
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

// Mark returns the header line with the mark of a draft. Other content of its
// cambium member stays.
func Mark(header []byte, d Draft) []byte {
	mark := new(jsonedit.Object).String("path", d.Path).String("agent", d.Agent).Value()
	member, ok := jsonedit.Get(header, "cambium")
	if !ok || jsonedit.Kind(member) != '{' {
		member = []byte("{}")
	}
	return jsonedit.Set(header, "cambium", jsonedit.Set(member, "draft", mark))
}

// Unmark returns the header line without the mark: byte for byte what [Mark]
// was given, if that had no cambium member or a filled object there.
func Unmark(header []byte) []byte {
	member, ok := jsonedit.Get(header, "cambium")
	if !ok {
		return header
	}
	if _, ok := jsonedit.Get(member, "draft"); !ok {
		return header
	}
	rest := jsonedit.Delete(member, "draft")
	for range jsonedit.Members(rest) {
		return jsonedit.Set(header, "cambium", rest)
	}
	return jsonedit.Delete(header, "cambium")
}

// ReadMark returns the mark of a header line, and false when it is not that of
// a draft.
func ReadMark(header []byte) (Draft, bool) {
	path, ok := jsonedit.Path(header, "cambium", "draft", "path")
	if !ok {
		return Draft{}, false
	}
	var d Draft
	if d.Path, ok = jsonedit.String(path); !ok {
		return Draft{}, false
	}
	if agent, ok := jsonedit.Path(header, "cambium", "draft", "agent"); ok {
		d.Agent, _ = jsonedit.String(agent)
	}
	return d, true
}
