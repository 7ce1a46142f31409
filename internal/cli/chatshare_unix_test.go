//go:build unix && share

package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/tui/tuitest"
)

// chatShared starts a chat on a machine of its own whose sessions are in a store.
func (k *parlour) chatShared(url, dir string, args ...string) *tuitest.Terminal {
	return tuitest.Start(k.t, tuitest.Options{Args: append([]string{"chat"}, args...), Home: k.home, Dir: dir, Cols: 100, Rows: 30,
		Env: []string{"CAMBIUM_STORE=" + url, "PATH=" + filepath.Join(k.home, "bin") + ":/usr/bin:/bin"}})
}

// away leaves a chat, which may have told of its store before the screen.
func away(m *tuitest.Terminal) {
	m.Send("ctrl+c")
	m.WaitFor("ctrl+c again leaves")
	m.Send("ctrl+c")
	m.Wait()
}

// Two machines chat in one session of a shared store: what one says appears on the
// other, which can go on with it.
func TestShareChat(t *testing.T) { eachStore(t, testShareChat) }

func testShareChat(t *testing.T, url string) {
	work := t.TempDir()
	one := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("In May."), wiretest.Text("In June."))
	two := newTalk(t, wiretest.Text("Beside the beans."))
	m := one.chatShared(url, work)
	m.WaitFor("test ·")
	say(m, "How much?", "Two litres.")
	n := two.chatShared(url, work, "--resume")
	n.WaitFor("enter resume")
	n.WaitFor("How much?")
	n.Send("enter")
	n.WaitFor("Go on beside it (g)")
	n.Send("g", "enter")
	n.WaitFor("▌ How much?")
	n.WaitFor("Two litres.")
	n.WaitFor(" too")
	say(n, "And where?", "Beside the beans.")
	m.WaitFor("┊ ▌ And where?")
	m.WaitFor("┊ Beside the beans.")
	m.WaitFor("/join goes on")
	m.WaitFor(" too")
	m.Send("/join", "enter")
	m.WaitFor("Joined")
	m.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "Beside the beans.") && !strings.Contains(screen, "┊")
	})
	away(n)
	say(m, "And when?", "In May.")
	m.WaitFor("▌ And when?")
	away(m)
	n = two.chatShared(url, work, "--resume")
	n.WaitFor("enter resume")
	n.Send("enter")
	n.WaitFor("test ·")
	n.WaitFor("In May.")
	n.WaitFor("Beside the beans.")
	away(n)
}

// While the store is away the chat goes on, and says what is not there yet; when it
// is back everything is sent.
func TestShareChatAway(t *testing.T) {
	t.Parallel()
	server := shareServer(t)
	work := t.TempDir()
	url := server.URL("postgres")
	one := newTalk(t, wiretest.Text("Two litres."), wiretest.Text("In May."), wiretest.Text("In June."))
	two := newTalk(t)
	m := one.chatShared(url, work)
	m.WaitFor("test ·")
	say(m, "How much?", "Two litres.")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	m.Send("And when?", "enter")
	m.WaitFor("In May.")
	rests(m)
	m.WaitFor("the store does not answer")
	m.WaitFor("2 unsent")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	say(m, "And then?", "In June.")
	away(m)
	m = one.chatShared(url, work, "--resume") // what waits is sent
	m.WaitFor("enter resume")
	m.Send("enter")
	m.WaitFor("test ·")
	m.WaitFor("In June.")
	m.WaitGone("unsent")
	away(m)
	n := two.chatShared(url, work, "--resume")
	n.WaitFor("enter resume")
	n.Send("enter")
	n.WaitFor("test ·")
	n.WaitFor("In May.")
	n.WaitFor("In June.")
	away(n)
}
