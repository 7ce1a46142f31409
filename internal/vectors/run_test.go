package vectors_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/go-json-experiment/json/jsontext"
)

// elsewhere names who runs the operations that are not run here.
func elsewhere() map[string]string {
	return map[string]string{
		"searchSessions": "internal/tui/picker TestVectors",
		"fuzzyMatch":     "internal/tui/picker TestFuzzyVectors",
	}
}

// operations are those that run here, by name. Each returns what came out, part
// by part; the parts of a script are its steps.
func operations() map[string]func(*sandbox) []part {
	return map[string]func(*sandbox) []part{
		"script": script, "forkFrom": forkFrom, "moveTo": moveTo,
		"sessionDirName": dirNames, "sessionDirMigration": dirMigration,
		"convertToLlm": convertToLLM, "summaryText": summaryText,
		"persistText": persistText, "persistImages": persistImages, "persistEntry": persistEntry,
		"terminalId": terminalID, "breadcrumb": breadcrumbs,
		"findCutPoint": cutPoints, "prune": pruned,
		"titleSlot": titleSlot, "snowflake": snowflake, "list": list, "history": history,
	}
}

// A part is one thing that a vector expects, with a name by which it can give
// way.
type part struct {
	name      string
	want, got jsontext.Value
}

func TestVectors(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 109 {
		t.Errorf("%d vectors, want 109", len(all))
	}
	ways := giveWays()
	used := map[string]bool{}
	for _, v := range all {
		name := strings.TrimSuffix(v.File, ".json")
		run, ok := operations()[v.Operation]
		if !ok {
			if elsewhere()[v.Operation] == "" {
				t.Errorf("%s: nobody runs operation %q", v.File, v.Operation)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newSandbox(t, v)
			m := newMatcher(b.dir, b.cwd())
			for _, p := range run(b) {
				key := name + " " + p.name
				way, gives := ways[key]
				if gives {
					used[key] = true
				}
				check(t, m, v, p, way, gives)
			}
		})
	}
	for key := range ways {
		if !used[key] && !t.Failed() {
			t.Errorf("%q gives way, but there is no such part", key)
		}
	}
}

// check compares one part with what is expected, or with what comes instead.
func check(t *testing.T, m *matcher, v vectors.Vector, p part, way giveWay, gives bool) {
	t.Helper()
	if !gives {
		if err := m.part(p.want, p.got); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		return
	}
	if !reasonable(way.reason, v.Note) {
		t.Errorf("%s: gives way to %q, which is no D-number, promise or defect", p.name, way.reason)
	}
	if m.clone().part(p.want, p.got) == nil {
		t.Errorf("%s: gives way to %s, but need not", p.name, way.reason)
	}
	if err := m.part(way.instead, p.got); err != nil {
		t.Errorf("%s: gives way to %s, but not as it says: %v", p.name, way.reason, err)
	}
}

var reasons = regexp.MustCompile(`^(D([1-9]|1\d|2[0-5])|promise [1-7]|defect|published|tolerant reading)$`)

// reasonable reports whether a vector may give way to reason: to a defect only
// if its own note calls it one.
func reasonable(reason, note string) bool {
	return reasons.MatchString(reason) && (reason != defect || strings.Contains(note, defect))
}

// quoted are the error texts that are part of the contract.
var quoted = regexp.MustCompile(`^(Entry .* not found|Entry .* is not on the active branch|Context edit replacement |Cannot fork: |Session ".*" not found\.$)`)

// part compares a result. Errors are compared by their text where that is part
// of the contract, otherwise any error will do.
func (m *matcher) part(want, got jsontext.Value) error {
	text, isError := jsonedit.Text(want, "error")
	if !isError || jsonedit.Len(want) > 1 {
		return m.value(want, got)
	}
	gotText, ok := jsonedit.Text(got, "error")
	if !ok {
		return fmt.Errorf("want error %q, got %s", text, clip(string(got)))
	}
	if quoted.MatchString(text) || strings.HasPrefix(text, "~") {
		return m.text(strings.TrimPrefix(text, "~"), gotText)
	}
	return nil
}

// script runs a vector of steps.
func script(b *sandbox) []part {
	var parts []part
	steps, _ := jsonedit.Get(b.v.Args, "steps")
	results, _ := jsonedit.Get(b.v.Expected, "results")
	var wants []jsontext.Value
	for w := range jsonedit.Elements(results) {
		wants = append(wants, w)
	}
	i := 0
	for raw := range jsonedit.Elements(steps) {
		s := b.parse(raw)
		got := outcome(b.run(s))
		b.past = append(b.past, got)
		parts = append(parts, part{name: fmt.Sprint(i), want: wants[i], got: got})
		i++
	}
	return parts
}
