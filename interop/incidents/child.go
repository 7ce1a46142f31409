//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage/local"
)

// child carries out calls with Cambium's library, in a process of its own: one
// JSON object a line on standard input, {"op":"open","args":[…]}, one answer a
// line, {"value":…} or {"error":"…"}.
type child struct {
	s      *session.Session
	events []string
	disk   *denying
}

// serve answers calls until its input ends.
func serve(in io.Reader, out io.Writer) error {
	c := &child{disk: newDenying()}
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		op, _ := jsonedit.Text(line, "op")
		list, _ := jsonedit.Get(line, "args")
		var args []entry.JSON
		for v := range jsonedit.Elements(list) {
			args = append(args, v)
		}
		value, err := c.do(op, arguments(args))
		answer := new(jsonedit.Object)
		if err != nil {
			answer.String("error", err.Error())
		} else if value != nil {
			answer.Add("value", value)
		}
		if _, err := fmt.Fprintf(out, "%s\n", answer.Value()); err != nil {
			return err
		}
	}
}

// arguments are those of one call; what was not given is empty.
type arguments []entry.JSON

func (a arguments) text(i int) string {
	if i >= len(a) {
		return ""
	}
	s, _ := jsonedit.String(a[i])
	return s
}

func (a arguments) number(i int) int {
	if i >= len(a) {
		return 0
	}
	return number(a[i])
}

// env is the machine as the child sees it: its home is private.
func env() layout.Env {
	home := os.Getenv("HOME")
	return layout.Env{Home: home, TempDir: os.TempDir(), Cwd: home, Getenv: os.Getenv,
		Real: func(path string) (string, bool) {
			real, err := filepath.EvalSymlinks(path)
			return real, err == nil
		}}
}

func (c *child) options() session.Options {
	o := session.Options{Env: env(), Dialect: dialect.Name(os.Getenv(agentVariable))}
	if os.Getenv(syncVariable) == "none" {
		o.Sync = session.SyncNone
	}
	if os.Getenv(denyVariable) != "" {
		o.Store = local.New(vfs.On(local.Options{}, c.disk))
	}
	o.OnEvent = func(e session.Event) {
		c.events = append(c.events, strings.TrimSpace(fmt.Sprintf("%v %s %v", e.Kind, e.Text, e.IDs)))
	}
	return o
}

func (c *child) do(op string, a arguments) (entry.JSON, error) {
	ctx := context.Background()
	switch op {
	case "open", "read":
		return nil, c.open(ctx, a.text(0), op == "read")
	case "create":
		s, err := session.Create(ctx, a.text(0), c.in(a.text(1)))
		c.s = s
		return nil, err
	case "continue":
		return c.goOn(ctx, a.text(0), a.text(1))
	case "deny":
		c.disk.deny(a.text(0))
		return nil, nil
	case "list":
		return c.list(ctx, a.text(0))
	case "fork":
		s, err := session.ForkFrom(ctx, a.text(0), a.text(1), c.in(a.text(2)))
		if err != nil {
			return nil, err
		}
		c.s = s
		return jsonedit.Quoted(s.Path()), nil
	}
	if c.s == nil {
		return nil, fmt.Errorf("no session is open")
	}
	if v, known, err := c.look(ctx, op, a); known {
		return v, err
	}
	return c.change(ctx, op, a)
}

func (c *child) in(dir string) session.Options {
	o := c.options()
	o.Dir = dir
	return o
}

func (c *child) open(ctx context.Context, path string, look bool) error {
	o := c.options()
	o.ReadOnly = look
	s, err := session.Open(ctx, path, o)
	if err == nil {
		c.s = s
	}
	return err
}

// goOn opens the newest session of a directory.
func (c *child) goOn(ctx context.Context, cwd, dir string) (entry.JSON, error) {
	e, err := cambium.Open(ctx, cambium.Options{Env: env(), SessionDir: dir})
	if err != nil {
		return nil, err
	}
	if c.s, err = e.Continue(ctx, cwd); err != nil {
		return nil, err
	}
	return jsonedit.Quoted(c.s.Path()), nil
}

