package compaction_test

import (
	"testing"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
)

func TestUsed(t *testing.T) {
	const compaction = `"type":"compaction","summary":"abcdefgh","firstKeptEntryId":"e1","tokensBefore":1`
	edit := map[dialect.Name]string{
		dialect.Pi:   `"type":"context_edit","targetId":"e0","replacement":{"content":"abcd"}`,
		dialect.Xcsh: `"type":"custom","customType":"cambium.edit","data":{"targetId":"e0","replacement":{"content":"abcd"}}`,
	}
	failed := `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"abcd"}],"stopReason":"error","usage":{"totalTokens":9}}`
	snapshot := `"type":"message","message":{"role":"assistant","content":[],"stopReason":"stop","usage":{"input":1,"output":10,"totalTokens":11},` +
		`"contextSnapshot":{"promptTokens":500,"historyRewriteTokensRemoved":100}}`
	own := `"type":"message","message":{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":90,"orchestration":{"input":30}}}`
	parts := `"type":"message","message":{"role":"assistant","content":[],"stopReason":"stop","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":0}}`
	tests := []struct {
		name    string
		dialect dialect.Name
		bodies  []string
		want    compact.Fill
	}{
		{"nothing", dialect.Pi, nil, compact.Fill{Entry: -1}},
		{"no usage", dialect.Pi, []string{user(long(5)), answer(long(6))}, compact.Fill{Tokens: 11, Estimated: 11, Entry: -1}},
		{"usage last", dialect.Pi, []string{user(long(5)), used(700)}, compact.Fill{Tokens: 700, Counted: 700, Entry: 1}},
		{"usage and more", dialect.Xcsh, []string{user(long(5)), used(700), user(long(7))}, compact.Fill{Tokens: 707, Counted: 700, Estimated: 7, Entry: 1}},
		{"parts", dialect.Pi, []string{parts}, compact.Fill{Tokens: 10, Counted: 10, Entry: 0}},
		{"zero does not count", dialect.Xcsh, []string{used(700), used(0)}, compact.Fill{Tokens: 701, Counted: 700, Estimated: 1, Entry: 0}},
		{"failed does not count", dialect.Pi, []string{used(700), failed}, compact.Fill{Tokens: 701, Counted: 700, Estimated: 1, Entry: 0}},
		{"snapshot", dialect.Omp, []string{snapshot}, compact.Fill{Tokens: 410, Counted: 410, Entry: 0}},
		{"the provider's own", dialect.Omp, []string{own}, compact.Fill{Tokens: 60, Counted: 60, Entry: 0}},
		{"pi edit", dialect.Pi, []string{user(long(50)), used(700), edit[dialect.Pi]}, compact.Fill{Tokens: 2, Estimated: 2, Entry: -1}},
		{"other edit", dialect.Xcsh, []string{user(long(50)), used(700), edit[dialect.Xcsh]}, compact.Fill{Tokens: 2, Estimated: 2, Entry: -1}},
		{"usage after an edit", dialect.Pi, []string{user(long(50)), edit[dialect.Pi], used(700)}, compact.Fill{Tokens: 700, Counted: 700, Entry: 2}},
		{"compaction", dialect.Pi, []string{user(long(50)), used(700), compaction, user(long(3))}, compact.Fill{Tokens: 6, Estimated: 6, Entry: -1}},
		{"usage after a compaction", dialect.Pi, []string{user(long(50)), used(700), compaction, used(30)}, compact.Fill{Tokens: 30, Counted: 30, Entry: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, r := rules(t, tt.dialect)
			s := chain(t, tt.bodies...)
			got, err := r.Used(s.list, s.path())
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("Used = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestThreshold(t *testing.T) {
	tests := []struct {
		name             string
		settings         compact.Settings
		window, pi, xcsh int
	}{
		{"default", compact.Settings{}, 200_000, 183_616, 170_000},
		{"default of a middling window", compact.Settings{}, 100_000, 83_616, 83_616},
		{"default of a small window", compact.Settings{}, 16_000, 13_600, 13_600},
		{"reserve", compact.Settings{Reserve: 50_000}, 200_000, 150_000, 150_000},
		{"little reserve", compact.Settings{Reserve: 100}, 200_000, 199_900, 170_000},
		{"no reserve", compact.Settings{Reserve: -1}, 200_000, 199_999, 170_000},
		{"reserve beyond the window", compact.Settings{Reserve: 300_000}, 200_000, 170_000, 170_000},
		{"tokens", compact.Settings{ThresholdTokens: 1000, ThresholdPercent: 50}, 200_000, 1000, 1000},
		{"too many tokens", compact.Settings{ThresholdTokens: 900_000}, 200_000, 199_999, 199_999},
		{"percent", compact.Settings{ThresholdPercent: 50}, 200_000, 100_000, 100_000},
		{"too many percent", compact.Settings{ThresholdPercent: 150}, 200_000, 198_000, 198_000},
		{"a part of a percent", compact.Settings{ThresholdPercent: 0.1}, 200_000, 2000, 2000},
	}
	for _, tt := range tests {
		for name, want := range map[dialect.Name]int{dialect.Pi: tt.pi, dialect.Omp: tt.xcsh, dialect.Xcsh: tt.xcsh, dialect.Cambium: tt.xcsh} {
			_, r := rules(t, name)
			if got := r.Threshold(tt.window, tt.settings); got != want {
				t.Errorf("%s, %s: threshold %d, want %d", tt.name, name, got, want)
			}
			if !r.Due(want+1, tt.window, tt.settings) || r.Due(want, tt.window, tt.settings) {
				t.Errorf("%s, %s: not due above %d and only there", tt.name, name, want)
			}
		}
	}
	_, r := rules(t, dialect.Pi)
	if r.Due(1<<30, 200_000, compact.Settings{Disabled: true}) {
		t.Error("due though turned off")
	}
	if r.Due(1<<30, 0, compact.Settings{}) {
		t.Error("due for a window that is not known")
	}
}
