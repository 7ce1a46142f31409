package examples_test

import (
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

const scheduleBefore = `from datetime import datetime, timedelta, timezone

LOCAL = timezone(timedelta(hours=1))  # Central European Time


def next_run(now, hour, minute):
    """The next time to water, as an aware datetime."""
    run = now.astimezone(LOCAL).replace(hour=hour, minute=minute, second=0, microsecond=0)
    if run <= now:
        run += timedelta(days=1)
    return run
`

// early is a bug hunt with a dead end: a branch that was left, with a summary
// of it, a compaction, an edit of what the model sees, and a picture inline.
func early(t *testing.T) *writer {
	w := write(t, dialect.Pi, "/work/garden", "2026-03-30T06:41:07Z", 1)
	w.model(large, "")
	w.thinking("medium")
	w.note("project-notes", "The controller runs Python 3.12 on a small board in the shed. Tests: pytest -q. Nothing may block for more than 2 s.")
	first := w.user("Since Sunday the beds are watered an hour too late. The schedule is in water/schedule.py. Find out why.")
	w.work("Sunday was 29 March, when the clocks went forward. A fixed offset would explain exactly one hour.",
		"I'll look at how the next run is computed.",
		call{tool: "read", args: args("path", "water/schedule.py"), result: scheduleBefore},
		call{tool: "bash", args: args("command", "git log --oneline -3 water/schedule.py; date +%Z"),
			result: "9c1f2aa water: compute runs in local time\n4d07e55 water: first schedule\nCEST\n"})
	cause := w.answer("The clocks went forward on Sunday, and `LOCAL` is a fixed offset of one hour. It is the winter offset, so from then on every run " +
		"comes an hour late by the clock on the wall.\n\nTwo ways out:\n\n1. compute the offset from the machine's clock at start, or\n2. use the zone `Europe/Berlin`, which knows its own changes.")
	w.label(cause, "cause found")
	ask := w.user("Fix it. The log should stay in UTC.")
	w.work("", "I'll take the offset from the machine first, that is the smaller change.",
		call{tool: "edit", args: args("path", "water/schedule.py", "oldText", "LOCAL = timezone(timedelta(hours=1))", "newText", "LOCAL = datetime.now().astimezone().tzinfo"),
			result: "Edited water/schedule.py: 1 replacement."},
		call{tool: "bash", args: args("command", "pytest -q"), failed: true,
			result: "..F.\nFAILED tests/test_schedule.py::test_run_after_change - AssertionError: 05:00 != 06:00\n1 failed, 3 passed in 0.21s\n"})
	dead := w.answer("That is right today and wrong after the next change: the offset is taken once, at start, and the controller runs for months. The test catches it.")
	w.label(dead, "dead end: offset at start")
	w.leave(ask, "Tried to take the UTC offset from the machine at start. test_run_after_change fails, because the process outlives the next change of the clocks. "+
		"The zone itself has to be used.")
	w.thinking("high")
	w.work("zoneinfo handles the change. replace() on an aware datetime keeps the zone, so the wall clock time stays what was asked for. Adding a day is wall clock arithmetic too.",
		"Now with the zone.",
		call{tool: "edit", args: args("path", "water/schedule.py", "oldText", "LOCAL = timezone(timedelta(hours=1))  # Central European Time", "newText", "LOCAL = ZoneInfo(\"Europe/Berlin\")"),
			result: "Edited water/schedule.py: 1 replacement."},
		call{tool: "edit", args: args("path", "water/schedule.py", "oldText", "from datetime import datetime, timedelta, timezone", "newText", "from datetime import datetime, timedelta\nfrom zoneinfo import ZoneInfo"),
			result: "Edited water/schedule.py: 1 replacement."},
		call{tool: "bash", args: args("command", "pytest -q"), result: "....\n4 passed in 0.19s\n"})
	fixed := w.answer("Runs are now computed in `Europe/Berlin`, and the log is still written in UTC. All four tests pass, the one across the change included.")
	w.label(fixed, "fixed")
	w.ran("git diff --stat", " water/schedule.py | 5 +++--\n 1 file changed, 3 insertions(+), 2 deletions(-)\n", 0)
	named := w.add(&entry.SessionInfoBody{Name: "Watering an hour late"})
	w.back(first) // a question on the side, under the first one
	w.user("Before you start: is there a test for the change of the clocks at all?")
	w.answer("Yes, `test_run_after_change` in tests/test_schedule.py. It runs the schedule over the last Sunday of March.")
	w.back(named)
	usage := usageOf(1830, 212)
	w.add(&entry.CompactionBody{
		Summary: "## Goal\nThe beds were watered an hour late since the clocks changed on 29 March.\n\n## Done\n- Cause: a fixed UTC offset in water/schedule.py.\n" +
			"- Taking the offset at start was tried and left: wrong after the next change.\n- Runs are computed in Europe/Berlin now; 4 tests pass.\n\n## Rules\n- The log stays in UTC.",
		FirstKeptEntryID: fixed, TokensBefore: 2411, Usage: usage,
		Details: new(jsonedit.Object).Add("readFiles", jsonedit.Strings("water/schedule.py")).Add("modifiedFiles", jsonedit.Strings("water/schedule.py")).Value(),
	})
	w.user("This is the moisture of bed 2 over the last day; the blue marks are waterings. Does it look right now?", picture(chart(t, 6, 21)))
	w.work("Blue marks at 6 and 21. The schedule says 06:00 and 21:00.", "",
		call{tool: "bash", args: args("command", "tail -n 400 /var/log/water.log"), result: waterLog()})
	w.add(&entry.ContextEditBody{TargetID: *w.leaf, Replacement: new(jsonedit.Object).String("content", "[water.log, 2 runs in the last day: 04:00Z and 19:00Z]").Value()})
	w.answer("Yes. It was watered at 06:00 and at 21:00 by the clock on the wall, which is 04:00 and 19:00 in the log. The level follows: up at both marks, down while the sun is out.")
	w.add(&entry.UsageBody{UsageKind: "title", Provider: provider, Model: small, Usage: usageOf(310, 9)})
	return w
}

// pump is a session of another project: short, with nothing but messages.
func pump(t *testing.T) *writer {
	w := write(t, dialect.Pi, "/work/pump", "2026-04-02T17:20:00Z", 2)
	w.model(small, "")
	w.thinking("off")
	w.user("Which pin does the float switch use?")
	w.work("", "", call{tool: "grep", args: args("pattern", "FLOAT", "path", "."), result: "config.h:12:#define PIN_FLOAT_SWITCH 17 /* active low */\n"})
	w.answer("Pin 17, active low (`config.h`, line 12).")
	return w
}

func usageOf(input, output int64) entry.JSON {
	var cost, usage jsonedit.Object
	cost.Int("input", 0).Int("output", 0).Int("cacheRead", 0).Int("cacheWrite", 0).Int("total", 0)
	return usage.Int("input", input).Int("output", output).Int("cacheRead", 0).Int("cacheWrite", 0).
		Int("totalTokens", input+output).Add("cost", cost.Value()).Value()
}
