package search

import (
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// TestDeepValues: an entry that nests as deep as is looked is read about as fast as one
// that is as long and flat.
func TestDeepValues(t *testing.T) {
	nested := func(open, end string) string {
		return strings.Repeat(open, 2*jsonedit.MaxDepth) + "1" + strings.Repeat(end, 2*jsonedit.MaxDepth)
	}
	for _, value := range []string{nested(`{"a":`, "}"), nested(`[`, "]"), nested(`[{"b":"word","a":`, "}]")} {
		for kind, line := range map[entry.Kind]string{
			entry.Custom:  `{"type":"custom","data":` + value + `}`,
			entry.Unknown: `{"type":"odd","x":` + value + `}`,
			entry.Message: `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","arguments":` + value + `}]}}`,
		} {
			start := time.Now()
			new(speech).read([]byte(line), kind)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s of %d bytes took %v", kind, len(line), took)
			}
		}
	}
}
