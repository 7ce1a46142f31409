package work

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/cambium-dev/cambium/search"
)

// PromptsOptions say which prompts are looked for.
type PromptsOptions struct {
	// Query is what they match, nil for any: words that begin as those of it, or a query
	// as [search.Parse] takes it.
	Query *string
	// CWD is the working directory in which they were typed, "" for any.
	CWD string
	// Limit is how many there may be, 0 for as many as possible.
	Limit int
}

// Typed returns the prompts that were typed in the library's agent, or in all, the
// newest first. Those of pi and of the
// programs whose sessions are only read, which keep none for others, are those of their sessions. With filters
// in the query the sessions of all are asked. The error may be a [*search.SyntaxError].
func Typed(ctx context.Context, l *Library, o PromptsOptions) ([]prompts.Prompt, error) {
	if o.Limit == 0 {
		o.Limit = prompts.Limit(1 << 30)
	}
	if o.Query != nil {
		if filters, err := Asks(*o.Query, l.Now()); filters {
			if err != nil {
				return nil, err
			}
			return saidByUsers(ctx, l, o, l.Catalog().Agents, "role:user "+*o.Query)
		}
	}
	all, err := kept(ctx, l, o)
	keepless := append([]dialect.Name{dialect.Pi}, spelling.Foreign...)
	if err != nil || l.Agent != "" && !slices.Contains(keepless, l.Agent) {
		return all, err
	}
	if l.Agent != "" {
		keepless = []dialect.Name{l.Agent}
	}
	query := ""
	if o.Query != nil {
		if query = beginnings(*o.Query); query == "" {
			return all, nil
		}
	}
	more, err := saidByUsers(ctx, l, o, keepless, query)
	return newestOf(append(all, more...), o.Limit), err
}

// newestOf returns the newest n prompts, those of one moment in their order.
func newestOf(all []prompts.Prompt, n int) []prompts.Prompt {
	slices.SortStableFunc(all, func(a, b prompts.Prompt) int { return b.Created.Compare(a.Created) })
	return all[:min(n, len(all))]
}

// beginnings is a query for what users said that has words that begin as those of a text,
// "" if it has none.
func beginnings(text string) string {
	query := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		query += " " + word + "*"
	}
	if query == "" {
		return ""
	}
	return "role:user" + query
}

// saidByUsers returns the newest of what was typed in sessions of some agents, nil for
// all: what a query finds, or all of it for "". What a fork copied is told once.
func saidByUsers(ctx context.Context, l *Library, o PromptsOptions, agents []dialect.Name, query string) ([]prompts.Prompt, error) {
	t := typed{l: l, limit: o.Limit, known: map[string]bool{}}
	if query == "" {
		opt := l.Catalog()
		opt.CWD, opt.Agents = l.Absolute(o.CWD), agents
		step, end := l.front.progress("read sessions")
		defer end()
		opt.Progress = step
		found, err := rows(ctx, l, opt, 0)
		if err != nil {
			return nil, &Error{Listing, l.SessionDir, err}
		}
		for info := range found.All {
			if n := len(t.all); n >= t.limit && info.Modified.Before(t.all[n-1].Created) {
				break // it has only older ones
			}
			if err := t.session(ctx, &info, nil); err != nil {
				return nil, err
			}
		}
		return t.all, nil
	}
	q, err := search.Parse(query, l.Now())
	if err != nil {
		return nil, err
	}
	s := NewSearch(l, q, SearchOptions{CWD: o.CWD})
	s.opt.Agents = agents
	var hits []search.Hit
	for hit, err := range s.Hits(ctx) {
		if err != nil {
			return nil, err
		}
		hit.Snippet, hit.Ranges = "", nil // they may be many
		hits = append(hits, hit)
	}
	slices.SortStableFunc(hits, func(a, b search.Hit) int { return b.Time.Compare(a.Time) })
	wanted, order, copies := map[string][]search.Hit{}, []*catalog.Info{}, map[string]bool{}
	for i := range hits {
		h := &hits[i]
		key := fmt.Sprint(h.EntryID, h.Time.UnixMilli())
		if copies[key] && h.EntryID != "" {
			continue
		}
		if len(copies) == t.limit {
			break
		}
		copies[key] = true
		if wanted[h.Info.Path] == nil {
			order = append(order, &h.Info)
		}
		wanted[h.Info.Path] = append(wanted[h.Info.Path], *h)
	}
	for _, info := range order {
		if err := t.session(ctx, info, wanted[info.Path]); err != nil {
			return nil, err
		}
	}
	return t.all, s.Keep(ctx)
}

