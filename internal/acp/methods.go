package acp

import (
	"context"
	"encoding/json" // the connection's; no session data is read with it

	"github.com/coder/acp-go-sdk"
)

// A method does one call of the client.
type method func(ctx context.Context, params json.RawMessage) (any, error)

// table returns the methods by name.
func (s *server) table() map[string]method {
	return map[string]method{
		acp.AgentMethodInitialize:             does(s.initialize),
		acp.AgentMethodAuthenticate:           does(s.authenticate),
		acp.AgentMethodSessionNew:             does(s.begin),
		acp.AgentMethodSessionLoad:            does(s.load),
		acp.AgentMethodSessionResume:          does(s.resume),
		acp.AgentMethodSessionFork:            does(s.fork),
		acp.AgentMethodSessionList:            does(s.list),
		acp.AgentMethodSessionClose:           does(s.shut),
		acp.AgentMethodSessionPrompt:          s.prompt,
		acp.AgentMethodSessionCancel:          does(s.cancel),
		acp.AgentMethodSessionSetMode:         does(s.setMode),
		acp.AgentMethodSessionSetModel:        does(s.setModel),
		acp.AgentMethodSessionSetConfigOption: s.setOption,
	}
}

// does makes a method of a function: the parameters are read and checked by the
// protocol's schema.
func does[P, R any](f func(context.Context, P) (R, error)) method {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, badParams("%v", err)
		}
		if v, ok := any(&p).(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				return nil, badParams("%v", err)
			}
		}
		return f(ctx, p)
	}
}

// handle does a call, or a notification.
func (s *server) handle(ctx context.Context, name string, params json.RawMessage) (any, *acp.RequestError) {
	m, ok := s.methods[name]
	if !ok {
		return nil, acp.NewMethodNotFound(name)
	}
	result, err := m(ctx, params)
	if err != nil {
		return nil, fault(err)
	}
	return result, nil
}

// initialize says what this agent can do.
func (s *server) initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	name := "Cambium"
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "cambium", Title: &name, Version: s.o.Version},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			McpCapabilities:    acp.McpCapabilities{Http: true, Sse: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{},
				Fork: &acp.SessionForkCapabilities{}, Close: &acp.SessionCloseCapabilities{},
			},
		},
	}, nil
}

// authenticate refuses every way, since none is offered: keys come from the
// environment.
func (s *server) authenticate(_ context.Context, p acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, badParams("there is no way %q to authenticate; the keys of models come from the environment", p.MethodId)
}
