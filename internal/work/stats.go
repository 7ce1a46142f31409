package work

import (
	"context"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/spending"
	"github.com/cambium-dev/cambium/internal/usage"
)

// Stats counts what all sessions took and cost. It looks into the homes of all agents,
// whichever the library is of: what a session of one agent inherited may have been made
// in a session of another. prices are for what has no cost that is stored.
//
// Sessions that did not change since the last time are not read again, where there is an
// index. A session that cannot be read is noted and left out. The error may be a
// [*NoAgentDir].
func Stats(ctx context.Context, l *Library, prices usage.Prices) (*usage.Book, error) {
	if err := agentDir(l); err != nil {
		return nil, err
	}
	opt := l.Catalog()
	if l.AgentDir == "" && l.SessionDir == "" {
		opt.Agents = nil
	}
	step, end := l.front.progress("read sessions")
	defer end()
	opt.Progress = step
	book, err := spending.Count(ctx, opt, prices, func(i catalog.Info) {
		l.note(i.Path, "it cannot be read ("+i.Detail+"); what it cost is left out")
	})
	if err != nil {
		return nil, &Error{Listing, l.SessionDir, err}
	}
	return book, nil
}
