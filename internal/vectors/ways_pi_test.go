package vectors_test

import "github.com/go-json-experiment/json/jsontext"

// piWays are the parts of the vectors of pi that give way.
func piWays() map[string]giveWay {
	return map[string]giveWay{
		"pi-01-lenient-lines 0":                  {damage, jsontext.Value(`{"sessionId": "sess-root", "leafId": "e5", "entryIds": ["e1", "e2", "e3", "e4", "e5"]}`)},
		"pi-02-bom-rejected 0":                   {damage, jsontext.Value(`{"sessionId": "sess-root", "leafId": "e1", "entryIds": ["e1"]}`)},
		"pi-03-missing-final-newline-repaired 1": {appends, jsontext.Value(`["{\"type\":\"session\",\"version\":3,\"id\":\"sess-root\",\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"cwd\":\"/\"}", "{\"type\":\"message\",\"id\":\"e1\",\"parentId\":null,\"timestamp\":\"2026-01-02T03:04:06.000Z\",\"message\":{\"role\":\"user\",\"content\":\"x\",\"timestamp\":1767323046000}}", "{\"type\":\"message\",\"id\":\"e2\",\"parentId\":\"e1\",\"timestamp\":\"2026-01-02T03:04:07.000Z\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"y\"}],\"api\":\"messages\",\"provider\":\"prov-a\",\"model\":\"model-1\",\"usage\":{\"input\":1,\"output\":1,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":2,\"cost\":{\"input\":0,\"output\":0,\"cacheRead\":0,\"cacheWrite\":0,\"total\":0}},\"stopReason\":\"stop\",\"timestamp\":1767323047000}}"]`)},
		"pi-05-non-session-rejected 0":           {damage, jsontext.Value(`{"sessionId": "sess-root", "leafId": "e1", "entryIds": ["n", "e1"]}`)},
		"pi-07-missing-file-lazy 1":              {d3, jsontext.Value(`true`)},
		"pi-07-missing-file-lazy 3":              {d3, jsontext.Value(`true`)},
		"pi-23-reads-title-slot-dialect 0":       {d8, jsontext.Value(`{"sessionId": "sess-root", "leafId": "u1", "entryIds": ["u1"]}`)},
		"pi-24-reads-omp-model-change 1":         {tolerant, jsontext.Value(`{"messages": [{"role": "user", "content": "a", "timestamp": 1767323048000}], "thinkingLevel": "off", "model": {"provider": "p", "modelId": "m"}}`)},
	}
}
