package session

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// EditContext appends an entry that changes what the model sees of an earlier
// one on the leaf's branch, and returns its id. replacement is null, which
// takes the target out, or an object whose content is a string or an array;
// nil means null. pi writes context_edit; for the others it is a custom entry
// of Cambium's, which their programs pass over.
//
// The errors are the published ones of pi.
func (s *Session) EditContext(ctx context.Context, target entry.ID, replacement entry.JSON) (entry.ID, error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	return s.editContext(ctx, target, replacement)
}

func (s *Session) editContext(ctx context.Context, target entry.ID, replacement entry.JSON) (entry.ID, error) {
	if err := s.writable(); err != nil {
		return "", err
	}
	if jsonedit.IsNull(replacement) {
		replacement = nil
	}
	if !validReplacement(replacement) {
		return "", &Error{ID: target, Text: "Context edit replacement must be null or contain string/array content"}
	}
	at, err := s.cur.find(target)
	if err != nil {
		return "", err
	}
	if !s.cur.onBranch(at) {
		return "", &Error{ID: target, Text: "Entry " + target + " is not on the active branch"}
	}
	return s.append(ctx, s.cur.rules.EditBody(target, replacement))
}

func validReplacement(v entry.JSON) bool {
	if v == nil {
		return true
	}
	content, ok := jsonedit.Get(v, "content")
	if !ok {
		return false
	}
	k := jsonedit.Kind(content)
	return k == '"' || k == '['
}

// onBranch reports whether entry at is on the branch of the leaf.
func (b *book) onBranch(at int) bool {
	for _, i := range b.path(b.leaf, healed) {
		if i == at {
			return true
		}
	}
	return false
}

// EditArguments changes the arguments of a tool call on the leaf's branch as
// the model sees them (published: tool-call arguments rewritten), by appending
// an edit of the message that made the call. arguments is a JSON object. The
// error is ErrNotFound when no message on the branch made that call.
func (s *Session) EditArguments(ctx context.Context, callID string, arguments entry.JSON) (entry.ID, error) {
	ctx = s.ahead(ctx)
	s.mu.Lock()
	defer s.unlock()
	if jsonedit.Kind(arguments) != '{' {
		return "", fmt.Errorf("edit arguments of call %q: not a JSON object", callID)
	}
	list := s.cur.log.List()
	path := s.cur.path(s.cur.leaf, healed)
	for i := len(path) - 1; i >= 0; i-- {
		if list.Role(path[i]) != entry.RoleAssistant {
			continue
		}
		e, err := list.Entry(path[i])
		if err != nil {
			return "", err
		}
		content, ok := spelling.WithArguments(e.Message(), callID, arguments)
		if !ok {
			continue
		}
		return s.editContext(ctx, e.ID, new(jsonedit.Object).Add("content", content).Value())
	}
	return "", fmt.Errorf("edit arguments of call %q: %w", callID, ErrNotFound)
}
