package print

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/go-json-experiment/json/jsontext"
)

// chargeForm is a charge as --explain --json prints it.
type chargeForm struct {
	Path    string         `json:"path"`
	Line    int            `json:"line,omitzero"`
	Session string         `json:"session"`
	Agent   string         `json:"agent"`
	Time    string         `json:"time,omitzero"`
	Kind    string         `json:"kind"`
	Model   string         `json:"model,omitzero"`
	Tool    string         `json:"tool,omitzero"`
	Role    string         `json:"role,omitzero"`
	Counts  bool           `json:"counts"`
	Why     string         `json:"why"`
	Of      string         `json:"of,omitzero"`
	OfLine  int            `json:"ofLine,omitzero"`
	Active  bool           `json:"active"`
	Absurd  bool           `json:"absurd,omitzero"`
	Input   int64          `json:"input"`
	Output  int64          `json:"output"`
	Read    int64          `json:"cacheRead"`
	Write   int64          `json:"cacheWrite"`
	Cost    jsontext.Value `json:"cost"`
	Origin  string         `json:"origin"`
}

// Charges prints charges one by one: what each cost, where it stands, and why it counts
// or not.
func Charges(ctx context.Context, c *console.Console, s Costs, items []int32) error {
	if c.JSON {
		for _, i := range items {
			if err := c.Emit(chargeOf(s.Book, i)); err != nil {
				return err
			}
		}
		return nil
	}
	return c.Page(ctx, func(w io.Writer) error {
		for _, i := range items {
			if _, err := fmt.Fprintln(w, strings.Join(chargeLines(c, s, i, ""), "\n")); err != nil {
				return err
			}
		}
		return nil
	})
}

func chargeOf(b *usage.Book, i int32) chargeForm {
	it := &b.Items[i]
	ch, l := b.Charge(it), b.Session(it)
	form := chargeForm{
		Path: l.Path, Line: lineOf(b, it), Session: l.ID, Agent: l.Agent, Kind: ch.Kind.String(), Model: ch.ModelName(), Tool: ch.Tool, Role: ch.Role,
		Counts: it.Of < 0, Why: whyOf(it, ch), Active: it.Active, Absurd: ch.Absurd, Input: ch.Tokens.Input, Output: ch.Tokens.Output,
		Read: ch.Tokens.CacheRead, Write: ch.Tokens.CacheWrite, Cost: dollars(it.Cost), Origin: it.Origin.String(),
	}
	if ch.Time != usage.NoTime {
		form.Time = jsonedit.FormatTime(ch.Time)
	}
	if it.Of >= 0 {
		first := &b.Items[it.Of]
		form.Of, form.OfLine = b.Session(first).Path, lineOf(b, first)
	}
	return form
}

// whyOf says why a charge counts or not.
func whyOf(it *usage.Item, c *usage.Charge) string {
	switch it.Why {
	case usage.SameResponse:
		return "a copy: the provider's id of the response is the same"
	case usage.SameEntry:
		return "a copy: the entry has the same id and time"
	case usage.SameBare:
		return "a copy: the same time, model and usage, in a session whose copies have other ids or none"
	}
	var parts []string
	switch {
	case c.Kind == usage.Run:
		return "counts as a run of a tool, which costs nothing"
	case c.Absurd:
		parts = append(parts, "without a number that cannot be")
	}
	if c.Aborted {
		parts = append(parts, "an answer that was stopped")
	}
	if !it.Active {
		parts = append(parts, "on an abandoned branch")
	}
	return strings.Join(append([]string{"counts"}, parts...), ", ")
}

