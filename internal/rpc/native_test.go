package rpc_test

import (
	"strings"
	"testing"
)

// TestRewriteKeepsWhatIsForgotten: entries as they are answered, edited and given
// back, cost nothing that the answer leaves out.
func TestRewriteKeepsWhatIsForgotten(t *testing.T) {
	const payload = `"providerPayload":{"type":"openaiResponsesHistory","items":[1]}`
	native := `{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"assistant",` +
		`"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"type":"text","text":"yo"}],"provider":"openai",` + payload + `}}`
	for name, c := range map[string]struct {
		edit func(line string) string
		kept []string
	}{
		"another member": {func(l string) string { return strings.Replace(l, `"provider":"openai"`, `"provider":"else"`, 1) },
			[]string{payload, `"sig"`, `"else"`}},
		"another spelling": {func(l string) string { return strings.ReplaceAll(l, `":"`, `": "`) }, []string{payload, `"sig"`}},
		"the text":         {func(l string) string { return strings.Replace(l, `"yo"`, `"ya"`, 1) }, []string{`"sig"`, `"ya"`}},
		"the thinking":     {func(l string) string { return strings.Replace(l, `"hm"`, `"ha"`, 1) }, []string{`"ha"`}},
	} {
		t.Run(name, func(t *testing.T) {
			cl := start(t)
			path := cl.write(".xcsh/agent/sessions/--w--/s.jsonl", `{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w"}`+"\n"+native+"\n")
			h := cl.open("open", `{"path":`+quoted(path)+`}`)
			shown := string(cl.on(h, "getEntry", `"id":"a0000001"`))
			if strings.Contains(shown, "providerPayload") || strings.Contains(shown, "thinkingSignature") {
				t.Fatalf("shown %s", shown)
			}
			cl.on(h, "rewriteEntries", `"entries":[`+c.edit(shown)+`]`)
			got := fileLines(t, path)[1]
			for _, part := range []string{payload, `"sig"`, `"else"`, `"ya"`, `"ha"`} {
				want := false
				for _, k := range c.kept {
					want = want || k == part
				}
				if strings.Contains(got, part) != want {
					t.Errorf("%s in %s: want %v", part, got, want)
				}
			}
		})
	}
}
