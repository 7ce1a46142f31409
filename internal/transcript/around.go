package transcript

import (
	"slices"

	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/session"
)

// Around returns up to n entries of the conversation before entry i and up to n behind it,
// each in order. Behind it goes the branch where the session goes on or, beside that, the
// newest.
func Around(s *session.Session, i, n int) (before, after []int) {
	t, list := tree.Of(s.Tree()), s.List()
	if i < 0 || i >= t.Len() || n <= 0 {
		return nil, nil
	}
	path := t.Path(i, tree.Healed)
	for _, j := range slices.Backward(path[:len(path)-1]) {
		if len(before) == n {
			break
		}
		if tree.Conversation(list.Kind(j)) {
			before = append(before, j)
		}
	}
	slices.Reverse(before)
	var active []int
	if leaf := s.LeafPosition(); leaf >= 0 {
		active = t.Path(leaf, tree.Healed)
	}
	depth := len(path)
	on := depth <= len(active) && active[depth-1] == i
	for at := i; len(after) < n; depth++ {
		kids := t.Children(at, tree.Healed)
		switch {
		case on && depth < len(active):
			at = active[depth]
		case len(kids) == 0 || depth >= t.Len():
			return before, after
		default:
			at = kids[len(kids)-1]
		}
		if tree.Conversation(list.Kind(at)) {
			after = append(after, at)
		}
	}
	return before, after
}
