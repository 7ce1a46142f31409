package vectors_test

import "github.com/go-json-experiment/json/jsontext"

// listWays are the parts of the listings that give way. A session without a
// message is left out (D4), one whose header is not as it should be is shown
// (D3), what cannot be read is a row (promise 5), a file's name does not answer
// for its session but by the id in it, and no prefix shorter than four
// characters does (D5). Whole files are read, and recent sessions have short
// names, in every dialect, as published.
func listWays() map[string]giveWay {
	way := func(reason, instead string) giveWay { return giveWay{reason, jsontext.Value(instead)} }
	return map[string]giveWay{
		"pi-26-listing listAll c.jsonl": way(d4, `null`),
		"pi-26-listing listAll d.jsonl": way(damage, `{"file": "d.jsonl", "id": "", "cwd": "", "modified": "{{ts}}", "messageCount": 0, "firstMessage": "(no messages)", "allMessagesText": ""}`),
		"pi-26-listing listAll order":   way(d4, `["d.jsonl", "b.jsonl", "a.jsonl", "e.jsonl"]`),
		"pi-26-listing list c.jsonl":    way(d4, `null`),
		"pi-26-listing list order":      way(d4, `["b.jsonl", "a.jsonl"]`),

		"xcsh-21-listing list 2026-01-02T03-04-07-000Z_0badc0de00000003.jsonl": way(d4, `null`),
		"xcsh-21-listing list bad.jsonl":                                       way(damage, `{"file": "bad.jsonl", "id": "", "cwd": "", "messageCount": 0, "firstMessage": "(no messages)", "allMessagesText": ""}`),
		"xcsh-21-listing list odd.jsonl":                                       way(d3, `{"file": "odd.jsonl", "id": "", "cwd": "/", "created": "2026-01-02T03:04:05.000Z", "messageCount": 1, "firstMessage": "k", "allMessagesText": "k"}`),
		"xcsh-21-listing list order":                                           way(d4, `["bad.jsonl", "2026-01-02T03-04-05-000Z_0badc0de00000001.jsonl", "odd.jsonl", "2026-01-02T03-04-06-000Z_0badc0de00000002.jsonl"]`),
		"xcsh-21-listing resolve 2026-01-02T03-04-07":                          way(d5, `"none"`),

		"omp-25-listing list s8.jsonl":  way(d4, `null`),
		"omp-25-listing list s9.jsonl":  way(published, `{"file": "s9.jsonl", "id": "s9", "messageCount": 3, "firstMessage": {"length": 5004, "start": "big pppp"}, "allMessagesText": {"length": 5017}, "status": "pending", "size": 5797}`),
		"omp-25-listing list s10.jsonl": way(published, `{"file": "s10.jsonl", "id": "s10", "messageCount": 2, "firstMessage": "tail too big", "allMessagesText": {"length": 40013}, "status": "complete", "size": 40648}`),
		"omp-25-listing list order":     way(d4, `["2026-01-02T03-04-05-000Z_01aaaaaa-0000-7000-8000-000000000001.jsonl", "2026-01-02T03-04-06-000Z_01aaaaaa-0000-7000-8000-000000000002.jsonl", "s3.jsonl", "s4.jsonl", "s5.jsonl", "s6.jsonl", "s7.jsonl", "s9.jsonl", "s10.jsonl"]`),

		"omp-25-listing recent s8.jsonl": way(published, `{"file": "s8.jsonl", "name": "s8", "timeAgo": "1m ago"}`),
		"omp-25-listing recent s9.jsonl": way(published, `{"file": "s9.jsonl", "name": "big ppppppppppppppppppppppppppppppppppp…", "timeAgo": "1m ago"}`),

		"omp-25-listing resolve 2026-01-02t03-04-06": way(d5, `"none"`),
		"omp-25-listing resolve S1":                  way(d5, `"none"`),
	}
}
