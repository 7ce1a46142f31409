package foreign

import (
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Thread writes entries, each behind the one before it. The zero Thread is ready.
type Thread struct {
	W Writer
	// Tail is the entry that the next one follows, "" for none.
	Tail  string
	taken map[string]int // the ids of entries, and how many there were of each
}

// Begin begins an entry whose id is like the one that is wanted. The time is in milliseconds
// since 1970.
func (t *Thread) Begin(kind, want string, at int64) (id string) {
	id = t.ID(want)
	t.W.Entry(kind, id, t.Tail, jsonedit.FormatTime(at))
	return id
}

// Done ends an entry.
func (t *Thread) Done(id string) {
	t.W.Close('}')
	t.W.End()
	t.Tail = id
}

// ID returns an id like the one that is wanted, which no entry has yet.
func (t *Thread) ID(want string) string {
	if t.taken == nil {
		t.taken = map[string]int{}
	}
	want = strings.ToValidUTF8(want, "\ufffd")
	if want == "" {
		want = "row"
	}
	id := want
	for t.taken[id] > 0 {
		t.taken[want]++
		id = want + "~" + strconv.Itoa(t.taken[want])
	}
	t.taken[id]++
	return id
}

// Custom writes an entry of what has no equal, and returns its id.
func (t *Thread) Custom(kind, want string, at int64, data []byte) string {
	id := t.Begin("custom", want, at)
	t.W.Text("customType", kind)
	t.W.Raw("data", data)
	t.Done(id)
	return id
}

// Text writes a block of text, which is a JSON string.
func (t *Thread) Text(text []byte) {
	t.W.Open('{')
	t.W.Text("type", "text")
	t.W.Raw("text", text)
	t.W.Close('}')
}

// Image writes a block that is a picture in base64.
func (t *Thread) Image(data, mime string) {
	t.W.Open('{')
	t.W.Text("type", "image")
	t.W.Text("data", data)
	t.W.Text("mimeType", mime)
	t.W.Close('}')
}

// Model writes that another model is asked from here on.
func (t *Thread) Model(want string, at int64, provider, model string) {
	id := t.Begin("model_change", want, at)
	t.W.Text("provider", provider)
	t.W.Text("modelId", model)
	t.Done(id)
}

// Name writes what the session is called.
func (t *Thread) Name(at int64, name string) {
	id := t.Begin("session_info", "title", at)
	t.W.Text("name", name)
	t.Done(id)
}
