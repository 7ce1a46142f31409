package acp

import (
	"context"
	"encoding/json" // the connection's; see methods.go
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
	"github.com/coder/acp-go-sdk"
)

// The configuration options.
const (
	optionMode     acp.SessionConfigId = "mode"
	optionModel    acp.SessionConfigId = "model"
	optionThinking acp.SessionConfigId = "thinking"
)

// modes tells the modes; nil for a session that can only be read.
func (h *held) modes() *acp.SessionModeState {
	if h.coder == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return &acp.SessionModeState{AvailableModes: modeList(), CurrentModeId: h.mode}
}

// models tells the models that can be used; nil where there is none to ask.
func (h *held) models() *acp.SessionModelState {
	if h.coder == nil {
		return nil
	}
	now, ok := h.coder.Agent().Model()
	if !ok {
		return nil
	}
	x := &acp.SessionModelState{CurrentModelId: modelID(now)}
	for _, m := range h.s.o.Models.All() {
		known := replay.Model{Provider: m.Provider, ModelID: m.ID}
		if !h.s.o.Models.Available(known) {
			continue
		}
		name := m.Name
		if name == "" {
			name = m.ID
		}
		x.AvailableModels = append(x.AvailableModels, acp.ModelInfo{ModelId: modelID(known), Name: name, Description: acp.Ptr(m.Provider)})
	}
	return x
}

func modelID(m replay.Model) acp.ModelId { return acp.ModelId(m.Provider + "/" + m.ModelID) }

// options tells mode, model and thinking level as configuration options, which
// newer clients show instead of modes and models.
func (h *held) options() []acp.SessionConfigOption {
	if h.coder == nil {
		return nil
	}
	h.mu.Lock()
	mode := h.mode
	h.mu.Unlock()
	var choices []acp.SessionConfigSelectOption
	for _, m := range modeList() {
		choices = append(choices, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	all := []acp.SessionConfigOption{option(optionMode, "Approval", acp.SessionConfigOptionCategoryMode, string(mode), choices)}
	if x := h.models(); x != nil {
		choices = nil
		for _, m := range x.AvailableModels {
			choices = append(choices, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.ModelId), Name: m.Name, Description: m.Description})
		}
		all = append(all, option(optionModel, "Model", acp.SessionConfigOptionCategoryModel, string(x.CurrentModelId), choices))
	}
	now, ok := h.coder.Agent().Model()
	if levels := h.s.o.Models.Levels(now); ok && len(levels) > 0 {
		choices = nil
		for _, l := range levels {
			choices = append(choices, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(l), Name: l})
		}
		all = append(all, option(optionThinking, "Thinking", acp.SessionConfigOptionCategoryThoughtLevel, h.coder.Agent().Thinking(), choices))
	}
	return all
}

func option(id acp.SessionConfigId, name string, kind acp.SessionConfigOptionCategory, now string, all []acp.SessionConfigSelectOption) acp.SessionConfigOption {
	choices := acp.SessionConfigSelectOptionsUngrouped(all)
	return acp.SessionConfigOption{Select: &acp.SessionConfigOptionSelect{
		Id: id, Name: name, Category: &kind, CurrentValue: acp.SessionConfigValueId(now), Type: "select",
		Options: acp.SessionConfigSelectOptions{Ungrouped: &choices},
	}}
}

// setMode sets whether a person is asked, or nothing is changed.
func (s *server) setMode(ctx context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	h, err := s.writable(p.SessionId)
	if err == nil {
		err = h.enter(ctx, p.ModeId)
	}
	if err == nil {
		h.changed(ctx)
	}
	return acp.SetSessionModeResponse{}, err
}

// setModel has the session go on with another model.
func (s *server) setModel(ctx context.Context, p acp.UnstableSetSessionModelRequest) (acp.UnstableSetSessionModelResponse, error) {
	h, err := s.writable(p.SessionId)
	if err == nil {
		err = h.ask(ctx, string(p.ModelId))
	}
	if err == nil {
		h.changed(ctx)
	}
	return acp.UnstableSetSessionModelResponse{}, err
}

