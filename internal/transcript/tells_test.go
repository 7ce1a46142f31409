package transcript_test

import (
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/transcript"
)

// TestTells: what says something to a person, told without reading an entry.
func TestTells(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"message","id":"a","message":{"role":"user","content":"x"}}`:    true,
		`{"type":"compaction","id":"a","summary":"x"}`:                           true,
		`{"type":"label","id":"a","targetId":"b","label":"x"}`:                   true,
		`{"type":"model_change","id":"a","provider":"p","modelId":"m"}`:          true,
		`{"type":"custom","id":"a","customType":"state","data":{}}`:              false,
		`{"type":"custom","id":"a","customType":"cambium.leaf","data":{}}`:       true,
		`{"type":"usage","id":"a"}`:                                              false,
		`{"type":"odd","id":"a"}`:                                                false,
		`{"type":"custom_message","id":"a","customType":"lint","content":"two"}`: true,
	} {
		list, err := entry.NewList([][]byte{[]byte(line)})
		if err != nil {
			t.Fatal(err)
		}
		list.Load = nil // nothing is read
		if got := transcript.Tells(list, 0); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestErrs: which messages tell of an error, and how a tool ended.
func TestErrs(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"role":"user","content":"error"}`:                               false,
		`{"role":"assistant","content":[],"stopReason":"stop"}`:           false,
		`{"role":"assistant","content":[],"stopReason":"aborted"}`:        false,
		`{"role":"assistant","content":[],"stopReason":"error"}`:          true,
		`{"role":"assistant","content":[],"errorMessage":"no"}`:           true,
		`{"role":"toolResult","content":[],"isError":true}`:               true,
		`{"role":"toolResult","content":[],"details":{"exitCode":0}}`:     false,
		`{"role":"toolResult","content":[],"details":{"exitCode":2}}`:     true,
		`{"role":"bashExecution","command":"a","output":"","exitCode":1}`: true,
		`{"role":"bashExecution","command":"a","output":"","exitCode":0}`: false,
		`[]`: true,
	} {
		if got := transcript.Read([]byte(raw)).Errs(); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
	for details, want := range map[string]transcript.Outcome{
		`{"exitCode":3,"durationMs":1200}`: {Exit: 3, Took: 1200}, `{"wallTimeMs":5}`: {Took: 5},
		`{"exitCode":null,"durationMs":"long"}`: {}, `[1]`: {}, `{}`: {},
	} {
		m := transcript.Read([]byte(`{"role":"toolResult","content":[],"details":` + details + `}`))
		if m.Outcome != want {
			t.Errorf("%s: %+v", details, m.Outcome)
		}
	}
}
