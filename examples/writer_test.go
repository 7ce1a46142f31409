package examples_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/layout"
)

// The model that answers in the examples. There is none of that name.
const (
	provider = "local"
	large    = "oak-large"
	small    = "oak-small"
)

// A writer writes one example: the session and the files that belong to it.
type writer struct {
	t     *testing.T
	rules spelling.Dialect
	mint  *ident.Mint
	now   time.Time
	home  string // the agent directory, relative to this folder
	path  string // the session
	file  bytes.Buffer
	ids   map[string]bool
	leaf  *entry.ID
	calls int
	files map[string][]byte
}

// write begins an example of a dialect. Ids come from the seed, so that every
// run makes the same ones.
func write(t *testing.T, name dialect.Name, cwd, start string, seed byte) *writer {
	t.Helper()
	rules, ok := spelling.ByName(string(name))
	if !ok {
		t.Fatalf("no dialect is called %q", name)
	}
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{t: t, rules: rules, now: at, home: path.Join(string(name), "agent"), ids: map[string]bool{}, files: map[string][]byte{}}
	w.mint = ident.NewMint(func() time.Time { return w.now }, rand.NewChaCha8([32]byte{seed}))
	id, err := w.mint.Session(string(name))
	if err != nil {
		t.Fatal(err)
	}
	h := entry.Header{Version: entry.CurrentVersion, ID: id, Timestamp: jsonedit.FormatTime(at.UnixMilli()), CWD: cwd}
	w.begin(h)
	return w
}

// begin writes the header.
func (w *writer) begin(h entry.Header) {
	w.path = path.Join(w.home, "sessions", places.DirName(string(w.rules.Name), h.CWD, layout.Env{Home: "/home/gardener"}),
		ident.FileName(h.Timestamp, h.ID))
	w.file.Reset()
	w.line(h.Encode(w.rules.CreateOrder...))
}

// titled gives the session a title in the header, and in a title slot before
// it.
func (w *writer) titled(title, source string, slot bool) {
	h, ok := entry.ParseHeader(bytes.TrimSpace(w.file.Bytes()))
	if !ok {
		w.t.Fatal("the title comes right after the header")
	}
	h.Title, h.TitleSource = title, source
	w.begin(h)
	if slot {
		first := spelling.FormatSlot(title, source, h.Timestamp)
		rest := bytes.Clone(w.file.Bytes())
		w.file.Reset()
		w.file.Write(first[:])
		w.file.Write(rest)
	}
}

func (w *writer) line(line []byte) {
	w.file.Write(line)
	w.file.WriteByte('\n')
}

// wait lets time pass.
func (w *writer) wait(d time.Duration) { w.now = w.now.Add(d) }

// add appends an entry under the leaf, makes it the leaf and returns its id.
func (w *writer) add(body entry.Body) entry.ID {
	w.t.Helper()
	w.wait(1700 * time.Millisecond)
	id, err := w.mint.Entry(func(id string) bool { return w.ids[id] })
	if err != nil {
		w.t.Fatal(err)
	}
	w.ids[id] = true
	stamp := entry.Stamp{ID: id, Parent: w.leaf, Time: w.now.UnixMilli()}
	line, err := entry.Encode(nil, stamp, spelling.Complete(w.rules, id, body))
	if err != nil {
		w.t.Fatal(err)
	}
	line, _, err = spelling.Prepare(line, w.rules.Persist, w.put)
	if err != nil {
		w.t.Fatal(err)
	}
	w.line(line)
	w.leaf = &id
	return id
}

// put keeps a blob beside the session.
func (w *writer) put(data []byte, ext string) (string, error) {
	ref := blob.RefOf(data)
	name := path.Join(w.home, "blobs", ref.Hash())
	w.files[name] = data
	if ext != "" {
		w.files[name+"."+ext] = data
	}
	return ref.String(), nil
}

// artifact keeps a tool's whole output beside the session.
func (w *writer) artifact(name, text string) {
	w.files[path.Join(strings.TrimSuffix(w.path, ident.Ext), name)] = []byte(text)
}

// back goes back to an earlier entry: what is added next is its child.
func (w *writer) back(to entry.ID) { w.leaf = &to }

// leave goes back to an earlier entry and says what the branch that is left
// held.
func (w *writer) leave(to entry.ID, summary string) entry.ID {
	from := to
	if w.rules.FromLeaf {
		from = *w.leaf
	}
	w.back(to)
	return w.add(&entry.BranchSummaryBody{FromID: from, Summary: summary})
}

