package vectors_test

import "github.com/go-json-experiment/json/jsontext"

// d13: our own history leaves out what repeats the prompt before it, and nothing
// else; blanks at the ends of lines stay.
const d13 = "D13"

// historyWays are the parts of the vectors of prompts that give way.
func historyWays() map[string]giveWay {
	return map[string]giveWay{
		"omp-35-history recent": {d13, jsontext.Value(`[{"id": 4, "prompt": "git commit -m wip"}, {"id": 3, "prompt": "line one   \r\nline two"}, {"id": 2, "prompt": "run tests"}, {"id": 1, "prompt": "git commit -m wip"}]`)},
	}
}
