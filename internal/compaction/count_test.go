package compaction_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
)

func TestEstimate(t *testing.T) {
	const image = `{"type":"image","data":"AAAA","mimeType":"image/png"}`
	tests := []struct {
		name, msg     string
		pi, omp, xcsh int
	}{
		{"text", `{"role":"user","content":"abcde"}`, 2, 2, 2},
		{"blocks", `{"role":"user","content":[{"type":"text","text":"abc"},{"type":"text","text":"de"}]}`, 2, 2, 2},
		{"pictures of a user", `{"role":"user","content":[` + image + `]}`, 1200, 1200, 0},
		{"pictures in a result", `{"role":"toolResult","content":[` + image + `,{"type":"text","text":"a"}]}`, 1201, 1201, 1201},
		{"astral", `{"role":"user","content":"😀😀"}`, 1, 2, 1},
		{"accents", `{"role":"user","content":"éééé"}`, 1, 2, 1},
		{"call", `{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"k":"v"}}]}`, 4, 4, 4},
		{"call spelled oddly", `{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{ "k" : "\u0076" }}]}`, 4, 4, 4},
		{"call without arguments", `{"role":"assistant","content":[{"type":"toolCall","name":"bash"}]}`, 2, 2, 2},
		{"thinking", `{"role":"assistant","content":[{"type":"thinking","thinking":"abcd","thinkingSignature":"abcdefgh"}]}`, 1, 3, 1},
		{"encrypted", `{"role":"assistant","content":[{"type":"redactedThinking","data":"abcdefgh"}]}`, 0, 2, 0},
		{"command", `{"role":"bashExecution","command":"ls","output":"a b"}`, 2, 2, 2},
		{"extension", `{"role":"custom","content":"abcd"}`, 1, 1, 0},
		{"hook", `{"role":"hookMessage","content":"abcd"}`, 0, 1, 1},
		{"developer", `{"role":"developer","content":"abcd"}`, 0, 1, 0},
		{"python", `{"role":"pythonExecution","code":"abcd"}`, 0, 0, 0},
		{"files", `{"role":"fileMention","files":[{"path":"abcd","content":"abcd"}]}`, 0, 0, 0},
		{"branch", `{"role":"branchSummary","summary":"abcd"}`, 1, 1, 1},
		{"compaction", `{"role":"compactionSummary","summary":"abcd","blocks":[{"type":"text","text":"abcd"},` + image + `]}`, 1, 2 + 5024, 1},
		{"system", `{"role":"system","content":"abcd","sections":{"a":"abcd","b":null},"toolsAdded":[{"name":"x"}]}`, 6, 0, 0},
		{"unknown", `{"role":"oracle","content":"abcd"}`, 0, 0, 0},
		{"damaged", `{"role":"user","content":7}`, 0, 0, 0},
		{"no object", `[1]`, 0, 0, 0},
		{"nothing", ``, 0, 0, 0},
	}
	for _, tt := range tests {
		for name, want := range map[dialect.Name]int{dialect.Pi: tt.pi, dialect.Omp: tt.omp, dialect.Xcsh: tt.xcsh, dialect.Cambium: tt.xcsh} {
			_, r := rules(t, name)
			if got := r.Count.Estimate(entry.JSON(tt.msg)); got != want {
				t.Errorf("%s, %s: %d tokens, want %d", tt.name, name, got, want)
			}
		}
	}
}

// TestArgumentsCountAsPrinted compares with what JSON.stringify prints of the
// arguments of a call.
func TestArgumentsCountAsPrinted(t *testing.T) {
	for spelled, printed := range map[string]string{
		`{"a":1.0e2}`:                  `{"a":100}`,
		`{"a":12345678901234567890}`:   `{"a":12345678901234567000}`,
		`[ "\u00e9\u0041" , -0 ]`:      `["éA",0]`,
		`"\ud83d\ude00\/"`:             `"😀/"`,
		`"\ud83d \n\u0001\t\"\\"`:      `"\ud83d \n\u0001\t\"\\"`,
		`{"\u0061":[true,false,null]}`: `{"a":[true,false,null]}`,
		`"\ude00\ud83d"`:               `"\ude00\ud83d"`,
	} {
		for name, length := range map[dialect.Name]func(string) int{
			dialect.Pi:  func(s string) int { return len([]rune(s)) + strings.Count(s, "😀") },
			dialect.Omp: func(s string) int { return len(s) },
		} {
			_, r := rules(t, name)
			// 4 characters a token: pad so that every length shows.
			for pad := range 4 {
				msg := `{"role":"assistant","content":[{"type":"toolCall","name":"","arguments":{"p":[` + strings.Repeat("7,", pad) + spelled + `]}}]}`
				want := (length(printed) + 2*pad + len(`{"p":[]}`) + 3) / 4
				if got := r.Count.Estimate(entry.JSON(msg)); got != want {
					t.Errorf("%s, %s: %d tokens, want %d", name, spelled, got, want)
				}
			}
		}
	}
}