// list returns the paths of sessions, with "!" before what is flagged.
func (c *child) list(ctx context.Context, dir string) (entry.JSON, error) {
	all, err := catalog.List(ctx, catalog.Options{Env: env(), SessionDir: dir, Empty: true})
	var paths []string
	for _, info := range all {
		if info.Damaged {
			info.Path = "!" + info.Path
		}
		paths = append(paths, info.Path)
	}
	return jsonedit.Strings(paths...), err
}

// look answers what changes nothing.
func (c *child) look(ctx context.Context, op string, a arguments) (v entry.JSON, known bool, err error) {
	switch op {
	case "texts":
		v, err = c.texts(ctx, a.number(0))
	case "size":
		n := 0
		rc, err := c.s.Context(ctx, session.ContextOptions{})
		if err != nil {
			return nil, true, err
		}
		for _, err := range rc.Messages() {
			if err != nil {
				return nil, true, err
			}
			n++
		}
		return jsonedit.IntValue(int64(n)), true, nil
	case "llm":
		v, err = c.llm(ctx)
	case "tree":
		n := 0
		for range tree.Of(c.s.Tree()).Nodes(0) {
			n++
		}
		v = jsonedit.IntValue(int64(n))
	case "told":
		v = jsonedit.Quoted(c.told())
	case "path":
		v = jsonedit.Quoted(c.s.Path())
	case "readOnly":
		v = jsonedit.Quoted(c.s.ReadOnlyReason())
	case "queued":
		v = jsonedit.IntValue(int64(c.s.Queued()))
	default:
		return nil, false, nil
	}
	return v, true, err
}

// told is what the session says of itself: damage, and events.
func (c *child) told() string {
	var all []string
	if d := c.s.Damage(); d.Any() {
		all = append(all, d.String())
	}
	for _, e := range c.events {
		if !strings.HasPrefix(e, "appended") {
			all = append(all, e)
		}
	}
	return strings.Join(all, "; ")
}

// texts returns the text of each message of the context, at most n bytes.
func (c *child) texts(ctx context.Context, n int) (entry.JSON, error) {
	rc, err := c.s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return nil, err
	}
	var all jsonedit.Array
	for m, err := range rc.Messages() {
		if err != nil {
			return nil, err
		}
		text := messageText(m.JSON)
		all.Add(jsonedit.Quoted(text[:min(n, len(text))]))
	}
	return all.Value(), nil
}

// messageText is the text of a message, of its first block with one.
func messageText(message entry.JSON) string {
	content, _ := jsonedit.Get(message, "content")
	if text, ok := jsonedit.String(content); ok {
		return text
	}
	for block := range jsonedit.Elements(content) {
		if text, ok := jsonedit.Text(block, "text"); ok {
			return text
		}
	}
	return ""
}

// llm returns what a model is sent, as one string of JSON.
func (c *child) llm(ctx context.Context) (entry.JSON, error) {
	rc, err := c.s.Context(ctx, session.ContextOptions{})
	if err != nil {
		return nil, err
	}
	messages, _ := c.s.LLM(ctx, rc)
	var all []byte
	for m, err := range messages {
		if err != nil {
			return nil, err
		}
		all = append(append(all, m...), '\n')
	}
	return jsonedit.Quoted(string(all)), nil
}

