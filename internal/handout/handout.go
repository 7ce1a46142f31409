package handout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/export"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/redact"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// large is how long a session is, in bytes, of which HTML is written as a directory of
// pages.
const large = 20 << 20

// Forms are the forms in which a session is written.
func Forms() []string { return []string{"html", "md", "json"} }

// Options say what is written, and where.
type Options struct {
	// To is one of Forms.
	To string
	// Path is where it is put, "" for a file in Dir that is named after the session. Out, if
	// not nil, takes it instead, as one file.
	Path, Dir string
	Out       io.Writer
	// Force has it take the place of a file that is there.
	Force bool
	// Leaf is the last entry of the branch that is written, -1 for none. All writes the
	// other branches, too. Strict takes links between entries as they are written.
	Leaf        int
	All, Strict bool
	// NoTools, NoThinking and NoScript are as in [export.Options].
	NoTools, NoThinking, NoScript bool
	// Redact takes out secrets, the home directory Home and the name User.
	Redact     bool
	Home, User string
	// Blobs is the directory with what was cut for its length, "" for none.
	Blobs string
	// Zone is that of the times.
	Zone *time.Location
	// Step is told how many entries of how many were written.
	Step func(done, total int)
	// Trouble is told what of an entry could not be read.
	Trouble func(text string)
}

// Done is what was written.
type Done struct {
	Path     string         `json:"path"`
	Messages int            `json:"messages"`
	Entries  int            `json:"entries,omitzero"`
	Pictures int            `json:"pictures"`
	Branches int            `json:"otherBranches"`
	Pages    int            `json:"pages,omitzero"`
	Redacted map[string]int `json:"redacted"`

	redacted bool
}

// Words says it in a line.
func (d Done) Words() string {
	what := term.Plural(d.Messages, "message")
	if d.Entries > 0 {
		what = term.Plural(d.Entries, "entry")
	}
	if d.Pages > 1 {
		what += " on " + term.Plural(d.Pages, "page")
	}
	if !d.redacted {
		return what + " written; nothing was taken out"
	}
	var taken []string
	for _, kind := range slices.Sorted(maps.Keys(d.Redacted)) {
		taken = append(taken, fmt.Sprintf("%d × %s", d.Redacted[kind], kind))
	}
	if len(taken) == 0 {
		return what + " written; nothing of a known form had to be taken out"
	}
	return what + " written; taken out: " + strings.Join(taken, ", ")
}

// Write writes the branch of a session that c is the context of. What is in the way at the
// path stays: the error is an [*fs.PathError] of [fs.ErrExist].
func Write(ctx context.Context, s *session.Session, c *replay.Context, o Options) (Done, error) {
	w := &writer{s: s, c: c, o: o, opt: export.Options{NoTools: o.NoTools, NoThinking: o.NoThinking, NoScript: o.NoScript, Zone: o.Zone}}
	n := 0
	w.opt.Told = func() { n++; o.Step(min(n, s.Len()), s.Len()) } // an entry may have several steps
	if o.Redact {
		w.opt.Redact = redact.New(redact.Options{Home: o.Home, User: o.User, Dirs: []string{s.CWD()}})
	}
	w.about = w.opt.About(about(s))
	if w.o.Path == "" {
		w.o.Path = filepath.Join(o.Dir, nameOf(w.about, o.To))
	}
	report, err := w.write(ctx)
	if err != nil {
		return Done{}, err
	}
	done := Done{w.o.Path, report.Messages, report.Entries, report.Pictures, report.Sides, report.Pages, map[string]int{}, o.Redact}
	if o.Redact {
		for kind, n := range w.opt.Redact.Found() {
			done.Redacted[kind] = n
		}
	}
	return done, nil
}

// about is what is known of a session.
func about(s *session.Session) export.Session {
	title, _ := s.Title()
	a := export.Session{Title: cmp.Or(title, firstPrompt(s), "Session "+s.ID()), ID: s.ID(), Agent: string(s.Dialect()), CWD: s.CWD(), Entries: s.Len()}
	if ms, ok := jsonedit.ParseTime(s.Header().Timestamp); ok {
		a.Began = time.UnixMilli(ms)
	}
	return a
}

