package rpc_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// conversation is a session of n messages.
func conversation(n int) string {
	var text strings.Builder
	text.WriteString(`{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w/one"}` + "\n")
	parent := "null"
	for i := range n {
		fmt.Fprintf(&text, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-16T10:21:00.000Z","message":{"role":"user","content":"said %d %s","timestamp":1}}`+"\n",
			i, parent, i, strings.Repeat("x", i%300))
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	return text.String()
}

// TestSavedInPlace saves a session anew in its place while a handle is open, in
// every way that moves or changes lines: each method answers what it answers to who
// opens the session then.
func TestSavedInPlace(t *testing.T) {
	said := conversation(600)
	lines := strings.SplitAfter(said, "\n")
	shorter := strings.Join(append(lines[:300:300], lines[301:]...), "")
	saves := map[string]string{
		"longer near the beginning": strings.Replace(said, "said 3 ", "said thrice 3 ", 1),
		"shorter":                   strings.Replace(said, "said 3 ", "s ", 1),
		"as long":                   strings.Replace(said, "said 3 ", "told 3 ", 1),
		"not JSON any more":         strings.Replace(said, `"said 300 `, `"said"300 `, 1),
		"a line less":               shorter,
		"longer, and more":          strings.Replace(said, "said 3 ", "said thrice 3 ", 1) + strings.ReplaceAll(lines[400], "0000018f", "0000beef"),
		"another order":             strings.Replace(said, lines[10]+lines[11], lines[11]+lines[10], 1),
	}
	methods := []string{`getEntries `, `getTree `, `buildSessionContext "leafId":"00000257"`, `buildSessionContext "leafId":"00000257","llm":true`, `getBranch "fromId":"00000257"`,
		`getLeafEntry `, `getEntry "id":"00000003"`, `getEntry "id":"0000012c"`, `getChildren "parentId":"00000003"`, `getUsageStatistics `}
	for save, text := range saves {
		other := start(t)
		fresh := other.open("open", `{"path":`+quoted(other.write("b/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", text))+`}`)
		wanted := map[string]string{}
		for _, method := range methods {
			name, params, _ := strings.Cut(method, " ")
			wanted[method] = string(other.on(fresh, name, params))
		}
		for _, readOnly := range []string{"false", "true"} {
			t.Run(save+"/"+readOnly, func(t *testing.T) {
				c := start(t)
				for n, method := range methods {
					path := c.write(fmt.Sprintf("a%d/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", n), said)
					handle := c.open("open", `{"path":`+quoted(path)+`,"readOnly":`+readOnly+`}`)
					name, params, _ := strings.Cut(method, " ")
					if strings.HasSuffix(save, "and more") && strings.HasPrefix(name, "getLeaf") {
						continue // the leaf stays
					}
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					got := c.on(handle, name, params)
					if readOnly == "false" {
						branched := unquoted(c.on(handle, "createBranchedSession", `"leafId":"00000200"`))
						if data, err := os.ReadFile(branched); err != nil || strings.Count(string(data), "\n") < 512 {
							t.Errorf("a branch of %d lines (%v)", strings.Count(string(data), "\n"), err)
						} else if err := eachValid(string(data)); err != nil {
							t.Errorf("a branch: %v", err)
						}
					}
					if want := wanted[method]; string(got) != want {
						t.Errorf("%s: got %d bytes, who opens it gets %d", method, len(got), len(want))
					}
				}
			})
		}
	}
}

func eachValid(text string) error {
	for line := range strings.Lines(text) {
		if err := jsonl.Valid([]byte(line)); err != nil {
			return err
		}
	}
	return nil
}
