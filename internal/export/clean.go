package export

import (
	"bytes"
	"encoding/base64"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/redact"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// session returns what is said of a session with its texts redacted.
func (o Options) session(s Session) Session {
	if o.Redact != nil {
		text := o.Redact.Text
		s.Title, s.CWD, s.ID, s.Agent = text(s.Title), text(s.CWD), text(s.ID), text(s.Agent)
	}
	return s
}

// clean redacts every text of a step. A picture is left as it is: nothing is read in it.
func (o Options) clean(s transcript.Step) transcript.Step {
	text := o.Redact.Text
	s.ID, s.Label = text(s.ID), text(s.Label) // an id is what its program, or anybody, wrote
	s.Part.Text, s.Part.Note = text(s.Part.Text), text(s.Part.Note)
	m := &s.Part.Message
	m.Name, m.Diff = text(m.Name), text(m.Diff)
	blocks := make([]transcript.Block, len(m.Blocks))
	for i, b := range m.Blocks {
		b.Name, b.Text, b.Arguments = text(b.Name), text(b.Text), jsonText(o.Redact, b.Arguments)
		b.Image = o.image(b.Image)
		if b.File != nil {
			f := *b.File
			f.Path, f.Content, f.SkippedReason, f.Image = text(f.Path), text(f.Content), text(f.SkippedReason), o.image(f.Image)
			b.File = &f
		}
		blocks[i] = b
	}
	m.Blocks = blocks
	return s
}

// image redacts what is said of a picture, and the bytes of what is none.
func (o Options) image(i *message.Image) *message.Image {
	if i == nil {
		return nil
	}
	c := *i
	c.MimeType = o.Redact.Text(c.MimeType)
	if _, err := base64.StdEncoding.DecodeString(c.Data); err != nil {
		c.Data = o.Redact.Text(c.Data)
	}
	return &c
}

// jsonText redacts the texts and the names in a JSON value. Keys beside their values are looked
// at, too: a secret is often known by its name.
func jsonText(r *redact.Redactor, v entry.JSON) entry.JSON {
	if len(v) == 0 {
		return v
	}
	if whole := []byte(r.Text(string(v))); !bytes.Equal(whole, v) && jsontext.Value(whole).IsValid() {
		v = whole
	}
	return jsonedit.Walk(v, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		text, ok := jsonedit.String(v)
		if !ok {
			return nil, jsonedit.Into
		}
		if now := r.Text(text); now != text {
			return jsonedit.Quoted(now), jsonedit.Keep
		}
		return nil, jsonedit.Keep
	}})
}
