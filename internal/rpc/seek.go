package rpc

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/search"
	"github.com/cambium-dev/cambium/session"
)

// How much a search answers when nobody says.
const (
	usualHits = 50
	usualEach = 3
)

// seekMethods are those that find something in sessions, or about one, without
// opening it for a client.
func seekMethods() []method {
	agent := may("agent", text).of(spelling.Agents()...)
	where := []param{may("sessionDir", dir), may("agentDir", dir), agent}
	with := func(own ...param) []param { return append(own, where...) }
	return []method{
		{
			name: "search",
			says: "What was said in any session, on every branch, the best first.", gives: listOf(named("Hit")),
			shows: some, find: searchSessions, params: with(need("query", text), may("cwd", place), may("limit", count), may("perSession", count)),
		},
		{
			name: "resolve",
			says: "The session that a path, an id, the beginning of one or a name means.", gives: named("SessionInfo"),
			fails: []int{codeNotFound, codeAmbiguous, codeNotSession, codeDamaged},
			find:  resolveSession, params: with(need("session", log), may("cwd", place)),
		},
		{
			name: "findById",
			says: "The path of the session of a working directory with exactly that id, null for none.", gives: isText.orNil(),
			shows: some, find: findByID, params: with(need("cwd", place), need("id", text)),
		},
		{
			name: "peekSessionInit",
			says: "The working directory of a session and how its subagent was started; null for what is no session.", gives: named("Peeked").orNil(),
			shows: some, find: peekInit, params: []param{need("path", log)},
		},
		{
			name: "getDefaultSessionDir",
			says: "The directory in which an agent keeps the sessions of a working directory.", gives: isText,
			find: defaultDir, params: []param{need("cwd", place), may("agentDir", dir), agent},
		},
		{
			name: "createEmptySessionFile",
			says: "Makes a session of a working directory that holds nothing but its header, and answers its path.", gives: isText,
			writes: true, find: createEmpty, params: with(need("cwd", place)),
		},
	}
}

