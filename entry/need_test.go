package entry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
)

// A body that no program could read is refused by the name of what it lacks;
// types that nobody knows are not looked into.
func TestParseBodyLacks(t *testing.T) {
	for in, lack := range map[string]string{
		`{"type":""}`: "type is empty",
		`{"type":"compaction","firstKeptEntryId":"a","tokensBefore":1}`:                "compaction has no summary",
		`{"type":"compaction","summary":"s","tokensBefore":1}`:                         "compaction has no firstKeptEntryId",
		`{"type":"compaction","summary":null,"firstKeptEntryId":"a","tokensBefore":1}`: "compaction has no summary",
		`{"type":"compaction","summary":"s","firstKeptEntryId":"a","tokensBefore":1}`:  "",
		`{"type":"branch_summary","summary":"s"}`:                                      "branch_summary has no fromId",
		`{"type":"thinking_level_change"}`:                                             "thinking_level_change has no thinkingLevel",
		`{"type":"thinking_level_change","thinkingLevel":null}`:                        "",
		`{"type":"model_change"}`:                                                      "model_change has no model",
		`{"type":"model_change","provider":"p"}`:                                       "model_change has no modelId",
		`{"type":"model_change","model":"p/m"}`:                                        "",
		`{"type":"model_change","provider":"p","modelId":"m"}`:                         "",
		`{"type":"custom"}`: "custom has no customType",
		`{"type":"custom_message","customType":"c","content":"x"}`:  "custom_message has no display",
		`{"type":"session_info"}`:                                   "session_info has no name",
		`{"type":"context_edit","targetId":"a"}`:                    "context_edit has no replacement",
		`{"type":"context_edit","targetId":"a","replacement":null}`: "",
		`{"type":"reset_boundary"}`:                                 "",
		`{"type":"of_tomorrow"}`:                                    "",
	} {
		_, err := entry.ParseBody([]byte(in))
		switch {
		case lack == "" && err != nil:
			t.Errorf("%s: %v", in, err)
		case lack != "" && (!errors.Is(err, entry.ErrNotBody) || !strings.HasSuffix(err.Error(), lack)):
			t.Errorf("%s: %v, want %q", in, err, lack)
		}
	}
}
