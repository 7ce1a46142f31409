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

// TestNativeHistoryOfOwnAnswers: what a program forgets when it reads a session it
// still has of the answers that it appended itself.
func TestNativeHistoryOfOwnAnswers(t *testing.T) {
	ctx := t.Context()
	const payload = `"providerPayload":{"type":"openaiResponsesHistory","items":[1]}`
	own := &entry.MessageBody{Message: []byte(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"}],` +
		`"provider":"openai","model":"m",` + payload + `,"stopReason":"stop"}`)}
	has := func(what string, want bool, s *session.Session, id entry.ID) {
		t.Helper()
		e, err := s.Entry(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{payload, `"thinkingSignature":"sig"`} {
			if strings.Contains(string(e.Raw()), part) != want {
				t.Errorf("%s: %s in %s", what, part, e.Raw())
			}
		}
	}
	s := create(t, session.Options{Dialect: "xcsh", Env: env(t.TempDir())})
	id := add(t, s, own)
	has("appended", true, s, id)
	if _, _, err := s.Fork(ctx); err != nil {
		t.Fatal(err)
	}
	has("forked", true, s, id)
	again := open(t, s.Path(), session.Options{Dialect: "xcsh"})
	has("read", false, again, id)

	mem, err := session.InMemory("/w", session.Options{Dialect: "xcsh", Env: env(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	id = add(t, mem, own)
	if _, err := mem.Rename(ctx, "a name", session.Title{}); err != nil {
		t.Fatal(err)
	}
	has("held anew", true, mem, id)
}
