package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/cambium-dev/cambium/internal/work"
)

// waysOfBusy are what --if-busy may say.
func waysOfBusy() []string {
	var all []string
	for _, way := range work.Ways() {
		all = append(all, string(way))
	}
	return all
}

// askWay asks what is to be done with a session that others have open.
func askWay(ctx context.Context, a *app, _ *work.Busy) (work.Way, error) {
	for {
		text, err := a.ask(ctx, "Go on beside it (g), fork it (f), follow it (w), take it over (t), or leave it (l)?", "l")
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
	return a.agreed(ctx, strings.ToUpper(what[:1])+what[1:]+" all the same?")
}

// insteadOf goes over to following a session that a command did not open because
// others have it open. Any other error is returned as it is.
func insteadOf(ctx context.Context, a *app, err error) error {
	var open *work.Busy
	if !errors.As(err, &open) || !open.Follow {
		return err
	}
	a.note(open.Path, open.Holders()+"; nothing is changed, what it appends is shown")
	return runFollow(ctx, a, open.Path, followOptions{})
}

// jsonHolder is one who has a session open for writing, or seems to.
type jsonHolder struct {
	Program  string `json:"program,omitzero"`
	PID      int    `json:"pid,omitzero"`
	Host     string `json:"host,omitzero"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since,omitzero"`
	Sure     bool   `json:"sure"`
	Why      string `json:"why"`
}
