package acp

import (
	"strings"

	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// maxPlan is how many todos a client is told, maxNested how deep they may lie.
const (
	maxPlan   = 500
	maxNested = 4
)

// planOf makes a plan of todos in the shape of whoever wrote them: a list, or
// phases with lists (omp 18.2.3), of objects with a text and a status or a mark.
func planOf(todos jsontext.Value) []acp.PlanEntry {
	var plan []acp.PlanEntry
	gather(&plan, todos, maxNested)
	return plan
}

func gather(plan *[]acp.PlanEntry, v jsontext.Value, deep int) {
	if deep == 0 || len(*plan) >= maxPlan {
		return
	}
	switch v.Kind() {
	case '[':
		for e := range splice.Elements(v) {
			gather(plan, e, deep-1)
		}
	case '"':
		if t, _ := splice.String(v); strings.TrimSpace(t) != "" {
			*plan = append(*plan, acp.PlanEntry{Content: t, Priority: acp.PlanEntryPriorityMedium, Status: acp.PlanEntryStatusPending})
		}
	case '{':
		for _, key := range []string{"phases", "todos", "tasks", "items"} {
			if inner, ok := splice.Get(v, key); ok && inner.Kind() == '[' {
				for e := range splice.Elements(inner) {
					gather(plan, e, deep-1)
				}
				return
			}
		}
		content := text(v, "content", "text", "title", "subject", "description")
		if strings.TrimSpace(content) == "" {
			return
		}
		e := acp.PlanEntry{Content: content, Priority: acp.PlanEntryPriorityMedium, Status: planStatus(v)}
		switch p := acp.PlanEntryPriority(text(v, "priority")); p {
		case acp.PlanEntryPriorityHigh, acp.PlanEntryPriorityLow:
			e.Priority = p
		}
		*plan = append(*plan, e)
	}
}

// planStatus is how a todo stands. One that was given up is done with.
func planStatus(v jsontext.Value) acp.PlanEntryStatus {
	switch text(v, "status", "state") {
	case "in_progress", "active", "doing":
		return acp.PlanEntryStatusInProgress
	case "completed", "done", "abandoned", "cancelled":
		return acp.PlanEntryStatusCompleted
	}
	for _, key := range []string{"done", "completed", "checked"} {
		if x, ok := splice.Get(v, key); ok {
			if yes, _ := splice.Bool(x); yes {
				return acp.PlanEntryStatusCompleted
			}
		}
	}
	return acp.PlanEntryStatusPending
}
