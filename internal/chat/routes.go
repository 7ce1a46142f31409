package chat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// resume goes to the session that a person names.
func (j *journey) resume(name string) tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		m := arrival{what: "resume session", other: true, told: "Resumed session"}
		path, err := j.opt.Host.Find(ctx, name)
		if err != nil {
			m.err, m.choice = err, j.explain(err).Choices
			return m
		}
		ok, err := j.agent().Switch(ctx, path)
		m.end, m.err = endOf(ok), err
		m.whole = m.there()
		return m
	})
}

// switchTo goes to the session at a path.
func (j *journey) switchTo(path string) tea.Cmd { return j.switchAt(path, "") }

// switchAt goes to the session at a path, and there to an entry, "" for where it
// stands.
func (j *journey) switchAt(path string, id entry.ID) tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		m := arrival{what: "resume session", other: true, told: "Resumed session"}
		ok, err := j.agent().Switch(ctx, path)
		m.end, m.err = endOf(ok), err
		if m.whole = m.there() && id == ""; m.whole || !m.there() {
			return m
		}
		n, err := j.agent().Navigate(ctx, id, agent.NavigateOptions{})
		if err != nil { // the session is another one all the same
			m.told += "; it stands where it stood: " + j.explain(err).Text
		}
		m.prefill = n.Prefill
		return m
	})
}

// begin goes to a new session.
func (j *journey) begin() tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		ok, err := j.agent().New(ctx, false)
		return arrival{what: "new session", end: endOf(ok), other: true, told: "New session", err: err}
	})
}

// fork goes on in a copy of the session.
func (j *journey) fork() tea.Cmd {
	if !j.looks.now.persisted {
		return j.face.complain("a session that is kept nowhere cannot be forked")
	}
	return j.move(func(ctx context.Context) arrival {
		ok, err := j.agent().Fork(ctx)
		m := arrival{what: "fork session", end: endOf(ok), err: err}
		if s := j.agent().Session(); ok && s != nil {
			m.told = "Forked; this is " + s.ID()
		}
		return m
	})
}

// navigate goes to an entry of the session.
func (j *journey) navigate(id entry.ID) tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		n, err := j.agent().Navigate(ctx, id, agent.NavigateOptions{})
		return arrival{what: "go to entry", end: endOf(!n.Cancelled), prefill: n.Prefill, err: err}
	})
}

// branch goes to a new session with what came before a prompt.
func (j *journey) branch(id entry.ID) tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		if s := j.agent().Session(); s != nil && !userMessage(s, id) {
			return arrival{err: errors.New("branch from a prompt of yours: it is what can be said in another way")}
		}
		text, ok, err := j.agent().Branch(ctx, id)
		return arrival{what: "branch", end: endOf(ok), other: true, told: "Branched to a new session", prefill: text, err: err}
	})
}

// join goes on where another program has appended: to the last of its entries that
// are shown, whatever it is.
func (j *journey) join() tea.Cmd {
	return j.move(func(ctx context.Context) arrival {
		s := j.agent().Session()
		if s == nil {
			return arrival{what: "join", err: agent.ErrNoSession}
		}
		id, ok := j.source.lastForeign(s)
		if !ok {
			return arrival{err: errors.New("nobody else has appended to this session")}
		}
		n, err := j.agent().Navigate(ctx, id, agent.NavigateOptions{Onto: true})
		return arrival{what: "join", end: endOf(!n.Cancelled), told: "Joined; what was said here is a branch, see /tree", err: err}
	})
}

// rehome makes the session one of another directory.
func (j *journey) rehome(dir string) tea.Cmd {
	if dir == "" {
		return j.face.complain("move where? name a directory")
	}
	return j.aside("move session", func(ctx context.Context, _ *session.Session) (string, error) {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(j.lib.Env.Home, rest)
		}
		if dir = j.lib.Absolute(dir); !work.IsDir(dir) {
			return "", fmt.Errorf("there is no directory %q", dir)
		}
		if err := j.agent().Move(ctx, filepath.Clean(dir)); err != nil {
			return "", err
		}
		return "moved to " + j.tilde(dir), nil
	})
}

// compact sums up what is old in the conversation.
func (j *journey) compact(instructions string) tea.Cmd {
	ctx, ok := j.leave(journeySumming)
	if !ok {
		return j.busy()
	}
	stop := j.stop
	return tea.Batch(j.face.show(chatview.Began{Doing: "summing up the conversation"}), func() tea.Msg {
		defer stop()
		done, err := j.agent().Compact(ctx, agent.CompactOptions{Instructions: instructions})
		m := arrival{what: "compact", end: endOf(!done.Cancelled), err: err}
		if err == nil {
			m.told = fmt.Sprintf("Summed up: %d tokens became %d.", done.TokensBefore, done.TokensAfter)
		}
		if errors.Is(err, compact.ErrNothing) || errors.Is(err, compact.ErrCompacted) {
			m.what, m.err, m.end, m.told = "", nil, endThere, "There is nothing to sum up."
		}
		if err != nil && ctx.Err() != nil {
			m.err, m.end, m.told = nil, endThere, "The conversation stays as it is."
		}
		j.pump.put(chatview.Ended{}, j.arrived(m))
		return nil
	})
}
