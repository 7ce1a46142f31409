package foreign

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mosaic"
)

// A Writer writes lines of Cambium: objects in objects, whose values are new or stand in a
// file. Whoever calls it opens and closes what is to be valid JSON. The zero Writer is ready.
type Writer struct {
	Lines mosaic.Builder
	comma bool // what comes next needs one before it
	buf   []byte
}

// Open begins an object or an array.
func (w *Writer) Open(bracket byte) {
	w.sep()
	w.Lines.Bytes([]byte{bracket})
	w.comma = false
}

// Close ends it.
func (w *Writer) Close(bracket byte) {
	w.Lines.Bytes([]byte{bracket})
	w.comma = true
}

// End ends a line.
func (w *Writer) End() {
	w.Lines.Bytes([]byte{'\n'})
	w.comma = false
}

// Key begins a member.
func (w *Writer) Key(key string) {
	w.sep()
	w.buf = append(jsonedit.Quote(w.buf[:0], key), ':')
	w.Lines.Bytes(w.buf)
}

// Text writes a string, or a member that is one where key is not "".
func (w *Writer) Text(key, text string) {
	w.key(key)
	w.buf = jsonedit.Quote(w.buf[:0], text)
	w.Lines.Bytes(w.buf)
	w.comma = true
}

// Raw writes a value as it stands in raw, which is copied.
func (w *Writer) Raw(key string, raw []byte) {
	w.key(key)
	w.Lines.Bytes(raw)
	w.comma = true
}

// Cut writes a value that stands in a file from off on, as [mosaic.Builder.Cut] does.
func (w *Writer) Cut(key string, file int, off int64, raw []byte) {
	w.key(key)
	w.Lines.Cut(file, off, raw)
	w.comma = true
}

// Entry begins the line of an entry; parent is "" for none, timestamp as the programs write
// it. Members may follow, then Close('}') and End.
func (w *Writer) Entry(kind, id, parent, timestamp string) {
	w.Open('{')
	w.Text("type", kind)
	w.Text("id", id)
	if parent == "" {
		w.Raw("parentId", []byte("null"))
	} else {
		w.Text("parentId", parent)
	}
	w.Text("timestamp", timestamp)
}

func (w *Writer) key(key string) {
	if key != "" {
		w.Key(key)
		return
	}
	w.sep()
}

// sep writes the comma that is due.
func (w *Writer) sep() {
	if w.comma {
		w.Lines.Bytes([]byte{','})
	}
	w.comma = false
}
