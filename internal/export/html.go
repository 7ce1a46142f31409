package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cambium-dev/cambium/internal/syntax"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// pageBytes is how large a page of several is when the next one begins.
const pageBytes = 2 << 20

// HTML writes a session as one page.
func HTML(ctx context.Context, w io.Writer, s Session, o Options) (Report, error) {
	var report Report
	s, steps := o.About(s), o.steps(ctx, s)
	p := newPage(w, o, &report, newPainter())
	f := frame{title: s.Title, facts: o.facts(s), script: !o.NoScript}
	f.head(p.sink)
	for step, err := range steps {
		if err != nil {
			return report, err
		}
		if err := p.step(step); err != nil {
			return report, err
		}
	}
	f.foot(p.sink, p.prompts)
	return report, p.w.Flush()
}

// Pages writes a session as several pages and an index of them. What is held is the
// contents of one page and a row for each page.
func Pages(ctx context.Context, to Place, s Session, o Options) (Report, error) {
	s, steps := o.About(s), o.steps(ctx, s)
	b := &book{to: to, o: o, frame: frame{title: s.Title, facts: o.facts(s), script: !o.NoScript}, painter: newPainter()}
	for step, err := range steps {
		if err == nil {
			err = b.step(step)
		}
		if err != nil {
			return b.report, errors.Join(err, b.drop())
		}
	}
	return b.report, b.end()
}

// A book is several pages.
type book struct {
	to      Place
	o       Options
	frame   frame
	painter *syntax.Painter
	report  Report
	file    io.WriteCloser
	page    *page
	depth   int // how many side branches are open where a page ends
	rows    []row
}

// nameOf is the name of a page.
func nameOf(n int) string { return fmt.Sprintf("page-%04d.html", n) }

// step writes one step. A page ends before a message; a side branch that is open then goes
// on on the next page.
func (b *book) step(s transcript.Step) error {
	if b.page != nil && b.page.bytes.n+int64(b.page.w.Buffered()) > pageBytes && s.Turn == transcript.Along && s.Part.Sort == transcript.Said {
		if err := b.turn(true); err != nil {
			return err
		}
	}
	if b.page == nil {
		if err := b.begin(); err != nil {
			return err
		}
	}
	return b.page.step(s)
}

// begin begins the next page.
func (b *book) begin() (err error) {
	n := len(b.rows) + 1
	if b.file, err = b.to.Create(nameOf(n)); err != nil {
		return err
	}
	b.page = newPage(b.file, b.o, &b.report, b.painter)
	if b.frame.before = "index.html"; n > 1 {
		b.frame.before = nameOf(n - 1)
	}
	b.frame.behind = ""
	b.frame.head(b.page.sink)
	b.page.depth = b.depth
	for range b.depth {
		b.page.mark("<details class=\"side\" open><summary>another branch goes on</summary>\n")
	}
	return nil
}

// turn ends a page; more says that another one comes.
func (b *book) turn(more bool) error {
	r := row{name: nameOf(len(b.rows) + 1), text: "(no prompt)", prompts: len(b.page.prompts)}
	if len(b.page.prompts) > 0 {
		r.text, r.time = b.page.prompts[0].text, b.page.prompts[0].time
	}
	if b.rows = append(b.rows, r); more {
		b.frame.behind = nameOf(len(b.rows) + 1)
	}
	b.depth = b.page.depth
	for range b.depth {
		b.page.mark("</details>\n")
	}
	b.frame.foot(b.page.sink, b.page.prompts)
	err := errors.Join(b.page.w.Flush(), b.file.Close())
	b.page, b.file = nil, nil
	return err
}

// end ends the last page and writes the index.
func (b *book) end() error {
	if b.page != nil {
		if err := b.turn(false); err != nil {
			return err
		}
	}
	w, err := b.to.Create("index.html")
	if err != nil {
		return err
	}
	to := sink{bufio.NewWriter(w)}
	b.frame.before, b.frame.behind = "", ""
	b.frame.index(to, b.rows)
	return errors.Join(to.w.Flush(), w.Close())
}

// drop closes what is open.
func (b *book) drop() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}
