package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/mcp"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// A held session is one that is open.
type held struct {
	s  *server
	id acp.SessionId
	// coder has the session; nil for one that can only be read, which is shown
	// then, and why says why.
	coder *coder.Coder
	shown *session.Session
	why   string

	mu    sync.Mutex
	mode  acp.SessionModeId // guarded by mu
	todos []todo            // guarded by mu; as they are known now
	told  told              // guarded by mu
	first string            // guarded by mu; the first prompt that came here, "" where a list has one
	// live says that the client knows the session: it can be told things.
	live bool // guarded by mu
	// box has the tools of the servers that the client named; guarded by mu.
	box     *mcp.Toolbox
	servers []mcp.Server // guarded by mu
}

// session returns what the held session is, nil when it was closed.
func (h *held) session() *session.Session {
	if h.coder == nil {
		return h.shown
	}
	return h.coder.Agent().Session()
}

// close saves and closes the session, and ends the servers of its tools.
func (h *held) close(ctx context.Context) error {
	if h.coder == nil {
		return h.shown.Close()
	}
	err := h.coder.Agent().Close(ctx)
	h.use(place{})
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.told.notices { // the client never knew the session
		h.s.o.Log(string(h.id) + ": " + n)
	}
	h.told.notices = nil
	return err
}

// have returns a held session.
func (s *server) have(id acp.SessionId) (*held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.held[id]; h != nil {
		return h, nil
	}
	return nil, &acp.RequestError{
		Code: codeNotFound, Message: fmt.Sprintf("session %q is not open", id),
		Data: map[string]any{"hint": "session/load or session/resume opens it"},
	}
}

// writable is have for what writes.
func (s *server) writable(id acp.SessionId) (*held, error) {
	h, err := s.have(id)
	if err == nil && h.coder == nil {
		err = refused("session/fork makes a copy of a session of this version", "session %q can only be read: %s", id, h.why)
	}
	return h, err
}

// keep holds a session under its id, or its path where another has that.
func (s *server) keep(ctx context.Context, h *held) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := h.session()
	if h.id == "" {
		if h.id = acp.SessionId(now.ID()); s.held[h.id] != nil {
			h.id = acp.SessionId(now.Path())
		}
	}
	if s.held == nil {
		return errors.Join(session.ErrClosed, h.close(ctx))
	}
	s.held[h.id] = h
	return nil
}

// begin begins a session.
func (s *server) begin(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	var r acp.NewSessionResponse
	at, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return r, err
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	h, err := s.started(ctx, "", at, nil)
	if err != nil {
		return r, err
	}
	return acp.NewSessionResponse{
		SessionId: h.id, Modes: h.modes(), Models: h.models(), ConfigOptions: h.options(),
	}, nil
}

// load opens a session and tells all that was said in it.
func (s *server) load(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	var r acp.LoadSessionResponse
	at, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return r, err
	}
	look := s.o.Offline.Look()
	h, err := s.open(ctx, p.SessionId, at)
	if err != nil {
		return r, s.unlessAway(look, err)
	}
	if err := h.replay(ctx); err != nil {
		return r, s.unlessAway(look, err)
	}
	h.golive(true)
	return acp.LoadSessionResponse{Meta: s.aside(look), Modes: h.modes(), Models: h.models(), ConfigOptions: h.options()}, nil
}

// resume opens a session and tells nothing of it.
func (s *server) resume(ctx context.Context, p acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	var r acp.ResumeSessionResponse
	at, err := s.place(p.Cwd, p.AdditionalDirectories, p.McpServers)
	if err != nil {
		return r, err
	}
	look := s.o.Offline.Look()
	h, err := s.open(ctx, p.SessionId, at)
	if err != nil {
		return r, s.unlessAway(look, err)
	}
	h.golive(true)
	return acp.ResumeSessionResponse{Meta: s.aside(look), Modes: h.modes(), Models: h.models(), ConfigOptions: h.options()}, nil
}

