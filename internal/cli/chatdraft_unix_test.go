//go:build unix

package cli_test

import (
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/state"
)

// drafts are the drafts there are.
func (k *parlour) drafts() []string {
	k.t.Helper()
	all, err := filepath.Glob(filepath.Join(state.Dir(filepath.Join(k.home, ".local/state/cambium")), "*"))
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// Nothing is kept of a chat in which nothing was said.
func TestChatKeepsNothingUnsaid(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	m := k.chat()
	m.Send("/new", "enter")
	m.WaitFor("New session")
	m.Send("/thinking high", "enter")
	m.WaitFor("thinking high")
	if len(k.drafts()) == 0 {
		t.Error("there is no draft while it is open")
	}
	k.leave(m)
	if all := k.drafts(); len(all) > 0 {
		t.Errorf("there are drafts: %q", all)
	}
}