// firstPrompt is the first prompt of a session on one line, "" for none.
func firstPrompt(s *session.Session) string {
	list := s.List()
	for i := range list.Len() {
		if list.Kind(i) == entry.Message && list.Role(i) == entry.RoleUser {
			_, text, _ := transcript.GistAt(list, i).Row()
			return term.Line(text)
		}
	}
	return ""
}

// sizeOf is how many bytes the entries of a session have.
func sizeOf(list *entry.List) (n int64) {
	for i := range list.Len() {
		n += list.At(i).Len
	}
	return n
}

// A writer writes one session.
type writer struct {
	s     *session.Session
	c     *replay.Context
	o     Options
	about export.Session
	opt   export.Options
}

// write writes it to where it is wanted.
func (w *writer) write(ctx context.Context) (export.Report, error) {
	if w.o.Out != nil {
		return w.one(ctx, w.o.Out)
	}
	pages := w.o.To == "html" && sizeOf(w.s.List()) > large
	if pages {
		w.o.Path = strings.TrimSuffix(w.o.Path, ".html")
	}
	out, err := NewOutput(vfs.OS(), w.o.Path, pages, w.o.Force)
	if err != nil {
		return export.Report{}, err
	}
	report, err := w.into(ctx, out, pages)
	if err != nil {
		return report, errors.Join(err, out.Discard())
	}
	return report, out.Commit()
}

// into writes the files of an output.
func (w *writer) into(ctx context.Context, out *Output, pages bool) (export.Report, error) {
	if pages {
		w.about.Steps = w.steps(ctx)
		return export.Pages(ctx, out, w.about, w.opt)
	}
	f, err := out.Create("")
	if err != nil {
		return export.Report{}, err
	}
	report, err := w.one(ctx, f)
	return report, errors.Join(err, f.Close())
}

// one writes it as one file.
func (w *writer) one(ctx context.Context, to io.Writer) (export.Report, error) {
	if w.o.To == "json" {
		seen, lines := w.lines()
		return export.JSON(ctx, to, w.about, seen, lines, w.opt)
	}
	w.about.Steps = w.steps(ctx)
	if w.o.To == "md" {
		return export.Markdown(ctx, to, w.about, w.opt)
	}
	return export.HTML(ctx, to, w.about, w.opt)
}

// steps are what is said.
func (w *writer) steps(ctx context.Context) iter.Seq2[transcript.Step, error] {
	links := tree.Healed
	if w.o.Strict {
		links = tree.Strict
	}
	o := transcript.Options{Full: true, Trouble: w.o.Trouble}
	if w.o.Blobs != "" {
		o.Blobs = blob.OpenDir(w.o.Blobs, blob.DirOptions{})
	}
	return transcript.NewReader(w.s, o).Outline(ctx, w.c, w.o.Leaf, w.o.All, links)
}

// lines are the stored entries, of the branch or all, and the ids of those that the model
// sees.
func (w *writer) lines() (seen []string, lines iter.Seq2[entry.JSON, error]) {
	var at []int
	for item, err := range w.c.Items() {
		if err != nil {
			return nil, func(yield func(entry.JSON, error) bool) { yield(nil, err) }
		}
		if at = append(at, item.Entry); item.InContext {
			if id, ok := w.s.List().ID(item.Entry); ok {
				seen = append(seen, id)
			}
		}
	}
	positions := slices.Values(at)
	if w.o.All {
		positions = func(yield func(int) bool) {
			for i := 0; i < w.s.Len() && yield(i); i++ {
			}
		}
	}
	return seen, func(yield func(entry.JSON, error) bool) {
		for line, err := range w.s.Lines(positions) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// nameOf is that of a file for a session in a form: letters and digits that every system
// takes. It is made of what may be shown.
func nameOf(about export.Session, form string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(about.Title) {
		if b.Len() >= most {
			break
		}
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, about.ID)
	parts := []string{"cambium", strings.Trim(b.String(), "-"), id[max(0, len(id)-8):]}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "-") + "." + form
}