// change answers what writes.
func (c *child) change(ctx context.Context, op string, a arguments) (entry.JSON, error) {
	switch op {
	case "append":
		id, err := c.s.Append(ctx, spoken(a.text(0), a.text(1)))
		if err != nil {
			return nil, err
		}
		return jsonedit.Quoted(id), nil
	case "image":
		id, err := c.s.Append(ctx, picture(a.text(0), a.text(1)))
		if err != nil {
			return nil, err
		}
		return jsonedit.Quoted(id), nil
	case "many":
		return nil, c.many(ctx, a)
	case "mixed":
		return nil, c.mixed(ctx, a.number(0), a.text(1), a.text(2), a.text(3))
	case "loop":
		return nil, c.loop(ctx, a.number(0), a.text(1))
	case "rewriteLoop":
		for {
			if err := c.rewrite(ctx); err != nil {
				return nil, err
			}
		}
	case "rewrite":
		return nil, c.rewrite(ctx)
	case "title":
		_, err := c.s.Rename(ctx, a.text(0), session.Title{})
		return nil, err
	case "flush":
		return nil, c.s.Flush(ctx)
	case "close":
		return nil, c.s.Close()
	}
	return nil, fmt.Errorf("no call is named %q", op)
}

// many appends n messages; with "title" or "rewrite" it does that in the middle.
func (c *child) many(ctx context.Context, a arguments) error {
	n, prefix, also := a.number(0), a.text(1), a.text(2)
	for i := range n {
		if _, err := c.s.Append(ctx, spoken(fmt.Sprintf("%s%05d", prefix, i), "user")); err != nil {
			return err
		}
		if i != n/2 {
			continue
		}
		var err error
		switch also {
		case "title":
			_, err = c.s.Rename(ctx, "named by "+prefix, session.Title{})
		case "rewrite":
			err = c.rewrite(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mixed appends n messages with names and forks between, and notes what was
// acknowledged in a file.
func (c *child) mixed(ctx context.Context, n int, prefix, acks, forks string) error {
	f, err := os.OpenFile(acks, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for i := range n {
		id, err := c.s.Append(ctx, spoken(fmt.Sprintf("%s%05d", prefix, i), "user"))
		if err != nil {
			return err
		}
		if _, err := f.WriteString(id + "\n"); err != nil {
			return err
		}
		switch {
		case i%400 == 399:
			_, err = c.s.Rename(ctx, fmt.Sprintf("named by %s%d", prefix, i), session.Title{})
		case i%300 == 200:
			var fork *session.Session
			if fork, err = session.ForkFrom(ctx, c.s.Path(), env().Cwd, c.in(forks)); err == nil {
				err = fork.Close()
			}
		}
		if err != nil {
			return err
		}
	}
	return f.Close()
}

// loop appends for ever and notes each id that was acknowledged in a file.
func (c *child) loop(ctx context.Context, size int, acks string) error {
	f, err := os.OpenFile(acks, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	text := strings.Repeat("the session branch reads a line ", size/32+1)[:size]
	for {
		id, err := c.s.Append(ctx, spoken(text, "user"))
		if err != nil {
			return err
		}
		if _, err := f.WriteString(id + "\n"); err != nil {
			return err
		}
	}
}

// rewrite writes the whole session anew, changing nothing that counts.
func (c *child) rewrite(ctx context.Context) error {
	mark := jsonedit.IntValue(time.Now().UnixNano())
	return c.s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
		return jsonedit.Set(e.Raw(), "rewritten", mark), nil
	})
}

// spoken is a message with a text.
func spoken(text, role string) entry.Body {
	block := new(jsonedit.Object).String("type", "text").String("text", text).Value()
	m := new(jsonedit.Object).String("role", "user").Add("content", new(jsonedit.Array).Add(block).Value())
	if role == "assistant" {
		m = assistant(text)
	}
	return &entry.MessageBody{Message: m.Int("timestamp", time.Now().UnixMilli()).Value()}
}

// picture is a message with a text and an image, given in base64.
func picture(text, data string) entry.Body {
	content := new(jsonedit.Array).
		Add(new(jsonedit.Object).String("type", "text").String("text", text).Value()).
		Add(new(jsonedit.Object).String("type", "image").String("data", data).String("mimeType", "image/png").Value())
	return &entry.MessageBody{Message: new(jsonedit.Object).String("role", "user").Add("content", content.Value()).
		Int("timestamp", time.Now().UnixMilli()).Value()}
}