func searchSessions(ctx context.Context, c *call) (entry.JSON, error) {
	q, err := search.Parse(c.args.text("query"), c.s.o.Now())
	if err != nil {
		return nil, badParam("query", "%v", err)
	}
	o := search.Options{Options: c.places(), PerSession: usualEach}
	o.CWD = c.args.text("cwd")
	if c.args.has("perSession") {
		o.PerSession = int(c.args.count("perSession"))
	}
	left := usualHits
	if c.args.has("limit") {
		left = int(c.args.count("limit"))
	}
	var all jsonedit.Array
	for hit, err := range search.Run(ctx, q, o) {
		if errors.Is(err, session.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		if left == 0 {
			break
		}
		all.Add(hitValue(&hit))
		left--
	}
	return all.Value(), nil
}

// hitValue returns a hit as the command prints it.
func hitValue(h *search.Hit) entry.JSON {
	var o jsonedit.Object
	some := func(key, text string) {
		if text != "" {
			o.String(key, text)
		}
	}
	o.String("path", h.Info.Path).String("sessionId", h.Info.ID)
	some("entryId", h.EntryID)
	o.String("agent", string(h.Info.Agent)).String("cwd", h.Info.CWD)
	some("title", h.Info.Title)
	o.String("role", h.Role)
	some("tool", h.Tool)
	some("model", h.Model)
	if !h.Time.IsZero() {
		o.Add("timestamp", date(h.Time))
	}
	var ranges jsonedit.Array
	for _, r := range h.Ranges {
		ranges.Add(new(jsonedit.Array).Add(jsonedit.IntValue(int64(r[0])), jsonedit.IntValue(int64(r[1]))).Value())
	}
	o.String("snippet", h.Snippet).Add("ranges", ranges.Value()).String("onBranch", h.Branch.String()).Number("score", h.Score)
	if h.More > 0 {
		o.Int("more", int64(h.More))
	}
	return o.Value()
}

func resolveSession(ctx context.Context, c *call) (entry.JSON, error) {
	o := c.places()
	if o.CWD = c.args.text("cwd"); o.CWD == "" {
		o.CWD = c.s.o.Env.Cwd
	}
	info, err := catalog.Resolve(ctx, c.args.text("session"), false, o)
	if err == nil {
		err = c.s.allow(info.Path, false)
	}
	if err != nil {
		return nil, err
	}
	if info.Agent == "" {
		if info, err = c.described(ctx, info.Path); err != nil {
			return nil, err
		}
	}
	return first(infos([]catalog.Info{info}, false)), nil
}

// described describes the session at a path, in whatever directory that is.
func (c *call) described(ctx context.Context, path string) (catalog.Info, error) {
	s, err := c.looked(ctx, path)
	if err != nil {
		return catalog.Info{}, err
	}
	agent := s.Dialect()
	if err := s.Close(); err != nil {
		return catalog.Info{}, err
	}
	o := c.places()
	o.SessionDir, o.Empty = filepath.Dir(path), true
	for info, err := range catalog.Scan(ctx, o) {
		if err != nil {
			return info, err
		}
		if info.Path == path {
			info.Agent = cmp.Or(info.Agent, agent)
			return info, nil
		}
	}
	return catalog.Info{}, &catalog.NotFound{Arg: path}
}

// looked opens a session to look at it, so that nobody else sees it.
func (c *call) looked(ctx context.Context, path string) (*session.Session, error) {
	o := c.options()
	o.ReadOnly, o.OnVisit, o.OnEvent, o.Presence = true, nil, nil, nil
	return session.Open(ctx, path, o)
}

// first returns the first element of an array.
func first(array entry.JSON) entry.JSON {
	for v := range jsonedit.Elements(array) {
		return v
	}
	return null
}

func findByID(ctx context.Context, c *call) (entry.JSON, error) {
	o := c.places()
	o.CWD, o.Empty = c.args.text("cwd"), true
	for info, err := range catalog.Scan(ctx, o) {
		if errors.Is(err, session.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		if info.ID == c.args.text("id") {
			return jsonedit.Quoted(info.Path), nil
		}
	}
	return null, nil
}

// peekInit answers how a subagent was started (omp 18.2.3): the members of the last
// session_init, but for those of every entry.
func peekInit(ctx context.Context, c *call) (_ entry.JSON, err error) {
	path, err := c.resolve(ctx, c.args.text("path"))
	if err != nil {
		return null, unlessNone(err)
	}
	s, err := c.looked(ctx, path)
	if err != nil {
		return null, unlessNone(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.ReadOnlyReason() == "" || s.ID() == "" {
		return null, nil
	}
	init := null
	list := s.List()
	for i := list.Len() - 1; i >= 0; i-- {
		if list.Kind(i) != entry.SessionInit {
			continue
		}
		e, err := list.Entry(i)
		if err != nil {
			return nil, err
		}
		init = jsonedit.Delete(e.Raw(), "type", "id", "parentId", "timestamp")
		break
	}
	return new(jsonedit.Object).String("cwd", s.CWD()).Add("init", init).Value(), nil
}

// unlessNone drops the errors of what is no session.
func unlessNone(err error) error {
	var none *catalog.NotFound
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrNotSession) || errors.As(err, &none) {
		return nil
	}
	return err
}

// defaultDir answers where sessions of a working directory go when nobody says.
func defaultDir(_ context.Context, c *call) (entry.JSON, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	o := c.options()
	place := places.For(string(rules.Name), o.Env, layout.Overrides{AgentDir: o.AgentDir})
	return jsonedit.Quoted(place.Dir(c.args.text("cwd"), o.Env)), nil
}

func createEmpty(ctx context.Context, c *call) (entry.JSON, error) {
	o := c.options()
	o.FirstWrite, o.OnVisit, o.OnEvent, o.Presence = session.Immediately, nil, nil, nil
	s, err := session.Create(ctx, c.args.text("cwd"), o)
	if err != nil {
		return nil, err
	}
	path := s.Path()
	return jsonedit.Quoted(path), s.Close()
}
