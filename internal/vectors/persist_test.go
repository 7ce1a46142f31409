package vectors_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// written appends a message to a new session and returns the message as it
// stands in the file.
func (b *sandbox) written(message jsontext.Value) jsontext.Value {
	ctx := context.Background()
	b.close()
	o := b.options()
	o.AgentDir, o.FirstWrite = filepath.Join(b.dir, "agent"), session.Immediately
	s, err := session.Create(ctx, "/w", o)
	b.must(err)
	b.s = s
	_, err = s.Append(ctx, &entry.MessageBody{Message: entry.JSON(message)})
	b.must(err)
	b.must(s.Flush(ctx))
	data, err := os.ReadFile(s.Path())
	b.must(err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	stored, ok := jsonedit.Get(jsontext.Value(lines[len(lines)-1]), "message")
	if !ok {
		b.t.Fatalf("no message in %.200s", lines[len(lines)-1])
	}
	return stored
}

// again opens the session anew and returns the message of its only entry.
func (b *sandbox) again() jsontext.Value {
	path, o := b.s.Path(), b.options()
	o.AgentDir = filepath.Join(b.dir, "agent")
	b.close()
	s, err := session.Open(context.Background(), path, o)
	b.must(err)
	b.s = s
	e, err := s.List().Entry(0)
	b.must(err)
	return e.Message()
}

func persistText(b *sandbox) []part {
	var out jsonedit.Object
	for name, content := range jsonedit.Members(b.input("userMessageContent")) {
		msg := new(jsonedit.Object).String("role", "user").Add("content", content).Int("timestamp", 1).Value()
		text, _ := jsonedit.Text(b.written(msg), "content")
		body := strings.TrimSuffix(text, spelling.Notice)
		shown := jsonedit.Set(summarised(text), "utf16Length", jsonedit.IntValue(int64(jsonedit.Units(text))))
		shown = jsonedit.Set(shown, "bodyUtf16Length", jsonedit.IntValue(int64(jsonedit.Units(body))))
		out.Add(name, jsonedit.Delete(shown, "length"))
	}
	signed := fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"%s"}],"timestamp":1}`,
		strings.Repeat("s", 500_001))
	content, _ := jsonedit.Get(b.written(jsontext.Value(signed)), "content")
	for block := range jsonedit.Elements(content) {
		signature, _ := jsonedit.Get(block, "thinkingSignature")
		out.Add("signature", new(jsonedit.Object).Add("thinkingSignature", signature).Value())
	}
	return b.byKey(out.Value())
}

func persistImages(b *sandbox) []part {
	message := b.input("message")
	stored := b.written(message)
	dir := filepath.Join(b.dir, "agent", "blobs")
	want, _ := jsonedit.Get(b.v.Expected, "persisted")
	var out jsonedit.Object
	out.Add("persisted", unlike(like(want, stored)))
	var blobs jsonedit.Array
	for _, f := range b.blobFiles(dir) {
		blobs.Add(new(jsonedit.Object).String("name", f.Name()).Int("size", f.Size()).
			String("mode", fmt.Sprintf("%o", f.Mode().Perm())).Value())
	}
	out.Add("blobs", blobs.Value())
	m := newMatcher(b.dir, b.cwd())
	out.Bool("reloadedEqualsOriginal", m.value(message, b.again()) == nil)
	b.must(os.RemoveAll(dir))
	var missing jsonedit.Array
	content, _ := jsonedit.Get(b.again(), "content")
	for block := range jsonedit.Elements(content) {
		data, _ := jsonedit.Get(block, "data")
		missing.Add(data)
	}
	want, _ = jsonedit.Get(b.v.Expected, "missingBlobData")
	out.Add("missingBlobData", unlike(like(want, missing.Value())))
	if d := defects.Of(b.s.Damage()); len(d.MissingBlobs) != 3 {
		b.t.Errorf("missing blobs are not in the damage report: %v", d.MissingBlobs)
	}
	return b.byKey(out.Value())
}

// unlike leaves out of summaries what this vector does not show of them.
func unlike(v jsontext.Value) jsontext.Value {
	return jsonedit.Walk(v, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if _, ok := jsonedit.Get(v, "endsWithNotice"); ok {
			return jsonedit.Delete(v, "endsWithNotice"), jsonedit.Keep
		}
		return nil, jsonedit.Into
	}})
}

func persistEntry(b *sandbox) []part {
	dir := filepath.Join(b.dir, "blobs")
	store := blob.OpenDir(dir, blob.DirOptions{Typed: b.rules().Persist.Typed})
	put := func(data []byte, ext string) (string, error) {
		ref, err := store.Put(context.Background(), data, ext)
		return ref.String(), err
	}
	line, _, err := spelling.Prepare(b.input("entry"), b.rules().Persist, put)
	b.must(err)
	want, _ := jsonedit.Get(b.v.Expected, "persisted")
	var out jsonedit.Object
	out.Add("persisted", jsonedit.Walk(like(want, line), jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		if _, ok := jsonedit.Get(v, "endsWithNotice"); ok {
			return jsonedit.Delete(v, "sha256"), jsonedit.Keep
		}
		return nil, jsonedit.Into
	}}))
	var files jsonedit.Array
	for _, f := range b.blobFiles(dir) {
		files.String(f.Name())
	}
	out.Add("blobFiles", files.Value())
	for key, text := range map[string]string{
		"malformedRef": blob.Prefix + "../etc/passwd", "okRef": blob.Prefix + strings.Repeat("a", 64),
	} {
		if ref, ok := blob.ParseRef(text); ok {
			out.String(key, ref.Hash())
		} else {
			out.Null(key)
		}
	}
	return b.byKey(out.Value())
}
