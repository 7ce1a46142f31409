package session_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/session"
)

// What a program forgets in memory is not forgotten in what is written: copies,
// rewrites, moves of a session without a file.
func TestNativeHistoryIsWritten(t *testing.T) {
	ctx := t.Context()
	const payload = `"providerPayload":{"type":"openaiResponsesHistory","items":[1]}`
	native := strings.Replace(answerLine, `"stopReason"`, payload+`,"stopReason"`, 1)
	image := strings.Replace(userLine, `"content":"hi"`, `"content":"blob:sha256:none"`, 1)
	older := strings.Replace(headerLine, `"version":3`, `"version":2`, 1)
	for _, header := range []string{headerLine, older} {
		path := file(t, header, image, native)
		o := session.Options{Env: env(t.TempDir()), Dialect: "xcsh"}
		s, err := session.ForkFrom(ctx, path, "/elsewhere", o)
		if err != nil {
			t.Fatal(err)
		}
		mustClose(t, s)
		if got := read(t, s.Path()); !strings.Contains(got, payload) {
			t.Errorf("forked: %s", got)
		}
	}
	s := open(t, file(t, headerLine, userLine, native), session.Options{Dialect: "xcsh"})
	err := s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
		return []byte(strings.Replace(string(e.Raw()), `"yo"`, `"ya"`, 1)), nil
	})
	if got := read(t, s.Path()); err != nil || !strings.Contains(got, payload) || !strings.Contains(got, `"ya"`) {
		t.Errorf("rewritten: %v, %s", err, got)
	}
}
