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
	m.Send("And in (@~/bed.gif)?", "enter")
	m.WaitFor("A bed.")
	k.leave(m)
	for i, r := range k.server.Requests() {
		if got := strings.Count(string(r.Body), "data:image/gif;base64,R0lGOD"); got != i+1 {
			t.Errorf("request %d holds %d pictures", i, got)
		}
	}
}
