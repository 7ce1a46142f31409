package acp

import (
	"context"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/coder/acp-go-sdk"
)

// maxPlan is how many todos a client is told, maxNested how deep they may lie.
const (
	maxPlan   = 500
	maxNested = 4
)

// A todo is one, with the state that its program gave it.
type todo struct{ text, state, priority string }

// todosOf reads todos in the shape of whoever wrote them: a list, or phases with
// lists (omp 18.2.3), of objects with a text and a status or a mark.
func todosOf(v entry.JSON) []todo {
	var all []todo
	gather(&all, v, maxNested)
	return all
}

func gather(all *[]todo, v entry.JSON, deep int) {
	if deep == 0 || len(*all) >= maxPlan {
		return
	}
	switch jsonedit.Kind(v) {
	case '[':
		for e := range jsonedit.Elements(v) {
			gather(all, e, deep-1)
		}
	case '"':
		if t, _ := jsonedit.String(v); strings.TrimSpace(t) != "" {
			*all = append(*all, todo{text: t, state: statePending})
		}
	case '{':
		for _, key := range []string{"phases", "todos", "tasks", "items"} {
			if inner, ok := jsonedit.Get(v, key); ok && jsonedit.Kind(inner) == '[' {
				for e := range jsonedit.Elements(inner) {
					gather(all, e, deep-1)
				}
				return
			}
		}
		content := text(v, "content", "text", "title", "subject", "description")
		if strings.TrimSpace(content) != "" {
			*all = append(*all, todo{content, stateOf(v), text(v, "priority")})
		}
	}
}

// The states that Cambium writes.
const (
	statePending   = "pending"
	stateCompleted = "completed"
)

// stateOf is the state of a todo, or what its mark says.
func stateOf(v entry.JSON) string {
	if state := text(v, "status", "state"); state != "" {
		return state
	}
	for _, key := range []string{"done", "completed", "checked"} {
		if x, ok := jsonedit.Get(v, key); ok {
			if yes, _ := jsonedit.Bool(x); yes {
				return stateCompleted
			}
		}
	}
	return statePending
}

// planOf makes a plan of todos. One that was given up is done with.
func planOf(all []todo) []acp.PlanEntry {
	plan := []acp.PlanEntry{}
	for _, t := range all {
		e := acp.PlanEntry{Content: t.text, Priority: acp.PlanEntryPriorityMedium, Status: acp.PlanEntryStatusPending}
		switch t.state {
		case "in_progress", "active", "doing":
			e.Status = acp.PlanEntryStatusInProgress
		case stateCompleted, "done", "abandoned", "cancelled":
			e.Status = acp.PlanEntryStatusCompleted
		}
		switch p := acp.PlanEntryPriority(t.priority); p {
		case acp.PlanEntryPriorityHigh, acp.PlanEntryPriorityLow:
			e.Priority = p
		}
		plan = append(plan, e)
	}
	return plan
}

// showTodos is the agent's Options.OnTodos: they are told when they have changed.
func (h *held) showTodos(t agent.Todos) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planned(todosOf(t.JSON))
}

// planned notes the todos, and tells them when they have changed; h.mu is held.
func (h *held) planned(all []todo) {
	if slices.Equal(h.todos, all) {
		return
	}
	h.todos = all
	if h.live {
		h.send(context.Background(), acp.UpdatePlan(planOf(all)...))
	}
}

// todosJSON is how Cambium keeps todos.
func todosJSON(all []todo) entry.JSON {
	var list jsonedit.Array
	for _, t := range all {
		list.Add(new(jsonedit.Object).String("content", t.text).String("status", t.state).Value())
	}
	return list.Value()
}
