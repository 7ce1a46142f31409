package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/work"
)

// frontOf is the command to the library: notes go to stderr, questions to the terminal.
func frontOf(a *app) work.Front {
	return work.Front{
		Note:     func(n work.Note) { a.Note(n.Path, n.Text) },
		Wait:     a.Wait,
		Progress: a.Steps,
		Asks:     a.Asks,
		Way:      func(ctx context.Context, b *work.Busy) (work.Way, error) { return askWay(ctx, a, b) },
		Leave: func(ctx context.Context, b *work.Busy, what string) (bool, error) {
			return askLeave(ctx, a, b, what)
		},
		Foreign: func(ctx context.Context, e *work.OtherProject) (work.Whither, error) { return askForeign(ctx, a, e) },
		Place:   func(ctx context.Context, e *work.Elsewhere) (bool, error) { return askPlace(ctx, a, e) },
		House: func(ctx context.Context, t work.Target, all []work.House) (work.House, bool, error) {
			return askHouse(ctx, a, t, all)
		},
	}
}

// askWay asks what is to be done with a session that others have open.
func askWay(ctx context.Context, a *app, _ *work.Busy) (work.Way, error) {
	for {
		text, err := a.Ask(ctx, "Go on beside it (g), fork it (f), follow it (w), take it over (t), or leave it (l)?", "l")
		if err != nil {
			return work.Ask, err
		}
		way, ok := map[string]work.Way{"g": work.Go, "go": work.Go, "f": work.Fork, "fork": work.Fork, "w": work.Follow, "follow": work.Follow,
			"t": work.Take, "take": work.Take, "l": work.Fail, "leave": work.Fail, "": work.Fail}[strings.ToLower(text)]
		if ok {
			return way, nil
		}
	}
}

// askLeave asks whether to take a session from its place under another program.
func askLeave(ctx context.Context, a *app, _ *work.Busy, what string) (bool, error) {
	return a.Agreed(ctx, strings.ToUpper(what[:1])+what[1:]+" all the same?")
}

// askForeign asks what to do with a session of another project: to fork it into this
// one or to leave it, and, where its own program goes on, to go there (published P3).
func askForeign(ctx context.Context, a *app, e *work.OtherProject) (work.Whither, error) {
	found := "Session found in different project: " + a.Shown(e.Target.CWD) + ". "
	if e.By != work.ByResume {
		yes, err := a.Agreed(ctx, found+"Fork into current directory?")
		return forkIf(yes), err
	}
	for {
		text, err := a.Ask(ctx, found+"Go there (g), fork into current directory (f), or leave it (l)?", "l")
		if err != nil {
			return work.Leave, err
		}
		switch strings.ToLower(text) {
		case "g", "go":
			return work.There, nil
		case "f", "fork", "y", "yes":
			return work.Here, nil
		case "l", "leave", "n", "no", "":
			return work.Leave, nil
		}
	}
}

// forkIf is a fork into this project if that is agreed to.
func forkIf(yes bool) work.Whither {
	if yes {
		return work.Here
	}
	return work.Leave
}

// askPlace asks about the place of a session: who says yes agrees to the one that the
// question names last.
func askPlace(ctx context.Context, a *app, e *work.Elsewhere) (bool, error) {
	where := problem.PlaceNamed(e.Place, a.Quoted)
	if e.Place.Unfit != "" {
		return a.Agreed(ctx, fmt.Sprintf("Session was recorded in %s, where nothing is run: %s. Work in this directory, %s?", where, e.Place.Unfit, a.Quoted(e.Dir)))
	}
	return a.Agreed(ctx, fmt.Sprintf("Session was recorded in another directory, %s. Work there?", where))
}

// askHouse asks where to move a session whose directory is gone.
func askHouse(ctx context.Context, a *app, t work.Target, all []work.House) (work.House, bool, error) {
	if len(all) == 1 {
		h := all[0]
		yes, err := a.Agreed(ctx, fmt.Sprintf("Session's directory no longer exists (%s). Move (re-root) it into %s, %s?", a.Shown(t.CWD), a.Shown(h.Dir), h.Why))
		return h, yes, err
	}
	a.Put(fmt.Sprintf("Session's directory no longer exists (%s).", a.Shown(t.CWD)))
	for i, h := range all {
		a.Put(fmt.Sprintf("  %d  %s  (%s)", i+1, a.Shown(h.Dir), h.Why))
	}
	text, err := a.Ask(ctx, "Move (re-root) it into which?", fmt.Sprintf("1-%d, or nothing for none", len(all)))
	if err != nil {
		return work.House{}, false, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > len(all) {
		return work.House{}, false, nil
	}
	return all[n-1], true, nil
}

// waysOfBusy are what --if-busy may say.
func waysOfBusy() []string {
	var all []string
	for _, way := range work.Ways() {
		all = append(all, string(way))
	}
	return all
}
