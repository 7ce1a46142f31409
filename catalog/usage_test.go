package catalog_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/google/go-cmp/cmp"
)

// answer is an assistant message that cost something, minute minutes after
// three o'clock.
func answer(id string, minute int, model string, cost float64) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":"2026-01-02T03:%02d:00.000Z","message":{"role":"assistant","content":[],"provider":"p","model":%q,"usage":{"input":10,"output":2,"cacheRead":1,"cacheWrite":1,"totalTokens":14,"cost":{"input":0,"output":0,"total":%v}},"stopReason":"stop"}}`,
		id, minute, model, cost)
}

func TestForksCountOnce(t *testing.T) {
	h := newHome(t)
	u := message("u", "user", "x", "")
	a, b, c, d := answer("a", 1, "one", 1), answer("b", 2, "two", 2), answer("c", 3, "two", 4), answer("d", 4, "three", 8)
	root := h.put(cambium+"w/1_root0001.jsonl", header("root0001", "/w", ""), u, a, b)
	h.put(cambium+"w/2_fork0001.jsonl", header("fork0001", "/w", `,"parentSession":"root0001"`), u, a, b, c)
	h.put(pi+"w/3_fork0002.jsonl", header("fork0002", "/w", fmt.Sprintf(`,"parentSession":%q`, root)), u, a, d)
	h.put(xcsh+"w/4_fork0003.jsonl", header("fork0003", "/w", `,"parentSession":"fork0001"`), u, a, b, c, d)
	// The same id at another time is another entry.
	h.put(omp+"w/5_fork0004.jsonl", header("fork0004", "/w", `,"parentSession":"root0001"`), u, answer("a", 9, "one", 16))
	h.put(omp+"w/6_fork0005.jsonl", header("fork0005", "/w", `,"parentSession":"gone"`), u, a)
	h.put(omp+"w/7_self0001.jsonl", header("self0001", "/w", `,"parentSession":"self0001"`), u, b)
	got := map[string]string{}
	total := 0.0
	for _, i := range listed(t, h.options()) {
		got[i.ID] = fmt.Sprintf("%v+%v %d %s %v", i.Usage.Cost, i.Inherited.Cost, i.Usage.Messages, i.Model, i.Forked)
		if strings.HasPrefix(i.ID, "root") || i.ID == "fork0001" || i.ID == "fork0002" || i.ID == "fork0003" {
			total += i.Usage.Cost
		}
	}
	want := map[string]string{
		"root0001": "3+0 2 p/two false", "fork0001": "4+3 1 p/two true", "fork0002": "8+1 1 p/three true",
		"fork0003": "8+7 1 p/three true", "fork0004": "16+0 1 p/one true", "fork0005": "1+0 1 p/one true",
		"self0001": "2+0 1 p/two true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("own and inherited cost (-want +got):\n%s", diff)
	}
	if total != 3+4+8+8 {
		t.Errorf("the lineage cost %v", total)
	}
}

// Of many costs only the sum is kept; a fork that has so many still tells its
// own from those of what it was copied from.
func TestForksOfManyAnswersCountOnce(t *testing.T) {
	h := newHome(t)
	const n = 20_000
	var old, own []string
	for i := range n {
		old = append(old, answer(fmt.Sprintf("o%07d", i), i%60, "m", 1))
		own = append(own, answer(fmt.Sprintf("n%07d", i), i%60, "m", 2))
	}
	h.put(pi+"w/1_root0001.jsonl", append([]string{header("root0001", "/w", "")}, old...)...)
	h.put(pi+"w/2_fork0001.jsonl", append(append([]string{header("fork0001", "/w", `,"parentSession":"root0001"`)}, old...), own...)...)
	h.put(pi+"w/3_lone0001.jsonl", append([]string{header("lone0001", "/w", `,"parentSession":"gone"`)}, own...)...)
	got := map[string][2]float64{}
	for _, i := range listed(t, h.options()) {
		got[i.ID] = [2]float64{i.Usage.Cost, i.Inherited.Cost}
	}
	want := map[string][2]float64{"root0001": {n, 0}, "fork0001": {2 * n, n}, "lone0001": {2 * n, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("own and inherited cost (-want +got):\n%s", diff)
	}
}

func TestUsageCountsWhatWasSpentBeside(t *testing.T) {
	h := newHome(t)
	usage := `{"input":1,"output":0.5,"premiumRequests":2,"cost":{"total":0.25}}`
	h.put(omp+"w/1_s0000001.jsonl", header("s0000001", "/w", ""), message("u", "user", "x", ""),
		answer("a", 1, "m", 1),
		`{"type":"message","id":"t","parentId":"a","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"toolResult","toolName":"task","content":[],"details":{"usage":`+usage+`}}}`,
		`{"type":"message","id":"n","parentId":"t","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"toolResult","toolName":"bash","content":[],"details":{"usage":`+usage+`}}}`,
		`{"type":"compaction","id":"c","parentId":"n","timestamp":"2026-01-02T03:04:06.000Z","summary":"s","usage":`+usage+`}`,
		`{"type":"usage","id":"x","parentId":"c","timestamp":"2026-01-02T03:04:06.000Z","usage":`+usage+`}`,
		`{"type":"usage","id":"y","parentId":"x","timestamp":"2026-01-02T03:04:06.000Z","usage":"no object"}`)
	all := listed(t, h.options())
	want := catalog.Usage{Input: 13, Output: 3.5, CacheRead: 1, CacheWrite: 1, PremiumRequests: 6, Cost: 1.75, Messages: 1}
	if diff := cmp.Diff(want, all[0].Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestLongLinesAreListedInLittleMemory(t *testing.T) {
	h := newHome(t)
	long := strings.Repeat("x", 9<<20)
	path := h.put(pi+"w/1_long0001.jsonl", header("long0001", "/w", ""), message("u", "user", "asked "+long, ""),
		strings.Replace(answer("a", 1, "m", 1), `"content":[]`, fmt.Sprintf(`"content":[{"type":"text","text":%q}]`, long), 1))
	all := listed(t, h.options())
	if len(all) != 1 || all[0].Damaged {
		t.Fatalf("listed %d of %s", len(all), filepath.Base(path))
	}
	i := all[0]
	if i.Usage.Cost != 1 || i.Model != "p/m" || i.Status != catalog.Complete || !strings.HasPrefix(i.FirstMessage, "asked xxx") || len(i.FirstMessage) != 64<<10 {
		t.Errorf("cost %v, model %q, status %s, first message of %d bytes", i.Usage.Cost, i.Model, i.Status, len(i.FirstMessage))
	}
}
