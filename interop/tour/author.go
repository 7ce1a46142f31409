package tour

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A program writes through the session manager of a real program.
type program struct{ d *peers.Driver }

func (a program) call(method string, args ...any) (string, error) {
	value, err := a.d.Call(method, args...)
	text, _ := jsonedit.String(value)
	return text, err
}

func (a program) at(t time.Time) error {
	_, err := a.call("pretend", t.UnixMilli(), t.Unix())
	return err
}

func (a program) begin(cwd string) error {
	_, err := a.call("create", cwd, nil)
	return err
}

func (a program) fork(cwd string) error {
	path, err := a.call("sessionFile")
	if err == nil {
		_, err = a.call("forkFrom", path, cwd)
	}
	return err
}

func (a program) message(body []byte) (string, error) {
	return a.call("message", jsontext.Value(body))
}

func (a program) label(id, text string) error {
	_, err := a.call("label", id, text)
	return err
}

func (a program) back(id, summary string) (err error) {
	if summary == "" {
		_, err = a.call("branch", id)
	} else {
		_, err = a.call("branchWithSummary", id, summary)
	}
	return err
}

func (a program) compact(keep, summary string) (err error) {
	if a.d.Program() == peers.Pi {
		_, err = a.call("compaction", summary, keep, tokensBefore)
	} else {
		_, err = a.call("compaction", summary, nil, keep, tokensBefore)
	}
	return err
}

func (a program) name(text string) error {
	if a.d.Program() == peers.Pi {
		_, err := a.call("setName", text)
		return err
	}
	_, err := a.call("setName", text, "user")
	return err
}

func (a program) end() (path, id string, err error) {
	if _, err = a.call("flush"); err != nil {
		return "", "", err
	}
	if path, err = a.call("sessionFile"); err != nil {
		return "", "", err
	}
	header, err := a.d.Call("header")
	if err != nil {
		return "", "", err
	}
	id, _ = jsonedit.Text(header, "id")
	return path, id, nil
}

func (a program) close() error { return a.d.Close() }

// tokensBefore is how large a context is said to have been.
const tokensBefore = 8_000

// An own writes through the library: sessions of programs that are not here.
type own struct {
	ctx  context.Context
	opt  session.Options
	time *time.Time
	s    *session.Session
}

func newOwn(ctx context.Context, name, home string) *own {
	a := &own{ctx: ctx, time: &time.Time{}}
	a.opt = session.Options{
		Dialect: dialect.Name(name), FirstWrite: session.Immediately, NoDrafts: true,
		Env: layout.Env{Home: home, TempDir: home, Cwd: home, Getenv: func(string) string { return "" }},
		Now: func() time.Time { return *a.time }, Random: rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32s", name)))),
	}
	return a
}

func (a *own) at(t time.Time) error {
	*a.time = t
	return nil
}

func (a *own) begin(cwd string) (err error) {
	a.s, err = session.Create(a.ctx, cwd, a.opt)
	return err
}

func (a *own) fork(cwd string) (err error) {
	path := a.s.Path()
	a.s, err = session.ForkFrom(a.ctx, path, cwd, a.opt)
	return err
}

func (a *own) message(body []byte) (string, error) {
	return a.s.Append(a.ctx, &entry.MessageBody{Message: body})
}

func (a *own) label(id, text string) error {
	_, err := a.s.Append(a.ctx, &entry.LabelBody{TargetID: id, Label: text})
	return err
}

func (a *own) back(id, summary string) error {
	if summary == "" {
		return a.s.MoveLeaf(id)
	}
	_, err := a.s.BranchWithSummary(a.ctx, session.BranchSummary{Target: &id, Summary: summary})
	return err
}

func (a *own) compact(keep, summary string) error {
	_, err := a.s.Append(a.ctx, &entry.CompactionBody{Summary: summary, FirstKeptEntryID: keep, TokensBefore: tokensBefore})
	return err
}

func (a *own) name(text string) error {
	_, err := a.s.Rename(a.ctx, text, session.Title{Source: "user"})
	return err
}

func (a *own) end() (path, id string, err error) {
	return a.s.Path(), a.s.ID(), a.s.Close()
}

func (a *own) close() error { return nil }

// messages returns what a step says, as messages: one, or a call and its result.
func messages(s step) [][]byte {
	ms := s.at.UnixMilli()
	block := func(kind, name string) map[string]any { return map[string]any{"type": kind, name: s.text} }
	switch s.verb {
	case "user":
		return [][]byte{encoded(map[string]any{"role": "user", "content": []any{block("text", "text")}, "timestamp": ms})}
	case "assistant":
		return [][]byte{answer(block("text", "text"), "stop", ms)}
	case "think":
		return [][]byte{answer(block("thinking", "thinking"), "stop", ms)}
	}
	tool, argument, _ := strings.Cut(s.text, " ")
	id := fmt.Sprintf("call-%d", ms/1000)
	call := map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": map[string]any{argumentOf(tool): argument}}
	result := map[string]any{
		"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": false, "timestamp": ms,
		"content": []any{map[string]any{"type": "text", "text": s.more}},
	}
	return [][]byte{answer(call, "toolUse", ms), encoded(result)}
}

// argumentOf is what a tool calls its first argument.
func argumentOf(tool string) string {
	switch tool {
	case "bash":
		return "command"
	case "grep":
		return "pattern"
	}
	return "path"
}

// answer is an assistant's message with one block.
func answer(block map[string]any, stop string, ms int64) []byte {
	in, out := 900+ms/20_000%1_700, 40+ms/20_000%260
	cost := map[string]any{"input": float64(in) * 3e-6, "output": float64(out) * 15e-6, "cacheRead": 0, "cacheWrite": 0}
	cost["total"] = float64(in)*3e-6 + float64(out)*15e-6
	return encoded(map[string]any{
		"role": "assistant", "content": []any{block}, "api": "messages", "provider": "local", "model": "oak-large",
		"usage": map[string]any{
			"input": in, "output": out, "cacheRead": 0, "cacheWrite": 0, "totalTokens": in + out, "cost": cost,
		},
		"stopReason": stop, "timestamp": ms,
	})
}

// encoded writes a message, its members in the order of their names.
func encoded(message map[string]any) []byte {
	text, err := json.Marshal(message, json.Deterministic(true))
	if err != nil {
		panic("tour: " + err.Error()) // texts and numbers
	}
	return text
}