// fork opens a copy of a session, in whatever directory the client is.
func (s *server) fork(ctx context.Context, p acp.UnstableForkSessionRequest) (acp.UnstableForkSessionResponse, error) {
	var r acp.UnstableForkSessionResponse
	at, err := s.place(p.Cwd, p.AdditionalDirectories, stableServers(p.McpServers))
	if err != nil {
		return r, err
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	look := s.o.Offline.Look()
	path := ""
	if h, err := s.have(p.SessionId); err == nil {
		now := h.session()
		if err := now.Flush(ctx); err != nil && h.coder != nil {
			return r, err
		}
		if !now.OnDisk() {
			return r, refused("say something in it first", "session %q has nothing to copy yet", p.SessionId)
		}
		path = now.Path()
	} else if info, err := s.find(ctx, p.SessionId, at.dir); err != nil {
		return r, s.unlessAway(look, err)
	} else {
		path = info.Path
	}
	o := s.o.Session
	o.OnEvent = s.watch("")
	made, err := session.ForkFrom(ctx, path, at.dir, o)
	if err != nil {
		return r, s.unlessAway(look, err)
	}
	h, err := s.started(ctx, "", at, made)
	if err != nil {
		return r, err
	}
	return acp.UnstableForkSessionResponse{
		Meta: s.aside(look), SessionId: h.id, Modes: h.modes(), Models: unstableModels(h.models()), ConfigOptions: unstableOptions(h.options()),
	}, nil
}

// shut closes a session; a turn in it is stopped.
func (s *server) shut(ctx context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	h, err := s.have(p.SessionId)
	if err != nil {
		return acp.CloseSessionResponse{}, err
	}
	s.turns.cancel(p.SessionId)
	s.mu.Lock()
	delete(s.held, p.SessionId)
	s.mu.Unlock()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	return acp.CloseSessionResponse{}, h.close(ctx)
}

// open opens the session that a client names, or finds it open. One of another
// directory is refused (D14): its tools would work where the editor is not.
func (s *server) open(ctx context.Context, id acp.SessionId, at place) (*held, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if h, err := s.have(id); err == nil {
		if err := s.belongs(h.dir(), at.dir); err != nil {
			return nil, err
		}
		if h.coder != nil {
			h.use(at)
		}
		return h, nil
	}
	info, err := s.find(ctx, id, at.dir)
	if err != nil {
		return nil, err
	}
	if info.CWD != "" {
		if err := s.belongs(info.CWD, at.dir); err != nil {
			return nil, err
		}
	}
	now, why, err := s.read(ctx, info)
	if err != nil {
		return nil, err
	}
	if why == "" || info.CWD != "" { // one without a header is shown anywhere
		if err := s.belongs(now.CWD(), at.dir); err != nil {
			return nil, errors.Join(err, now.Close())
		}
	}
	if why != "" {
		h := s.fresh(id)
		h.shown, h.why = now, why
		return h, s.keep(ctx, h)
	}
	h, err := s.started(ctx, id, at, now)
	if err == nil {
		h.mu.Lock()
		h.first, h.told.cost = info.FirstMessage, info.Usage.Cost+info.Inherited.Cost
		h.mu.Unlock()
	}
	return h, err
}

// belongs refuses a session of another directory.
func (s *server) belongs(recorded, cwd string) error {
	if s.sameDir(recorded, cwd) {
		return nil
	}
	return refused("open the editor there, or have session/fork make a copy of it here; `cambium move` moves it",
		"Session found in different project: %s", recorded)
}

// read opens a session to write, else to read, and says why it is that.
func (s *server) read(ctx context.Context, info catalog.Info) (now *session.Session, why string, err error) {
	o := s.o.Session
	o.OnEvent = s.watch(info.Path)
	now, err = session.Open(ctx, info.Path, o)
	if errors.Is(err, session.ErrNotSession) && info.Messages > 0 {
		o.ReadOnly = true
		now, err = session.Open(ctx, info.Path, o)
	}
	if err != nil {
		return nil, "", err
	}
	if d := now.Damage(); d.Any() {
		s.o.Log(fmt.Sprintf("%q: %s", info.Path, d))
	}
	if now.ReadOnly() {
		why = now.ReadOnlyReason()
	}
	return now, why, nil
}

// watch says what others do to a session.
func (s *server) watch(path string) func(session.Event) {
	return func(e session.Event) {
		text := ""
		switch {
		case e.Kind == session.Busy:
			text = e.Text
		case e.Kind == session.Restored:
			text = "lines that were lost from this session meanwhile were put back"
		case e.Foreign && e.Kind == session.Replaced:
			text = "another process rewrote this session meanwhile"
		case e.Foreign && e.Kind == session.Moved:
			text = "this session was moved meanwhile, to " + e.Text
		}
		if text != "" {
			s.o.Log(fmt.Sprintf("%q: %s", path, text))
		}
	}
}

func (s *server) fresh(id acp.SessionId) *held {
	return &held{s: s, id: id, mode: modeAsk, told: newTold()}
}

// started gives a session to a coder of its own; nil is a new one.
func (s *server) started(ctx context.Context, id acp.SessionId, at place, now *session.Session) (_ *held, err error) {
	h := s.fresh(id)
	defer func() {
		if err != nil && now != nil {
			err = errors.Join(err, now.Close())
		}
	}()
	c, err := s.o.Coder(Wires{
		Tell: h.tell, Approve: h.approve, Refuse: h.refuse, More: h, EnterMode: h.enterMode, OnTodos: h.showTodos,
	})
	if err != nil {
		return nil, err
	}
	if err := c.Agent().Start(ctx, agent.Start{CWD: at.dir, Session: now}); err != nil {
		return nil, err
	}
	h.coder, now = c, nil // the agent's from here on
	if s.o.Model != nil || s.o.Level != "" {
		if err := h.choose(ctx, s.o.Model, s.o.Level); err != nil {
			return nil, errors.Join(err, h.close(ctx))
		}
	}
	if err := s.keep(ctx, h); err != nil {
		return nil, err
	}
	h.use(at)
	return h, nil
}
