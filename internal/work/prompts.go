package work

import (
	"cmp"
	"context"
	"os"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/prompts"
)

// PromptsOptions say which prompts are looked for.
type PromptsOptions struct {
	// Query is what they match, nil for any.
	Query *string
	// CWD is the working directory in which they were typed, "" for any.
	CWD string
	// Limit is how many there may be, 0 for as many as possible.
	Limit int
}

// Typed returns the prompts that were typed in the library's agent, or in all, the
// newest first.
func Typed(ctx context.Context, l *Library, o PromptsOptions) ([]prompts.Prompt, error) {
	if o.Limit == 0 {
		o.Limit = prompts.Limit(1 << 30)
	}
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
