package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiontest"
	"github.com/cambium-dev/cambium/session"
)

// TestArray: a file that is a JSON array of entries means what its lines would mean, is
// not written to, and says why.
func TestArray(t *testing.T) {
	lines := []string{headerLine, userLine, answerLine}
	one := "[" + strings.Join(lines, ",") + "]"
	var many bytes.Buffer
	if err := json.Indent(&many, []byte(one), "", "\t"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"one line":            one,
		"many lines":          many.String(),
		"a line for each":     "[\n" + strings.Join(lines, ",\n") + "\n]",
		"torn in its bracket": strings.TrimSuffix(one, "]"),
	} {
		t.Run(name, func(t *testing.T) {
			whole, path := file(t, lines...), file(t, text)
			o := session.Options{Env: env(t.TempDir()), ReadOnly: true}
			s := open(t, path, o)
			same := sessiontest.SameHealed
			if name == "many lines" {
				same = sessiontest.SameTree // its messages have other blanks
			}
			if err := same(open(t, whole, o), s); err != nil {
				t.Error(err)
			}
			o.ReadOnly = false
			w := open(t, path, o)
			_, err := w.Append(t.Context(), user("x"))
			if !errors.Is(err, session.ErrReadOnly) || !strings.Contains(err.Error(), "doctor --fix") {
				t.Errorf("append: %v", err)
			}
			if now := read(t, path); now != text+"\n" {
				t.Errorf("the file has changed: %s", now)
			}
		})
	}
}