// ask has a model asked from now on.
func (h *held) ask(ctx context.Context, name string) error {
	provider, id, ok := strings.Cut(name, "/")
	m := replay.Model{Provider: provider, ModelID: id}
	if !ok || !h.s.o.Models.Available(m) {
		return badParams("there is no model %q that can be used", name)
	}
	return h.choose(ctx, &m, "")
}

// choose has the session go on with another model, nil for the present one, and
// on the thinking level of it that comes nearest to the one that is asked for, ""
// for the present one.
func (h *held) choose(ctx context.Context, m *replay.Model, level string) error {
	a := h.coder.Agent()
	now, ok := a.Model()
	if m != nil {
		now, ok = *m, true
	}
	if level == "" {
		level = a.Thinking()
	}
	if ok {
		level = agent.Clamp(level, h.s.o.Models.Levels(now))
	}
	return h.coder.Choose(context.WithoutCancel(ctx), m, level)
}

// setOption sets a configuration option and tells all of them. A value that is a
// text counts whatever type it is said to be of, which the SDK refuses.
func (s *server) setOption(ctx context.Context, params json.RawMessage) (any, error) {
	var texts [3]string
	for i, key := range []string{"sessionId", "configId", "value"} {
		var ok bool
		if texts[i], ok = jsonedit.Text(entry.JSON(params), key); !ok {
			return nil, badParams("want sessionId, configId and a value that is a string")
		}
	}
	var r acp.SetSessionConfigOptionResponse
	h, err := s.writable(acp.SessionId(texts[0]))
	if err != nil {
		return r, err
	}
	id, value := acp.SessionConfigId(texts[1]), texts[2]
	switch id {
	case optionMode:
		if err = h.enter(ctx, acp.SessionModeId(value)); err == nil {
			h.send(ctx, acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(value)}})
		}
	case optionModel:
		err = h.ask(ctx, value)
	case optionThinking:
		err = h.think(ctx, value)
	default:
		err = badParams("there is no option %q; there are %s, %s and %s", id, optionMode, optionModel, optionThinking)
	}
	r.ConfigOptions = h.options()
	return r, err
}

// think sets the thinking level, one that the model has.
func (h *held) think(ctx context.Context, level string) error {
	now, _ := h.coder.Agent().Model()
	levels := h.s.o.Models.Levels(now)
	for _, l := range levels {
		if l == level {
			return h.choose(ctx, nil, level)
		}
	}
	return badParams("the model has no thinking level %q; it has %s", level, strings.Join(levels, ", "))
}

// changed tells the options after one was set in the older way.
func (h *held) changed(ctx context.Context) {
	h.send(ctx, acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: h.options()}})
}

// unstableModels and unstableOptions are the same in the types of a fork.
func unstableModels(x *acp.SessionModelState) *acp.UnstableSessionModelState {
	if x == nil {
		return nil
	}
	u := &acp.UnstableSessionModelState{CurrentModelId: acp.UnstableModelId(x.CurrentModelId)}
	for _, m := range x.AvailableModels {
		u.AvailableModels = append(u.AvailableModels, acp.UnstableModelInfo{ModelId: acp.UnstableModelId(m.ModelId), Name: m.Name, Description: m.Description})
	}
	return u
}

func unstableOptions(all []acp.SessionConfigOption) []acp.UnstableSessionConfigOption {
	var u []acp.UnstableSessionConfigOption
	for _, o := range all {
		u = append(u, acp.UnstableSessionConfigOption{Select: &acp.UnstableSessionConfigOptionSelect{
			Id: o.Select.Id, Name: o.Select.Name, Category: o.Select.Category, CurrentValue: o.Select.CurrentValue,
			Options: o.Select.Options, Type: o.Select.Type,
		}})
	}
	return u
}
