package rpc

import (
	"context"
	"errors"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

func listMethods() []method {
	where := []param{may("sessionDir", dir), may("agentDir", dir), may("agent", text).of(spelling.Agents()...)}
	return []method{
		{
			name: "list",
			says: "The sessions of a working directory, newest first.", gives: listOf(named("SessionInfo")),
			find: list, params: append([]param{need("cwd", place)}, where...)},
		{
			name: "listAll",
			says: "The sessions of all working directories, newest first.", gives: listOf(named("SessionInfo")),
			find: list, params: where},
		{
			name: "getRecentSessions",
			says: "The sessions of a directory whose files changed last.", gives: listOf(named("RecentSession")),
			find: recentSessions, params: []param{need("sessionDir", dir), may("limit", count)}},
		{
			name: "findMostRecentSession",
			says: "The path of the session whose file changed last.", gives: isText.orNil(),
			find: mostRecentSession, params: []param{need("sessionDir", dir), may("cwd", place)}},
	}
}

// list answers with the sessions of a working directory, or all, newest first.
// A directory that is not there has none.
func list(ctx context.Context, c *call) (entry.JSON, error) {
	o := c.places()
	o.CWD, o.Text = c.s.absolute(c.args.text("cwd")), true
	all, err := catalog.List(ctx, o)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	return infos(all, true), nil
}

// infos returns descriptions of sessions as SessionInfo objects (published P3,
// P5), with all their text if it was read.
func infos(all []catalog.Info, withText bool) entry.JSON {
	var list jsonedit.Array
	for _, i := range all {
		var o jsonedit.Object
		o.String("path", i.Path).String("id", i.ID).String("agent", string(i.Agent)).String("cwd", i.CWD)
		if i.Title != "" {
			o.String("title", i.Title)
		}
		o.Add("created", date(i.Created)).Add("modified", date(i.Modified))
		o.Int("messageCount", int64(i.Messages)).String("firstMessage", i.FirstMessage)
		if withText {
			o.String("allMessagesText", i.Text)
		}
		o.Int("size", i.Size).String("status", string(i.Status))
		if i.Parent != "" {
			o.String("parentSession", i.Parent)
		}
		if i.Usage != (catalog.Usage{}) {
			o.Add("usage", spentBy(i.Usage))
		}
		if i.Damaged {
			o.Bool("damaged", true)
		}
		list.Add(o.Value())
	}
	return list.Value()
}

// spentBy returns what a session itself spent, as an object.
func spentBy(u catalog.Usage) entry.JSON {
	var o jsonedit.Object
	o.Number("input", u.Input).Number("output", u.Output)
	o.Number("cacheRead", u.CacheRead).Number("cacheWrite", u.CacheWrite)
	return o.Number("premiumRequests", u.PremiumRequests).Number("cost", u.Cost).Value()
}

// date returns a time as toISOString has it, null for none.
func date(t time.Time) entry.JSON {
	if t.IsZero() {
		return null
	}
	return jsonedit.Quoted(jsonedit.FormatTime(t.UnixMilli()))
}

// recentSessions answers with the sessions whose files changed last, as
// RecentSessionInfo objects (published P3).
func recentSessions(ctx context.Context, c *call) (entry.JSON, error) {
	limit := catalog.UsualRecents
	if c.args.has("limit") {
		limit = int(c.args.count("limit"))
	}
	var all jsonedit.Array
	left := limit
	if left == 0 {
		return all.Value(), nil
	}
	now := c.s.o.Now().UTC() // a server has no locale
	for g, err := range catalog.Recent(ctx, c.places()) {
		if errors.Is(err, session.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		var r jsonedit.Object
		r.String("path", g.Path).String("id", g.ID)
		r.String("name", g.Name).String("timeAgo", catalog.TimeAgo(g.ModTime, now))
		all.Add(r.Add("mtime", date(g.ModTime)).Value())
		if left--; left == 0 {
			break
		}
	}
	return all.Value(), nil
}

// mostRecentSession answers with the path of the session whose file changed
// last.
func mostRecentSession(ctx context.Context, c *call) (entry.JSON, error) {
	o := c.places()
	o.CWD = c.args.text("cwd")
	info, err := catalog.Newest(ctx, o)
	var none *catalog.NotFound
	if errors.As(err, &none) || errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return jsonedit.Quoted(info.Path), nil
}
