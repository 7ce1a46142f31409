package examples_test

import (
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// forecast has xcsh's own kinds: selected tools, a service tier by name, a
// command in Python, messages with an attribution.
func forecast(t *testing.T) *writer {
	w := write(t, dialect.Xcsh, "/work/weather", "2026-04-20T18:30:00Z", 4)
	w.titled("Forecast from the cache when offline", dialect.AutoTitle, false)
	w.model(large, "default")
	w.thinking("low")
	w.add(&entry.ServiceTierChangeBody{ServiceTier: jsonedit.Quoted("priority")})
	w.add(&entry.MCPToolSelectionBody{SelectedToolNames: []string{"mcp_weather_forecast", "mcp_weather_history"}})
	w.note("skill-prompt", "Skill: http-caching. Prefer the validators that the server sends (ETag, Last-Modified) to times of your own.")
	ask := w.user("When the link is down the forecast page is empty. Show the last one we had, with its age.")
	w.work("", "", call{tool: "read", args: args("path", "forecast/client.go"),
		result: "package forecast\n\nfunc (c *Client) Today(ctx context.Context) (Day, error) {\n\treturn c.fetch(ctx, \"/v1/today\")\n}\n"})
	w.answer("There is no cache at all. The smallest one: keep the last answer with its ETag in a file, and serve it when the request fails.")
	w.work("", "", call{tool: "edit", args: args("path", "forecast/client.go", "oldText", "return c.fetch", "newText", "return c.cached"), result: "Edited forecast/client.go."},
		call{tool: "bash", args: args("command", "go test ./forecast"), result: "--- FAIL: TestStale (0.00s)\n    client_test.go:41: served a forecast of 9 days ago\nFAIL\n", failed: true})
	stale := w.answer("Without a limit it serves a forecast that is nine days old.")
	w.label(stale, "no limit of age")
	w.leave(ask, "A cache without a limit of age served a forecast of nine days ago. It needs one: a day.")
	w.thinking("medium")
	w.work("A day is the horizon of the page.", "",
		call{tool: "edit", args: args("path", "forecast/client.go", "oldText", "return c.fetch", "newText", "return c.cached"), result: "Edited forecast/client.go."},
		call{tool: "bash", args: args("command", "go test ./forecast"), result: "ok  \tweather/forecast\t0.112s\n"})
	works := w.answer("The last forecast is shown with its age for up to a day; after that the page says that there is none. The tests pass.")
	w.label(works, "works")
	w.say(new(jsonedit.Object).String("role", "pythonExecution").String("code", "import json\nlen(json.load(open('cache.json'))['hours'])").
		String("output", "24").Int("exitCode", 0).Bool("cancelled", false).Bool("truncated", false))
	w.user("Is this the rain that the forecast promised? Bed 2, today.", picture(chart(t, 15)))
	w.answer("Yes: the level rises around 15:00 without a run of the pump, and the forecast had 6 mm between 14:00 and 16:00.")
	w.add(&entry.CompactionBody{
		Summary: "The forecast client has a cache now: last answer, ETag, shown for up to a day with its age. Tests pass.", ShortSummary: "Forecast cache",
		FirstKeptEntryID: works, TokensBefore: 1630, FromExtension: boolp(false),
	})
	w.add(&entry.TTSRInjectionBody{InjectedRules: []string{"go-errors-lower-case"}})
	w.user("Write the age as \"3 h ago\".")
	w.work("", "", call{tool: "edit", args: args("path", "forecast/page.tmpl", "oldText", "{{.At}}", "newText", "{{ago .At}}"), result: "Edited forecast/page.tmpl."})
	w.answer("Done: minutes up to an hour, hours after that.")
	return w
}

// winter is the published format as a program keeps it that embeds the
// library: with state of its own, an edit and a move of the leaf.
func winter(t *testing.T) *writer {
	w := write(t, dialect.Cambium, "/work/garden", "2026-05-04T10:00:00Z", 5)
	w.titled("Winter mode", dialect.UserTitle, false)
	w.model(large, "")
	w.thinking("low")
	w.add(&entry.CustomBody{CustomType: "gardener.state", Data: new(jsonedit.Object).String("season", "spring").Int("beds", 4).Value()})
	ask := w.user("Below 2 degrees the valves must stay shut, whatever the schedule says.")
	w.note("gardener.sensor", "outside 11.2 C, tank 64 %")
	w.work("", "", call{tool: "read", args: args("path", "water/valves.py"), result: "def open_valve(bed):\n    gpio.write(PINS[bed], 1)\n"})
	guard := w.answer("I would guard `open_valve` itself, so that no caller can forget it.")
	w.label(guard, "guard in open_valve")
	w.add(&entry.CompactionBody{Summary: "Valves must stay shut below 2 degrees. Plan: guard open_valve itself.", FirstKeptEntryID: guard, TokensBefore: 610, ShortSummary: "Valves and frost"})
	w.user("And when the sensor fails? This was the tank last night.", picture(chart(t)))
	w.work("", "", call{tool: "bash", args: args("command", "dmesg | tail -n 200"), result: "w1_slave_driver 28-0316: reading is garbage\n"})
	w.add(w.rules.EditBody(*w.leaf, new(jsonedit.Object).Add("content", new(jsonedit.Array).Add(words("[kernel log: the sensor's readings are garbage]")).Value()).Value()))
	w.answer("Then it must count as frost: shut is the safe side. The kernel log shows that this sensor does fail.")
	left := *w.leaf
	w.leave(ask, "The guard belongs in open_valve; a sensor that fails counts as frost.")
	w.thinking("medium")
	w.work("", "", call{tool: "edit", args: args("path", "water/valves.py", "oldText", "    gpio", "newText", "    if frost():\n        raise Shut(bed)\n    gpio"), result: "Edited water/valves.py."})
	w.answer("`open_valve` refuses below 2 degrees, and when there is no reading that is younger than ten minutes.")
	w.add(spelling.LeafBody(&left))
	w.user("Also for bed 4, which is under glass?")
	w.answer("Bed 4 has a sensor of its own; it is asked for that bed. Under glass it was 6.5 C when it froze outside.")
	return w
}

func boolp(b bool) *bool { return &b }
