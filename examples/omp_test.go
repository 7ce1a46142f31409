package examples_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// charts has what only omp writes: a title slot, models by role, a service tier
// by family, a plan, rules that were injected, mentioned files, an artifact.
func charts(t *testing.T) *writer {
	w := write(t, dialect.Omp, "/work/garden", "2026-04-11T09:02:30Z", 3)
	w.titled("Draw soil moisture as a chart", dialect.UserTitle, true)
	w.model(large, "")
	w.model(small, "smol")
	w.thinking("medium")
	w.add(&entry.ServiceTierChangeBody{ServiceTier: new(jsonedit.Object).String("openai", "flex").Value()})
	w.add(&entry.ModeChangeBody{Mode: "plan", Data: new(jsonedit.Object).String("planFilePath", "local://PLAN.md").Value()})
	w.say(new(jsonedit.Object).String("role", "developer").String("content", "Plan mode: read and ask, change nothing.").String("attribution", "agent"))
	w.say(new(jsonedit.Object).String("role", "fileMention").Add("files", new(jsonedit.Array).Add(
		new(jsonedit.Object).String("path", "water/readings.csv").String("content", "at,bed,percent\n2026-04-10T00:00Z,2,41.5\n2026-04-10T00:15Z,2,41.4\n").
			Int("lineCount", 4).Int("byteSize", 71).Value()).Value()))
	w.user("I want a chart of the moisture of one bed over a day, as a PNG, from @water/readings.csv. No new dependencies. How would you do it?")
	w.work("", "", call{tool: "bash", args: args("command", "wc -l water/readings.csv; python3 -c 'import zlib, struct'"), result: "35041 water/readings.csv\n"})
	plan := w.answer("Plan:\n\n1. `water/chart.py`: read the rows of one bed and day, one column of pixels for a quarter of an hour.\n" +
		"2. Write the PNG by hand: four colours, `zlib` and `struct` from the standard library.\n3. A test that decodes the first bytes and the size.")
	w.label(plan, "plan")
	w.add(&entry.ModeChangeBody{Mode: "none"})
	ask := w.user("Good, go.")
	w.add(&entry.TTSRInjectionBody{InjectedRules: []string{"no-print-in-library"}})
	w.work("96 columns, 40 rows, palette of four: two bits a pixel.", "",
		call{tool: "write", args: args("path", "water/chart.py", "content", chartSource), result: "Wrote 7 lines to water/chart.py."},
		call{tool: "bash", args: args("command", "python3 -m water.chart --bed 2 --day 2026-04-10 -o /tmp/bed2.png && file /tmp/bed2.png"),
			result: "/tmp/bed2.png: PNG image data, 96 x 40, 2-bit colormap, non-interlaced\n"})
	w.answer("It works. One thing to decide: the chart starts at midnight UTC.")
	w.leave(ask, "Wrote water/chart.py with days from midnight UTC. It works, but the day of the chart should be the day of the garden.")
	w.thinking("high")
	w.work("The day has to begin at local midnight, and one day a year has 23 hours, one 25.", "",
		call{tool: "write", args: args("path", "water/chart.py", "content", strings.Replace(chartSource, "timezone.utc", `ZoneInfo("Europe/Berlin")`, 1)), result: "Wrote 7 lines to water/chart.py."},
		call{tool: "bash", args: args("command", "pytest -q -vv"), result: "[Output truncated: 412 of 9,120 lines shown. Whole output: artifact://0]\n36 passed in 4.02s\n"})
	w.artifact("0.bash.log", pytestLog())
	done := w.answer("The day is the garden's now; the two odd days a year get 92 and 100 columns. 36 tests pass.")
	w.label(done, "charts work")
	w.user("This is what it drew for bed 2. Where does the jump at noon come from? Nothing was scheduled then.", picture(chart(t, 6, 12, 21)))
	w.answer("A blue mark at 12: somebody watered by hand. The flow meter counted 4 l at 12:03, without a run in the log.")
	w.note("lsp-diagnostics", "water/chart.py: 0 errors, 0 warnings")
	w.add(&entry.CompactionBody{
		Summary:      "A chart of the moisture of a bed over a day was written (water/chart.py), without dependencies. Days are local. 36 tests pass. The jump at noon on 10 April was watering by hand.",
		ShortSummary: "Moisture charts", FirstKeptEntryID: done, TokensBefore: 3120, TokensAfter: intp(410), Method: "llm",
		PreserveData: new(jsonedit.Object).Add("filesTouched", jsonedit.Strings("water/chart.py")).Value(),
	})
	w.user("Add an option for the week.")
	w.work("", "", call{tool: "edit", args: args("path", "water/chart.py", "oldText", `p.add_argument("--day")`, "newText", "p.add_argument(\"--day\")\np.add_argument(\"--week\")"),
		result: "Edited water/chart.py: 1 replacement."})
	w.answer("`--week 2026-15` draws seven days side by side, 672 columns.")
	w.add(&entry.TitleChangeBody{Title: "Draw soil moisture as a chart", Source: dialect.UserTitle, PreviousTitle: "Charts", Trigger: "rename"})
	w.add(&entry.CustomBody{CustomType: "session_exit", Data: new(jsonedit.Object).String("reason", "quit").Value()})
	return w
}

const chartSource = `import csv
import struct
import zlib
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

DAY = timezone.utc
`

func intp(n int64) *int64 { return &n }

// waterLog is a log long enough to be folded when it is shown.
func waterLog() string {
	var b strings.Builder
	for i := range 96 {
		flow := 0
		if i == 16 || i == 76 {
			flow = 4
		}
		fmt.Fprintf(&b, "2026-03-30T%02d:%02d:00Z bed=2 moisture=%d.%d flow=%d\n", i/4, i%4*15, 41-i/12, i%10, flow)
	}
	return b.String()
}

func pytestLog() string {
	var b strings.Builder
	for i := range 36 {
		fmt.Fprintf(&b, "tests/test_chart.py::test_column[%02d] PASSED\n", i)
	}
	return b.String() + "36 passed in 4.02s\n"
}
