//go:build unix

package cli_test

import (
	"testing"
)

// A name that several sessions have lists them.
func TestChatListsWhatResumeMayMean(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	for n, name := range []string{"Garden beds", "Garden hose"} {
		path := k.session(n+1, k.garden, "What?", "That.")
		k.add(path, `{"type":"session_info","id":"ddddddd1","parentId":null,"timestamp":"2026-11-20T10:00:04.000Z","name":"`+name+`"}`)
	}
	m := k.chat()
	for _, arg := range []string{"Garden", "0198c2a"} {
		m.Send("/resume "+arg, "enter")
		m.WaitFor("Garden beds")
		m.WaitFor("Garden hose")
		m.WaitFor("0198c2a1-77aa")
		m.WaitFor("/resume and an id goes to one of them")
		m.Send("esc")
		m.WaitGone("Garden hose")
	}
	m.Send("/resume 0198c2a2-77aa", "enter")
	m.WaitFor("Resumed session")
	k.leave(m)
}