func (w *writer) label(target entry.ID, name string) entry.ID {
	return w.add(&entry.LabelBody{TargetID: target, Label: name})
}

func (w *writer) thinking(level string) entry.ID {
	b := &entry.ThinkingLevelChangeBody{ThinkingLevel: &level}
	if w.rules.Configured {
		b.Configured = jsonedit.Quoted(level)
	}
	return w.add(b)
}

func (w *writer) model(name, role string) entry.ID {
	return w.add(w.rules.ModelBody(provider, name, role))
}

// say appends a message of any role; its timestamp comes last.
func (w *writer) say(o *jsonedit.Object) entry.ID {
	at := w.now.Add(1700 * time.Millisecond)
	return w.add(&entry.MessageBody{Message: o.Int("timestamp", at.UnixMilli()).Value()})
}

func (w *writer) user(text string, blocks ...[]byte) entry.ID {
	w.wait(40 * time.Second)
	o := new(jsonedit.Object).String("role", "user")
	if len(blocks) == 0 {
		return w.say(o.String("content", text))
	}
	return w.say(o.Add("content", new(jsonedit.Array).Add(words(text)).Add(blocks...).Value()))
}

// A call is a tool call, with its result.
type call struct {
	tool   string
	args   *jsonedit.Object
	result string
	failed bool
}

// work appends an answer that calls tools, and their results.
func (w *writer) work(thinking, text string, calls ...call) {
	var content jsonedit.Array
	if thinking != "" {
		content.Add(new(jsonedit.Object).String("type", "thinking").String("thinking", thinking).Value())
	}
	if text != "" {
		content.Add(words(text))
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		w.calls++
		ids[i] = fmt.Sprintf("call_%03d", w.calls)
		content.Add(new(jsonedit.Object).String("type", "toolCall").String("id", ids[i]).String("name", c.tool).Add("arguments", c.args.Value()).Value())
	}
	w.answered(content.Value(), "toolUse")
	for i, c := range calls {
		w.say(new(jsonedit.Object).String("role", "toolResult").String("toolCallId", ids[i]).String("toolName", c.tool).
			Add("content", new(jsonedit.Array).Add(words(c.result)).Value()).Bool("isError", c.failed))
	}
}

// answer appends an answer without calls.
func (w *writer) answer(text string) entry.ID {
	return w.answered(new(jsonedit.Array).Add(words(text)).Value(), "stop")
}

func (w *writer) answered(content entry.JSON, stop string) entry.ID {
	w.wait(time.Duration(2+len(content)/90) * time.Second)
	input, output := w.file.Len()/4, len(content)/4
	var cost, usage jsonedit.Object
	cost.Number("input", float64(input)*3e-6).Number("output", float64(output)*15e-6).Int("cacheRead", 0).Int("cacheWrite", 0).
		Number("total", float64(input)*3e-6+float64(output)*15e-6)
	usage.Int("input", int64(input)).Int("output", int64(output)).Int("cacheRead", 0).Int("cacheWrite", 0).
		Int("totalTokens", int64(input+output)).Add("cost", cost.Value())
	return w.say(new(jsonedit.Object).String("role", "assistant").Add("content", content).
		String("api", "openai-completions").String("provider", provider).String("model", large).
		Add("usage", usage.Value()).String("stopReason", stop))
}

// note appends a message of an extension that people are not shown.
func (w *writer) note(kind, text string) entry.ID {
	b := &entry.CustomMessageBody{CustomType: kind, Content: jsonedit.Quoted(text)}
	if !w.rules.SplitModel {
		b.Attribution = "agent"
	}
	return w.add(b)
}

// ran appends a command that the person ran.
func (w *writer) ran(command, output string, code int64) entry.ID {
	w.wait(15 * time.Second)
	return w.say(new(jsonedit.Object).String("role", "bashExecution").String("command", command).String("output", output).
		Int("exitCode", code).Bool("cancelled", false).Bool("truncated", false))
}

func words(text string) entry.JSON {
	return new(jsonedit.Object).String("type", "text").String("text", text).Value()
}

func picture(png []byte) entry.JSON {
	return new(jsonedit.Object).String("type", "image").String("data", base64.StdEncoding.EncodeToString(png)).String("mimeType", "image/png").Value()
}

// args makes the arguments of a call from names and values in turn.
func args(pairs ...string) *jsonedit.Object {
	var o jsonedit.Object
	for i := 0; i+1 < len(pairs); i += 2 {
		o.String(pairs[i], pairs[i+1])
	}
	return &o
}
