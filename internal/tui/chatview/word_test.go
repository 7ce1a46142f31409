package chatview_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/tui/theme"
)

// A name in quotes is completed as a whole, blanks and all.
func TestANameInQuotesIsCompleted(t *testing.T) {
	d := newDesk(t, theme.None, 80, 24)
	last := func() chatview.Complete {
		t.Helper()
		c, ok := d.wishes[len(d.wishes)-1].(chatview.Complete)
		if !ok {
			t.Fatalf("it wants %s", d.wanted())
		}
		return c
	}
	d.keys("see @od")
	if c := last(); c.Word != "od" {
		t.Errorf("it asks for %q", c.Word)
	}
	d.send(chatview.Choices{Seq: last().Seq, All: []chatview.Choice{{Text: `@"odd dir/`}}})
	d.keys("tab", "i")
	if c := last(); c.Word != `"odd dir/i` {
		t.Errorf("it asks for %q", c.Word)
	}
	d.send(chatview.Choices{Seq: last().Seq, All: []chatview.Choice{{Text: `@"odd dir/in it.txt"`}}})
	d.keys("tab", "please")
	if got, want := d.m.Text(), `see @"odd dir/in it.txt" please`; got != want {
		t.Errorf("the editor holds %q, want %q", got, want)
	}
	if n := len(d.wishes); !strings.HasPrefix(last().Word, `"odd dir/`) || n == 0 {
		t.Errorf("it asks for %q", last().Word)
	}
}
