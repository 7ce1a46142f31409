//go:build unix

package cli_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/wiretest"
)

// A picture that is named in a prompt is sent, however it is named.
func TestChatSendsPictures(t *testing.T) {
	t.Parallel()
	gif, err := base64.StdEncoding.DecodeString("R0lGODlhAQABAAAAACwAAAAAAQABAAA=")
	if err != nil {
		t.Fatal(err)
	}
	k := newTalk(t, wiretest.Text("A plan."), wiretest.Text("A bed."))
	k.write(filepath.Join(k.garden, "my plan.gif"), string(gif), 0o600)
	k.write(filepath.Join(k.home, "bed.gif"), string(gif), 0o600)
	m := k.chat()
	m.Send("What is @my")
	m.WaitFor(`@"my plan.gif"`)
	m.Send("tab", "?", "enter")
	m.WaitFor("A plan.")
	m.WaitFor("image/gif")
	rests(m)
	m.Send("And in (@~/bed.gif)?", "enter")
	m.WaitFor("A bed.")
	k.leave(m)
	for i, r := range k.server.Requests() {
		if got := strings.Count(string(r.Body), "data:image/gif;base64,R0lGOD"); got != i+1 {
			t.Errorf("request %d holds %d pictures", i, got)
		}
	}
}

// So is one that is named in what waits until the agent works on, in its place
// among what waits; and what names none that is there is in the editor again.
func TestChatQueuesPictures(t *testing.T) {
	t.Parallel()
	gif, err := base64.StdEncoding.DecodeString("R0lGODlhAQABAAAAACwAAAAAAQABAAA=")
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	k := newTalk(t, wiretest.Reply{Say: &wiretest.Say{Text: "Digging."}, Stall: true, Events: 1, Release: gate},
		wiretest.Text("A bed."), wiretest.Text("Done."))
	k.write(filepath.Join(k.garden, "bed.gif"), string(gif), 0o600)
	k.write(filepath.Join(k.garden, "bad.gif"), "no picture", 0o600)
	m := k.chat()
	m.Send("Dig.", "enter")
	m.WaitFor("esc stops it")
	m.Send("And @bad.gif ?", "enter")
	m.WaitFor("it is none that models take")
	m.WaitFor("› And @bad.gif ?")
	m.Send("ctrl+c", "Then @bed.gif ?", "enter")
	m.Send("And a last thing?", "enter")
	m.WaitFor("steers: And a last thing?")
	close(gate)
	m.WaitFor("A bed.")
	rests(m)
	k.leave(m)
	all := k.server.Requests()
	body := string(all[len(all)-1].Body) // holds all that was said
	if n := strings.Count(body, "data:image/gif;base64,R0lGOD"); n != 1 || strings.Contains(body, "bad.gif") {
		t.Errorf("%d pictures were sent, and what could not be: %v", n, strings.Contains(body, "bad.gif"))
	}
	bed, last := strings.Index(body, "Then @bed.gif ?"), strings.Index(body, "And a last thing?")
	if bed < 0 || last < bed {
		t.Errorf("what waited was said at %d and %d", bed, last)
	}
}
