package export

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/redact"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// mostTitle is how long a title is, in cells.
const mostTitle = 120

// About returns what is said of a session: its texts redacted, and the title cut after
// that. Of its own result it changes nothing.
func (o Options) About(s Session) Session {
	if o.Redact != nil {
		text := o.Redact.Text
		s.Title, s.CWD, s.ID, s.Agent = text(s.Title), text(s.CWD), text(s.ID), text(s.Agent)
	}
	s.Title = term.Cut(term.Line(s.Title), mostTitle)
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

// image redacts what is said of a picture. Its data is not shown as text, but for the name
// of a blob.
func (o Options) image(i *message.Image) *message.Image {
	if i == nil {
		return nil
	}
	c := *i
	c.MimeType = o.Redact.Text(c.MimeType)
	return &c
}

// jsonText redacts the texts in a JSON value: the whole of it, since a secret is often known
// by the name beside it. Where that would leave no JSON, each text is redacted behind its name.
func jsonText(r *redact.Redactor, v entry.JSON) entry.JSON {
	if len(v) == 0 {
		return v
	}
	whole := []byte(r.Text(string(v)))
	valid := jsontext.Value(whole).IsValid()
	if valid {
		v = whole
	}
	return jsonedit.Walk(v, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		text, ok := jsonedit.String(v)
		if !ok {
			return nil, jsonedit.Into
		}
		now := r.Text(text)
		if name := at.Key + "="; !valid && now == text {
			if named, ok := strings.CutPrefix(r.Text(name+text), name); ok {
				now = named
			}
		}
		if now == text {
			return nil, jsonedit.Keep
		}
		return jsonedit.Quoted(now), jsonedit.Keep
	}})
}
