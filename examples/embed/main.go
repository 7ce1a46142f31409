// Command embed is an agent of another kind on Cambium: it does sums, without a
// model, and "ans" is the last answer. Its conversations are sessions like any
// other: kept, resumed, switched, and shown by cambium.
//
//	go run ./examples/embed first.jsonl
//	6*7
//	/to second.jsonl
package main

import (
	"bufio"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
)

// A reckoner has no model and no thoughts. It knows its last answer.
type reckoner struct{ ans string }

func (r *reckoner) Stop(context.Context) error                   { return nil }
func (r *reckoner) SetSessionID(string)                          {}
func (r *reckoner) SetModel(context.Context, replay.Model) error { return nil }
func (r *reckoner) SetThinking(context.Context, string) error    { return nil }
func (r *reckoner) Remember() func()                             { was := *r; return func() { *r = was } }

// ReplaceMessages finds the last answer of the conversation.
func (r *reckoner) ReplaceMessages(_ context.Context, c *replay.Context) error {
	r.ans = "0"
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		if m.Role == entry.RoleAssistant {
			if said, err := message.Decode(m.JSON); err == nil {
				r.ans = message.Text(said)
			}
		}
	}
	return nil
}

// answer does a sum, and keeps what was asked and what came of it.
func (r *reckoner) answer(ctx context.Context, s *session.Session, sum string) error {
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, strings.ReplaceAll(sum, "ans", "("+r.ans+")"))
	if err != nil || value.Value == nil {
		return fmt.Errorf("%q is no sum", sum)
	}
	r.ans = value.Value.ExactString()
	now := time.Now().UnixMilli()
	for _, m := range []message.Message{
		&message.User{Content: message.TextContent(sum), Timestamp: now},
		&message.Assistant{
			Content: []message.Block{&message.TextBlock{Text: r.ans}}, API: "sums", Provider: "embed", Model: "reckoner",
			Usage: &message.Usage{Cost: &message.Cost{}}, StopReason: message.Stop, Timestamp: now,
		},
	} {
		if _, err := s.Append(ctx, &entry.MessageBody{Message: message.Encode(m)}); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	home, _ := os.UserHomeDir()
	cwd, _ := os.Getwd()
	env := layout.Env{Home: home, Cwd: cwd, Getenv: os.Getenv}
	if err := talk(context.Background(), env, os.Args[len(os.Args)-1], os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// talk goes on with the session at path until the input ends.
func talk(ctx context.Context, env layout.Env, path string, in io.Reader, out io.Writer) error {
	r := &reckoner{}
	a := agent.New(agent.Options{Driver: r, Session: session.Options{Env: env, Dialect: dialect.Cambium}})
	if err := a.Start(ctx, agent.Start{Path: path}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var err error
		if other, ok := strings.CutPrefix(lines.Text(), "/to "); ok {
			_, err = a.Switch(ctx, other)
		} else {
			err = r.answer(ctx, a.Session(), lines.Text())
		}
		if err != nil {
			fmt.Fprintln(out, "no:", err)
			continue
		}
		fmt.Fprintln(out, r.ans)
	}
	return a.Close(ctx)
}
