package print

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ContextOptions say what is shown of a context.
type ContextOptions struct {
	ShowOptions
	// Leaf is the last entry of the branch, nil for none; Root says that the context is
	// the one before any entry.
	Leaf *entry.ID
	Root bool
	// Sent shows the messages as they are sent to a model.
	Sent bool
}

// Context prints what the model sees.
func Context(ctx context.Context, c *console.Console, s *session.Session, model *replay.Context, o ContextOptions) error {
	if c.JSON {
		return contextJSON(ctx, c, s, model, o)
	}
	return c.Page(ctx, func(w io.Writer) error { return contextText(ctx, c, w, s, model, o) })
}

// contextJSON prints the context as one value. Messages are written as they are
// read: no more than one is held.
func contextJSON(ctx context.Context, c *console.Console, s *session.Session, model *replay.Context, o ContextOptions) error {
	w := c.Out
	id, err := json.Marshal(s.ID(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	leafID, err := json.Marshal(o.Leaf, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `{"sessionId":%s,"leafId":%s,"messages":`, id, leafID)
	var cleaned *replay.Cleaned
	if o.Sent {
		messages, counted := s.LLM(ctx, model)
		cleaned = counted
		if err := writeArray(w, messages); err != nil {
			return err
		}
	} else if err := model.WriteMessages(w); err != nil {
		return err
	}
	_ = w.WriteByte(',') // the writer keeps its error
	_, _ = w.Write(model.AppendState(nil, replay.FullShape))
	if cleaned != nil {
		fmt.Fprintf(w, `,"cleaned":{"surrogates":%d,"names":%d,"blobs":%d,"clipped":%d}`,
			cleaned.Surrogates, cleaned.Names, cleaned.Blobs, cleaned.Clipped)
	}
	if d := damageWith(s, model); d.Any() {
		c.Note(s.Path(), d.String())
		text, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, `,"damage":%s`, text)
	}
	_, err = w.WriteString("}\n")
	return err
}

// damageWith is the session's damage with what came up while c was read.
func damageWith(s *session.Session, c *replay.Context) *defects.Report {
	d := defects.Of(s.Damage())
	list := s.List()
	told := make(map[int]bool, len(d.Flagged))
	for _, f := range d.Flagged {
		told[f.Line] = true
	}
	for _, i := range c.Flagged() {
		line := list.At(i).Line
		switch {
		case told[line]:
		case len(d.Flagged) >= defects.MaxTold:
			d.FlaggedMore++
		default:
			id, _ := list.ID(i)
			d.Flagged = append(d.Flagged, defects.Flag{Line: line, ID: id, Detail: "its content has the wrong type"})
		}
		told[line] = true
	}
	return d
}

// writeArray writes a sequence as a JSON array.
func writeArray(w *bufio.Writer, values func(func(entry.JSON, error) bool)) error {
	sep := byte('[')
	for value, err := range values {
		if err != nil {
			return err
		}
		_ = w.WriteByte(sep) // the writer keeps its error
		if _, err := w.Write(value); err != nil {
			return err
		}
		sep = ','
	}
	if sep == '[' {
		_ = w.WriteByte('[')
	}
	return w.WriteByte(']')
}

// contextText writes the context for a person.
func contextText(ctx context.Context, c *console.Console, w io.Writer, s *session.Session, model *replay.Context, o ContextOptions) error {
	v, err := newView(c, w, s, o.ShowOptions)
	if err != nil {
		return err
	}
	v.title()
	v.state(model)
	all, t := v.read.Context(ctx, model)
	if o.Sent {
		all, t = v.read.Sent(ctx, model)
	}
	if err := v.parts(all); err != nil {
		return err
	}
	v.println("")
	v.wrapDim(fmt.Sprintf("%s, about %s tokens", term.Plural(t.Messages, "message"), transcript.Count(t.Tokens)))
	if !o.Root {
		v.tips(model)
	}
	return v.err
}
