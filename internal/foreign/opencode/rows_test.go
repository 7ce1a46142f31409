package opencode

import (
	"bytes"
	"testing"

	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

// FuzzRows makes entries of rows that hold anything: it ends, and the lines are whole.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"role":"user","model":{"providerID":"p","modelID":"m"}}`), []byte(`{"type":"text","text":"a"}`), []byte(`{"type":"compaction"}`), []byte(`{"messageID":"a"}`))
	f.Add([]byte(`{"role":"assistant","summary":true,"finish":"stop","parentID":"a"}`), []byte(`{"type":"tool","state":{"status":"completed","attachments":[{"mime":"image/png","url":"data:image/png;base64,AA=="}]}}`), []byte(`{"type":"reasoning","text":"","metadata":{"x":{"redactedData":"y"}}}`), []byte(``))
	f.Add([]byte(`{"role":"assistant","error":{"name":"MessageAbortedError"},"time":{"created":1e300}}`), []byte("\xff"), []byte(`[[[[`), []byte(`{"messageID":"b","partID":"1"}`))
	f.Fuzz(func(t *testing.T, message, one, two, revert []byte) {
		s := &stored{id: "ses", fields: map[string]database.Field{"revert": database.Of("revert", jsonedit.Quoted(string(revert))), "title": database.Of("title", jsonedit.Quoted(string(two)))}}
		s.messages = []row{
			{id: "a", data: []byte(`{"role":"user"}`), created: 1}, {id: "b", data: message, created: 2},
			{id: "c", data: []byte(`{"role":"assistant","summary":true,"finish":"stop","parentID":"b"}`), created: 3}, {id: string(one), data: message, created: -5},
		}
		for _, m := range s.messages {
			s.parts = append(s.parts, row{id: "1", message: m.id, data: one}, row{id: "2", message: m.id, data: two}, row{id: string(two), message: "b", data: one})
		}
		m := lines(s)
		text := make([]byte, m.Size())
		if _, err := m.ReadAt(text, 0); err != nil {
			t.Fatal(err)
		}
		_, _, damage, err := session.ParseEntries(text)
		if err != nil || damage.Any() {
			t.Fatalf("%v %v\n%s", err, damage, bytes.TrimSpace(text))
		}
	})
}
