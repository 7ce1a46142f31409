package agent

import (
	"slices"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// exitType is the custom type of what omp 18.2.3 appends when it ends.
const exitType = "session_exit"

// interrupted returns what is to be appended to a session of omp whose last turn
// was cut off by the end of its program: an answer that says so, as omp itself
// appends it when it goes on; nil for any other session. fallback is the model of
// an answer before which there was none. The context is the same with it.
func (a *Agent) interrupted(s *session.Session, fallback *replay.Model) (entry.Body, error) {
	if s.Dialect() != dialect.Omp {
		return nil, nil
	}
	list, path := s.Snapshot()
	tail, exits := lastSaid(list, path)
	if tail < 0 {
		return nil, nil
	}
	at, cut, err := lastExit(list, exits)
	if err != nil || !cut {
		return nil, err
	}
	model, open, err := openTurn(list, path[:tail+1])
	if err != nil || !open {
		return nil, err
	}
	if model == nil && fallback != nil {
		var o jsonedit.Object
		model = o.String("provider", fallback.Provider).String("model", fallback.ModelID).Value()
	}
	if model == nil {
		return nil, nil
	}
	if at == entry.NoTime {
		at = a.clock().UnixMilli()
	}
	return abortedAnswer(model, at), nil
}

// lastSaid returns the place on the path of the last message, -1 for none, and the
// notes of an end after it, the last one first.
func lastSaid(list *entry.List, path []int) (message int, exits []int) {
	for at, i := range slices.Backward(path) {
		switch {
		case list.Kind(i) == entry.Message:
			return at, exits
		case list.Kind(i) == entry.Custom && list.Ref(i) == exitType:
			exits = append(exits, i)
		}
	}
	return -1, nil
}

// lastExit reads the first of the notes that is one.
func lastExit(list *entry.List, exits []int) (at int64, cut bool, err error) {
	for _, i := range exits {
		line, err := list.Load(i)
		if err != nil {
			return 0, false, err
		}
		if at, cut, ok := readExit(line); ok {
			return at, cut, nil
		}
	}
	return 0, false, nil
}

// readExit reports whether an end may have cut off a turn: any but an orderly one
// without open calls; and when it was, entry.NoTime where it does not say. ok is
// false for what is no note of an end.
func readExit(line entry.JSON) (at int64, cut, ok bool) {
	data, _ := jsonedit.Get(line, "data")
	if jsonedit.Kind(data) != '{' {
		return 0, false, false
	}
	kind, _ := jsonedit.Text(data, "kind")
	_, hasReason := jsonedit.Text(data, "reason")
	recorded, hasTime := jsonedit.Text(data, "recordedAt")
	if !hasReason || !hasTime {
		return 0, false, false
	}
	at, timed := jsonedit.ParseTime(recorded)
	if !timed {
		at = entry.NoTime
	}
	switch kind {
	case "signal", "fatal", "process_exit":
		return at, true, true
	case "normal":
		calls, _ := jsonedit.Get(data, "pendingToolCalls")
		if jsonedit.Kind(calls) == '[' {
			for range jsonedit.Elements(calls) {
				return at, true, true
			}
		}
		return at, false, true
	}
	return 0, false, false
}

// openTurn reports whether the conversation on a path, which ends with a message,
// ends within a turn, and returns the last answer on it, nil for none.
func openTurn(list *entry.List, path []int) (answer entry.JSON, open bool, err error) {
	tail := path[len(path)-1]
	for _, i := range slices.Backward(path) {
		if list.Kind(i) != entry.Message || list.Role(i) != entry.RoleAssistant {
			continue
		}
		line, err := list.Load(i)
		if err != nil {
			return nil, false, err
		}
		answer, _ = jsonedit.Get(line, "message")
		if i == tail && !calls(answer) {
			return nil, false, nil
		}
		reason, _ := jsonedit.Text(answer, "stopReason")
		broken := reason == "error" || reason == "aborted"
		return answer, !(broken && list.Role(tail) == entry.RoleToolResult), nil
	}
	return nil, true, nil
}

// calls reports whether an answer calls a tool.
func calls(answer entry.JSON) bool {
	content, _ := jsonedit.Get(answer, "content")
	if jsonedit.Kind(content) != '[' {
		return false
	}
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind == "toolCall" {
			return true
		}
	}
	return false
}

// abortedAnswer is an empty answer that was aborted, of the model that gave the
// answer before.
func abortedAnswer(before entry.JSON, at int64) entry.Body {
	const none = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
		`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	var o jsonedit.Object
	o.String("role", entry.RoleAssistant.String()).Add("content", entry.JSON("[]"))
	for _, key := range []string{"api", "provider", "model"} {
		text, _ := jsonedit.Text(before, key)
		o.String(key, text)
	}
	o.Add("usage", entry.JSON(none)).String("stopReason", "aborted")
	o.String("errorMessage", "The program ended before this turn did.").Int("timestamp", at)
	return &entry.MessageBody{Message: o.Value()}
}