// chargeLines are a charge for a person, each line behind an indent: in one line where
// nothing is cut, else in several.
func chargeLines(c *console.Console, s Costs, i int32, indent string) []string {
	it := &s.Book.Items[i]
	ch := s.Book.Charge(it)
	at := usage.Unrecorded
	if ch.Time != usage.NoTime {
		at = time.UnixMilli(ch.Time).In(s.Zone).Format("2006-01-02 15:04")
	}
	sign := "+"
	if it.Of >= 0 {
		sign = "-"
	}
	what := fmt.Sprintf("%s %-16s %11s %-7s %s", sign, at, it.Cost.Dollars(), it.Origin, cmp.Or(term.Line(ch.ModelName()), term.Line(ch.Tool), ch.Kind.String()))
	where := placeOf(c, s.Book, it)
	why := whyOf(it, ch)
	if it.Of >= 0 {
		first := &s.Book.Items[it.Of]
		why += ": " + placeOf(c, s.Book, first)
	}
	if whole(c) {
		return []string{indent + what + "  " + where + "  " + why}
	}
	cells := max(c.Cols-len(indent)-4, 2*least)
	lines := []string{indent + term.Cut(what, cells+4), indent + "    " + term.CutLeft(where, cells)}
	if it.Of >= 0 || why != "counts" {
		for part := range term.Wrapped(why, cells) {
			lines = append(lines, indent+"    "+part)
		}
	}
	return lines
}

// placeOf says where a charge stands.
func placeOf(c *console.Console, b *usage.Book, it *usage.Item) string {
	path, line := term.Line(tilde(c, b.Session(it).Path)), lineOf(b, it)
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// lineOf returns the number of a charge's line in the file, 0 where what is read is not what
// stands there.
func lineOf(b *usage.Book, it *usage.Item) int {
	if !b.Session(it).Numbered() {
		return 0
	}
	return b.Charge(it).Line
}

// naiveForm is what a naive counter would say, as --json prints it.
type naiveForm struct {
	Counter string         `json:"counter"`
	Does    string         `json:"does"`
	Cost    jsontext.Value `json:"cost"`
	Differs jsontext.Value `json:"differsBy"`
	Calls   int64          `json:"calls"`
	Charges []chargeForm   `json:"charges"`
}

// fewCharges is how many charges a person is shown that make a difference.
const fewCharges = 5

// Check prints what naive counters would say beside what is true, and which charges make
// the difference: all of them as JSON, the first ones for a person.
func Check(ctx context.Context, c *console.Console, s Costs, all []usage.Naive) error {
	total := usage.Total(s.Rows)
	if c.JSON {
		for _, n := range all {
			form := naiveForm{Counter: n.Name, Does: n.Does, Cost: dollars(n.Sum.Cost), Differs: dollars(n.Sum.Cost - total.Cost), Calls: n.Sum.Charges, Charges: []chargeForm{}}
			for _, i := range n.Differs {
				form.Charges = append(form.Charges, chargeOf(s.Book, i))
			}
			if err := c.Emit(form); err != nil {
				return err
			}
		}
		return nil
	}
	return c.Page(ctx, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "%13s  counted once: %s\n", total.Cost.Dollars(), term.Plural(int(total.Charges), "call")); err != nil {
			return err
		}
		for _, n := range all {
			if _, err := fmt.Fprintln(w, strings.Join(naiveLines(c, s, &n, total.Cost), "\n")); err != nil {
				return err
			}
		}
		return nil
	})
}

// naiveLines are what a naive counter would say, for a person.
func naiveLines(c *console.Console, s Costs, n *usage.Naive, right usage.Micros) []string {
	differs := (n.Sum.Cost - right).Dollars()
	if n.Sum.Cost >= right {
		differs = "+" + differs
	}
	head := fmt.Sprintf("%13s  %s: a counter that %s", n.Sum.Cost.Dollars(), differs, n.Does)
	lines := []string{cut(c, head, width(c))}
	for k, i := range n.Differs {
		if k == fewCharges {
			return append(lines, fmt.Sprintf("    and %d more; --json lists all", len(n.Differs)-k))
		}
		lines = append(lines, chargeLines(c, s, i, "    ")...)
	}
	return lines
}