// typed are prompts that were read from sessions, the newest first.
type typed struct {
	l     *Library
	limit int
	all   []prompts.Prompt
	known map[string]bool // by id, time and text
}

// session takes what users said in a session, only what was found in it if that is not
// nil. One that cannot be read any more is passed by, with a note.
func (t *typed) session(ctx context.Context, info *catalog.Info, hits []search.Hit) error {
	s, err := t.l.OpenReadAt(ctx, info.Path, nil)
	if err != nil {
		if ctx.Err() == nil {
			t.l.note(info.Path, err.Error())
		}
		return ctx.Err()
	}
	defer s.Close() // it was only read
	list := s.List()
	found := map[int]string{}
	for _, h := range hits {
		found[h.Entry] = h.EntryID
	}
	for i := range list.Len() {
		id, _ := list.ID(i)
		if want, ok := found[i]; hits != nil && (!ok || want != id) || list.Role(i) != entry.RoleUser {
			continue
		}
		e, err := list.Entry(i)
		if err != nil {
			continue // the list of damages has it
		}
		m, err := message.Decode(e.Message())
		if err != nil {
			continue
		}
		p := prompts.Prompt{Text: strings.TrimSpace(message.Text(m)), CWD: info.CWD, SessionID: info.ID, Agent: string(info.Agent), Uses: 1}
		if e.Time != entry.NoTime {
			p.Created = time.UnixMilli(e.Time).Truncate(time.Second)
		}
		key := fmt.Sprint(id, " ", e.Time, " ", p.Text)
		if p.Text == "" || t.known[key] {
			continue
		}
		t.known[key] = true
		t.all = append(t.all, p)
	}
	t.all = newestOf(t.all, t.limit)
	return nil
}

// kept returns the prompts that agents keep.
func kept(ctx context.Context, l *Library, o PromptsOptions) ([]prompts.Prompt, error) {
	from := Prompts(l)
	from.CWD = l.Absolute(o.CWD)
	if l.Agent != "" {
		from = onlyOf(from, l.Agent)
	}
	h, err := prompts.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	defer h.Close() // nothing was added
	if o.Query != nil {
		return h.Search(ctx, *o.Query, o.Limit)
	}
	return h.Recent(ctx, o.Limit)
}

// Prompts say where the prompts of all agents are, and that what is wrong with a
// database is a note.
func Prompts(l *Library) prompts.Options {
	source := func(name dialect.Name) prompts.Source {
		return prompts.Source{Agent: string(name), Path: history(l, name), Parts: name == dialect.Omp}
	}
	return prompts.Options{
		Own: source(dialect.Cambium), Others: []prompts.Source{source(dialect.Omp), source(dialect.Xcsh)},
		Temp: cmp.Or(l.Env.Getenv("TMPDIR"), os.TempDir()), Now: l.Now, Trouble: func(err error) { l.note("", err.Error()) },
	}
}

// history returns where an agent keeps its prompts. The agent directory is that of the
// library's agent alone.
func history(l *Library, name dialect.Name) string {
	if name == l.Agent {
		return l.Home(name).History
	}
	return places.For(string(name), l.Env, layout.Overrides{}).History
}

// onlyOf leaves only the databases of one agent. None is written to.
func onlyOf(o prompts.Options, name dialect.Name) prompts.Options {
	var others []prompts.Source
	for _, s := range append([]prompts.Source{o.Own}, o.Others...) {
		if s.Agent == string(name) {
			others = append(others, s)
		}
	}
	o.Own, o.Others = prompts.Source{}, others
	return o
}
