package catalog

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Glimpse is what the beginning of a session's file tells of it (published
// P3, getRecentSessions).
type Glimpse struct {
	// Path is the session's file, absolute.
	Path string
	// ID and cwd are the header's.
	ID, cwd string
	// Agent is the dialect of the home it lies in; "" when it lies in none.
	Agent dialect.Name
	// Name is what the session is called in one short line: the title in its
	// header, else its first prompt, else its id, else its file's name. It has
	// no control characters, and at most 40 UTF-16 units with its ellipsis.
	Name string
	// ModTime is when the file last changed, Size its size in bytes.
	ModTime time.Time
	size    int64
}

// UsualRecents is how many recent sessions there are when nobody says (xcsh
// 17.4.4).
const UsualRecents = 3

// nameUnits is the longest name of a glimpse, in UTF-16 code units (published
// P3).
const nameUnits = 40

// Recent yields the sessions whose files changed last, the newest first, by the
// first 4 KB of each: as much is read as is asked for, and no file that comes
// later. Sessions without a message are among them (xcsh 17.4.4), what has
// neither header nor entries there is not. A name that Options.Titles has for a
// session of omp comes before its others (omp 18.2.3).
func Recent(ctx context.Context, o Options) iter.Seq2[Glimpse, error] {
	return func(yield func(Glimpse, error) bool) {
		found, err := o.look(ctx, nil)
		if err != nil {
			yield(Glimpse{}, err)
			return
		}
		buf := make([]byte, prefix)
		titles := sideNames{o: &o}
		for f := range found.newest() {
			if err := ctx.Err(); err != nil {
				yield(Glimpse{}, err)
				return
			}
			g, ok := o.glimpse(ctx, f, buf)
			if name := titles.of(ctx, g); name != "" {
				g.Name = name
			}
			if ok && (o.CWD == "" || o.same(g.cwd)) && !yield(g, nil) {
				return
			}
		}
	}
}

// sideNames are the names that agents keep beside their sessions.
type sideNames struct {
	o     *Options
	names map[string]string // once they were asked for
}

// of returns the name of a session in one short line; "" when there is none, or
// the names cannot be had: they are more than what a session needs.
func (b *sideNames) of(ctx context.Context, g Glimpse) string {
	if b.o.Titles == nil || g.Agent != dialect.Omp {
		return ""
	}
	if b.names == nil {
		b.names, _ = b.o.Titles(ctx)
		if b.names == nil {
			b.names = map[string]string{}
		}
	}
	if name := b.names[ident.FileID(base(g.Path))]; oneLine(name) != "" {
		return ShortName(name, "", "", "")
	}
	return ""
}

// glimpse looks at the beginning of a file.
func (o *Options) glimpse(ctx context.Context, f file, buf []byte) (Glimpse, bool) {
	g := Glimpse{Path: f.path, Agent: f.agent, ModTime: unix(f.stamp.ModTime), size: f.stamp.Size}
	if !f.mode.IsRegular() || f.stamp.Size == 0 {
		return g, false
	}
	log, err := o.source().Open(ctx, f.name())
	if err != nil {
		return g, false
	}
	defer func() { _ = log.Close() }() // nothing was written
	var h head
	h.read(log, buf, true)
	if !h.found && !h.lines {
		return g, false
	}
	g.ID, g.cwd = h.header.ID, h.header.CWD
	g.Name = shortName(&h.header, h.prompt, f.path)
	return g, true
}

// shortName returns the name of a glimpse.
func shortName(h *entry.Header, prompt, path string) string {
	title, _ := h.Effective()
	return ShortName(title, prompt, h.ID, path)
}

// ShortName returns the first that says something of a title, a first prompt, an
// id and a file's name, on one line without control characters and blanks around
// it; of one longer than 40 UTF-16 units 39 and an ellipsis (published P3, xcsh
// 17.4.4).
func ShortName(title, prompt, id, path string) string {
	if prompt == NoMessages {
		prompt = ""
	}
	file := strings.TrimSuffix(base(path), ident.Ext)
	for _, name := range [...]string{title, prompt, id, file} {
		if name = oneLine(name); name == "" {
			continue
		}
		if jsonedit.Units(name) > nameUnits {
			name = jsonedit.CutText(name, nameUnits-1) + "…"
		}
		return name
	}
	return ""
}

// oneLine returns the first line of s without control characters and blanks
// around it.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// TimeAgo says how long before now t was, in the words of the programs: "just
// now", "5m ago", "3h ago", "2d ago"; after a week it is the date in now's time
// zone (published P3). It is "" for the zero time.
func TimeAgo(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
	return t.In(now.Location()).Format(time.DateOnly)
}
