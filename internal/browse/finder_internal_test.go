package browse

import (
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
)

// TestAsks: what has filters, or what is not to be found, is a query as search takes
// it; words, phrases and "re:" before all are the browser's own (published P3).
func TestAsks(t *testing.T) {
	f := newFinder(t.Context(), catalog.Options{}, func() time.Time { return time.UnixMilli(1763632802000) })
	for _, test := range []struct {
		text   string
		query  bool
		reason string // why it cannot be read
	}{
		{"", false, ""},
		{"garden water", false, ""},
		{"\"the garden\" 日本", false, ""},
		{"\"role:user", false, ""},
		{"http://x.y/z", false, ""},
		{"foo: bar 12:30 a:b TODO:x", false, ""},
		{"-", false, ""},
		{"-water", false, ""},
		{"garden --flag - x", false, ""},
		{"\"role:user\"", false, ""},
		{"role:user", true, ""},
		{"water ROLE:user", true, ""},
		{"project:\"a b\" water", true, ""},
		{"-agent:pi water", true, ""},
		{"water -garden", true, ""},
		{"-garden water", true, ""},
		{"water re:a.*b", true, ""},
		{"has:name", true, ""},
		{"water agent:", true, "agent: needs a value"},
		{"roel:user", true, "is role: meant?"},
		{"colour:\"dark red\"", true, "no filter is called colour"},
		{"agent:clippy x", true, "no such agent"},
	} {
		query, err := f.asks(test.text)
		if query != test.query || (err != nil) != (test.reason != "") || err != nil && !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: %v, %v; want %v, %q", test.text, query, err, test.query, test.reason)
		}
	}
}
