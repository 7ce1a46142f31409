package print

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// indent stands before the text of a message.
const indent = "  "

// A view prints one branch of a session for a person to read. Write errors are
// kept; err returns the first.
type view struct {
	c    *console.Console
	o    ShowOptions
	w    io.Writer
	s    *session.Session
	list *entry.List
	read *transcript.Reader

	blobs   *blob.Dir // nil when the dialect has none
	labels  map[string]string
	palette term.Palette
	cols    int
	day     string // of the last message
	model   string // that gave the last answer
	line    []byte // the last line, to be used again
	err     error
}

// ShowOptions say how a session is shown.
type ShowOptions struct {
	// Full collapses nothing.
	Full bool
	// Strict takes links between entries as they are written.
	Strict bool
	// Blobs is the directory with the session's blobs, "" for none; Exists reports
	// whether a file is there.
	Blobs  string
	Exists func(path string) bool
}

// newView returns a view of s that writes to w.
func newView(c *console.Console, w io.Writer, s *session.Session, o ShowOptions) (*view, error) {
	v := &view{c: c, o: o, w: w, s: s, list: s.List(), palette: c.Palette, cols: max(c.Cols, 20)}
	if o.Blobs != "" {
		v.blobs = blob.OpenDir(o.Blobs, blob.DirOptions{})
	}
	v.read = transcript.NewReader(s, transcript.Options{
		Full: o.Full, Blobs: v.blobs, Trouble: func(text string) { c.Note(s.Path(), text) },
	})
	labels, err := tree.Of(s.Tree()).Labels()
	if err != nil {
		return nil, err
	}
	v.labels = map[string]string{}
	for _, l := range labels {
		v.labels[l.TargetID] = l.Text
	}
	return v, nil
}

// indented writes a finished line of a text, of which there may be millions.
func (v *view) indented(line string) {
	v.line = append(append(v.line[:0], indent...), line...)
	v.line = append(bytes.TrimRight(v.line, " "), '\n')
	if v.err == nil {
		_, v.err = v.w.Write(v.line)
	}
}

// println writes a finished line.
func (v *view) println(line string) {
	if v.err == nil {
		_, v.err = fmt.Fprintln(v.w, strings.TrimRight(line, " "))
	}
}

// text writes stored text, wrapped and indented, each line styled.
func (v *view) text(s string, style func(string) string) {
	for line := range term.Wrapped(strings.TrimRight(term.Safe(s), "\n \t"), v.cols-len(indent)) {
		if style != nil && line != "" {
			line = style(line)
		}
		v.indented(line)
	}
}

// folded writes at most n lines of stored text and says how much there is more.
func (v *view) folded(s string, n int, style func(string) string) {
	if v.o.Full {
		v.text(s, style)
		return
	}
	s = strings.TrimRight(s, "\n \t")
	head := transcript.FirstLines(s, n+1, (n+1)*v.cols*4)
	lines := term.Wrap(strings.TrimRight(term.Safe(head), "\n \t"), v.cols-len(indent))
	rest := strings.Count(s[len(head):], "\n")
	if len(head) < len(s) && !strings.HasPrefix(s[len(head):], "\n") {
		rest++ // the line that was cut
	}
	if len(lines) > n+1 || rest > 0 && len(lines) > n { // one line takes no more room than saying so
		rest += len(lines) - n
		lines = lines[:n]
	}
	for _, line := range lines {
		if style != nil && line != "" {
			line = style(line)
		}
		v.println(indent + line)
	}
	if rest > 0 {
		v.println(indent + v.palette.Dim(term.Cut(fmt.Sprintf("… %s more, %s in all", term.Plural(rest, "line"), term.Bytes(int64(len(s)))), v.cols-len(indent))))
	}
}

// head writes the line above a message: who speaks on the left, what it costs,
// when and its id on the right.
func (v *view) head(who string, style func(string) string, note string, i, tokens int) {
	var right []string
	if tokens > 0 {
		right = append(right, "~"+transcript.Count(tokens))
	}
	if i >= 0 {
		if t := v.time(i); !t.IsZero() {
			v.date(t)
			right = append(right, t.Format("15:04"))
		}
		if id, ok := v.list.ID(i); ok {
			right = append(right, term.Cut(term.Line(id), 12))
		}
	}
	side := strings.Join(right, "  ")
	left := who
	if note != "" {
		left += "  " + term.Line(note)
	}
	label := ""
	if i >= 0 {
		label = v.label(i)
	}
	room := max(v.cols-term.Width(side)-2, 8)
	left = term.Cut(left, room)
	line := style(left)
	if n := len(who); len(left) > n && strings.HasPrefix(left, who) {
		line = style(who) + v.palette.Dim(left[n:])
	}
	if label != "" && term.Width(left)+4+term.Width(label) <= room {
		line += "  " + v.palette.Yellow("["+label+"]")
		left += "  [" + label + "]"
	}
	v.println("")
	v.println(line + strings.Repeat(" ", max(v.cols-term.Width(left)-term.Width(side), 1)) + v.palette.Dim(side))
}

// date writes the day, when it is another than that of the message before.
func (v *view) date(t time.Time) {
	day := t.Format("Monday, 2 January 2006")
	if day == v.day {
		return
	}
	v.day = day
	v.rule(day, v.palette.Dim)
}

// rule writes a line across with words in it.
func (v *view) rule(words string, style func(string) string) {
	words = term.Cut(term.Line(words), v.cols-6)
	v.println("")
	v.println(style("── " + words + " " + strings.Repeat("─", max(v.cols-4-term.Width(words), 2))))
}

// aside writes one dim line about what is not said aloud.
func (v *view) aside(text string, i int) {
	side := ""
	if id, ok := v.list.ID(i); ok {
		side = term.Cut(term.Line(id), 12)
	}
	text = term.Cut("· "+term.Line(text), max(v.cols-term.Width(side)-2, 8))
	gap := strings.Repeat(" ", max(v.cols-term.Width(text)-term.Width(side), 1))
	v.println(v.palette.Dim(text + gap + side))
}

// label returns the label of entry i, "" for none.
func (v *view) label(i int) string {
	id, ok := v.list.ID(i)
	if !ok {
		return ""
	}
	return term.Line(v.labels[id])
}

// time returns when entry i was made, in the clock's time zone; the zero time
// when it does not say.
func (v *view) time(i int) time.Time {
	ms := v.list.Time(i)
	if ms == entry.NoTime {
		return time.Time{}
	}
	return time.UnixMilli(ms).In(v.c.Now().Location())
}
