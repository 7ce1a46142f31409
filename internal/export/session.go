package export

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/cambium-dev/cambium/internal/redact"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// A Session is what is exported.
type Session struct {
	Title, ID, Agent, CWD string
	// Began is when it began, zero where that is not known.
	Began time.Time
	// Entries is how many the session has.
	Entries int
	// Steps yields what is to be written.
	Steps iter.Seq2[transcript.Step, error]
}

// Options say what is written.
type Options struct {
	// NoTools leaves out calls of tools and what they answered, NoThinking reasoning.
	NoTools, NoThinking bool
	// NoScript writes pages without the script, which adds a search, folding and copying.
	NoScript bool
	// Redact, if not nil, takes secrets, homes and names of users out of all texts.
	Redact *redact.Redactor
	// Zone is that of the times.
	Zone *time.Location
	// Told, if not nil, is called with each step that was written.
	Told func()
}

// A Report counts what was written.
type Report struct {
	// Messages, Pictures and Sides are those that were written: Sides are branches beside
	// the one that is read.
	Messages, Pictures, Sides int
	// Entries is how many there are in JSON.
	Entries int
	// Pages is how many pages of HTML there are.
	Pages int
}

// A Place makes the files of an export.
type Place interface {
	// Create begins a file. It is closed before the next one begins.
	Create(name string) (io.WriteCloser, error)
}

// steps yields the steps of a session as they are to be written: redacted, and without
// what is left out.
func (o Options) steps(ctx context.Context, s Session) iter.Seq2[transcript.Step, error] {
	return func(yield func(transcript.Step, error) bool) {
		for step, err := range s.Steps {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(step, err)
				return
			}
			if o.Told != nil {
				o.Told()
			}
			if step.Turn == transcript.Along && step.Part.Sort == transcript.Said && !o.chosen(&step.Part.Message) {
				continue
			}
			if o.Redact != nil {
				step = o.clean(step)
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

// chosen takes out of a message what is left out, and reports whether anything stays.
func (o Options) chosen(m *transcript.Message) bool {
	if o.NoTools && m.Who == transcript.Tool {
		return false
	}
	if !o.NoTools && !o.NoThinking || len(m.Blocks) == 0 {
		return true
	}
	var kept []transcript.Block
	for _, b := range m.Blocks {
		switch b.Kind {
		case transcript.Thinking, transcript.Withheld, transcript.Encrypted:
			if o.NoThinking {
				continue
			}
		case transcript.Call:
			if o.NoTools {
				continue
			}
		}
		kept = append(kept, b)
	}
	m.Blocks = kept
	return len(kept) > 0
}

// when writes a time as people read it.
func (o Options) when(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return time.UnixMilli(ms).In(o.zone()).Format("2006-01-02 15:04:05")
}

func (o Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// facts says what is known of a session, in few words each.
func (o Options) facts(s Session) (all []string) {
	if s.Agent != "" {
		all = append(all, "session of "+s.Agent)
	}
	if !s.Began.IsZero() {
		all = append(all, o.when(s.Began.UnixMilli()))
	}
	if s.CWD != "" {
		all = append(all, s.CWD)
	}
	return append(all, fmt.Sprintf("%d entries", s.Entries), s.ID)
}
