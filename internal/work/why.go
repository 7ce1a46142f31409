package work

import (
	"context"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A Reason is one thing that keeps a session out of lists, or is about to.
type Reason = foreign.Reason

// An Explained is what is known of a session's place in the lists of its own program.
type Explained struct {
	Path  string
	Agent dialect.Name
	// Reasons are empty where nothing is known that hides the session.
	Reasons []Reason
}

// Why says why the program of the session that arg names does not show it.
func Why(ctx context.Context, l *Library, arg string) (Explained, error) {
	sight, err := l.Present(ctx, arg)
	if err != nil {
		return Explained{}, err
	}
	e := Explained{Path: sight.Path, Agent: sight.Agent}
	if p, ok := foreign.From(l.Session()).Of(sight.Path).(foreign.Explainer); ok && l.Shared == nil {
		e.Reasons, err = p.Why(ctx, vfs.Owned(vfs.OS()), sight.Path, l.Env, l.Now())
		return e, err
	}
	s, err := l.OpenRead(ctx, sight.Path)
	if err != nil {
		return e, err
	}
	l.Damage(s)
	e.Agent = s.Dialect()
	messages := 0
	for en, err := range s.Entries(ctx) {
		if err == nil && en.Kind == entry.Message {
			messages++
		}
	}
	if messages == 0 {
		e.Reasons = append(e.Reasons, Reason{Hides: true, What: "nothing was said in it", Mend: "`cambium ls --empty` lists it"})
	}
	if sight.Thing != journal.Session {
		e.Reasons = append(e.Reasons, Reason{Hides: true, What: "its header is missing or torn", Mend: "`cambium doctor --fix`"})
	}
	if _, err := l.Stat(s.CWD()); err != nil && l.Shared == nil {
		e.Reasons = append(e.Reasons, Reason{Hides: true, What: "its directory " + s.CWD() + " is gone, and the program shows the sessions of the one that it is started in", Mend: "`cambium move` gives it another"})
	}
	return e, s.Close()
}
