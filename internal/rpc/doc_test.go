package rpc_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

const docPath = "../../doc/rpc.md"

// TestDocument holds the description of the wire: it has every method, with its
// parameters and an example, and every example is what a server says. With
// -update the answers in it are written anew.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, signature := range strings.Fields(published) {
		name, _, _ := strings.Cut(signature, "{")
		_, section, ok := strings.Cut(doc, "\n### `"+signature+"`\n")
		if !ok {
			t.Errorf("no section on `%s`", signature)
			continue
		}
		section, _, _ = strings.Cut(section, "\n### ")
		if name != "rpc.discover" && !regexp.MustCompile(`→ .*"method":"(session\.)?`+name+`"`).MatchString(section) {
			t.Errorf("the section on %s has no example of it", name)
		}
	}
	got := played(t, doc)
	if got == doc {
		return
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(docPath, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the examples are not what a server says (go test -update writes them anew):\n%s", golden.Diff(docPath, doc, got))
}

// played returns the document with the answers of a server that was told
// what the examples tell it.
func played(t *testing.T, doc string) string {
	t.Helper()
	_, sample, ok := strings.Cut(doc, "\n```jsonl session\n")
	if !ok {
		t.Fatal("the session of the examples is not in the document")
	}
	sample, _, _ = strings.Cut(sample, "```")
	c := start(t, "CAMBIUM_RPC_TEST_FIXED=1")
	path := c.write("garden.jsonl", sample)
	at := fixedClock()()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	inside, events := false, false
	for line := range strings.Lines(doc) {
		switch {
		case strings.HasPrefix(line, "```"):
			events = line == "```jsonl events\n" // what is notified is part of the example
			inside = events || line == "```jsonl\n"
		case inside && strings.HasPrefix(line, "← "):
			continue
		case inside && strings.HasPrefix(line, "→ "):
			out.WriteString(line)
			c.send(strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(line, "→ ")), "/home/me", c.home))
			c.told = nil
			last := c.answer()
			asDescribed(t, strings.TrimSpace(strings.TrimPrefix(line, "→ ")), last)
			if events {
				for _, m := range c.told {
					out.WriteString("← " + plainAnswer(c, m) + "\n")
				}
			}
			out.WriteString("← " + plainAnswer(c, last) + "\n")
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// asDescribed checks an example against the description for machines.
func asDescribed(t *testing.T, asked string, answer entry.JSON) {
	t.Helper()
	method, ok := jsonedit.Text(entry.JSON(asked), "method")
	if !ok {
		return
	}
	params, _ := jsonedit.Get(entry.JSON(asked), "params")
	result, _ := jsonedit.Get(answer, "result")
	fault, _ := jsonedit.Get(answer, "error")
	if err := conform(method, params, result, fault); err != nil {
		t.Errorf("example not as described: %v", err)
	}
}

// plainAnswer returns an answer with nothing in it that is this machine's.
func plainAnswer(c *client, m entry.JSON) string {
	text := strings.ReplaceAll(string(m), filepath.ToSlash(c.home), "/home/me")
	clock := regexp.MustCompile(`"(mtime|modified)":"(2025-06-01)?[^"]*"`)
	return clock.ReplaceAllStringFunc(text, func(member string) string {
		if strings.Contains(member, "2025-06-01") {
			return member
		}
		key, _, _ := strings.Cut(member, ":")
		return key + ":" + string(jsonedit.Quoted("2025-06-01T09:30:00.000Z"))
	})
}
