package settings_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/settings"
)

// The documentation says what there is: its examples are settings without a
// warning, its tables name every member, event and model.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile("../../doc/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(doc, -1)
	read := 0
	for _, m := range examples {
		if strings.HasPrefix(m[1], `{"type":`) {
			continue // an event
		}
		read++
		if _, unknown, err := settings.Parse([]byte(m[1])); err != nil || unknown != nil {
			t.Errorf("%s: unknown %q, error %v", m[1], unknown, err)
		}
	}
	if read < 4 {
		t.Errorf("%d examples", read)
	}
	names := settings.Events()
	for _, m := range regexp.MustCompile(`(?m)"([a-zA-Z]+)":`).FindAllStringSubmatch(whole, -1) {
		names = append(names, m[1])
	}
	for _, name := range names {
		if name != "local" && name != "anthropic" && name != "low" && !regexp.MustCompile("`([a-z]+\\.)?"+regexp.QuoteMeta(name)+"[`.]").MatchString(doc) {
			t.Errorf("%q is not documented", name)
		}
	}
	for _, m := range model.Builtin() {
		levels := strings.Join(m.Levels, ", ")
		if levels == "" {
			levels = "none"
		}
		row := fmt.Sprintf("| %s | %s | %v | %v | %v | %v | %s |", grouped(m.Window), grouped(m.MaxOutput),
			m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite, levels)
		line := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(m.Provider+"/"+m.ID) + "`[¹²]? (.*)$").FindStringSubmatch(doc)
		if line == nil || line[1] != row {
			t.Errorf("%s/%s: documented as %q, not %q", m.Provider, m.ID, line, row)
		}
	}
}

// grouped writes a number as people read it.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
