package vectors_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
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
	_, err = s.Append(ctx, &entry.MessageBody{Message: message})
	b.must(err)
	b.must(s.Flush(ctx))
	data, err := os.ReadFile(s.Path())
	b.must(err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	stored, ok := splice.Get(jsontext.Value(lines[len(lines)-1]), "message")
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
	var out splice.Object
	for name, content := range splice.Members(b.input("userMessageContent")) {
		msg := new(splice.Object).String("role", "user").Add("content", content).Int("timestamp", 1).Value()
		text, _ := splice.Text(b.written(msg), "content")
		body := strings.TrimSuffix(text, dialect.Notice)
		shown := splice.Set(summarised(text), "utf16Length", splice.IntValue(int64(splice.Units(text))))
		shown = splice.Set(shown, "bodyUtf16Length", splice.IntValue(int64(splice.Units(body))))
		out.Add(name, splice.Delete(shown, "length"))
	}
	signed := fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"%s"}],"timestamp":1}`,
		strings.Repeat("s", 500_001))
	content, _ := splice.Get(b.written(jsontext.Value(signed)), "content")
	for block := range splice.Elements(content) {
		signature, _ := splice.Get(block, "thinkingSignature")
		out.Add("signature", new(splice.Object).Add("thinkingSignature", signature).Value())
	}
	return b.byKey(out.Value())
}

func persistImages(b *sandbox) []part {
	message := b.input("message")
	stored := b.written(message)
	dir := filepath.Join(b.dir, "agent", "blobs")
	want, _ := splice.Get(b.v.Expected, "persisted")
	var out splice.Object
	out.Add("persisted", unlike(like(want, stored)))
	var blobs splice.Array
	for _, f := range b.blobFiles(dir) {
		blobs.Add(new(splice.Object).String("name", f.Name()).Int("size", f.Size()).
			String("mode", fmt.Sprintf("%o", f.Mode().Perm())).Value())
	}
	out.Add("blobs", blobs.Value())
	m := newMatcher(b.dir, b.cwd())
	out.Bool("reloadedEqualsOriginal", m.value(message, b.again()) == nil)
	b.must(os.RemoveAll(dir))
	var missing splice.Array
	content, _ := splice.Get(b.again(), "content")
	for block := range splice.Elements(content) {
		data, _ := splice.Get(block, "data")
		missing.Add(data)
	}
	want, _ = splice.Get(b.v.Expected, "missingBlobData")
	out.Add("missingBlobData", unlike(like(want, missing.Value())))
	if d := b.s.Damage(); len(d.MissingBlobs) != 3 {
		b.t.Errorf("missing blobs are not in the damage report: %v", d.MissingBlobs)
	}
	return b.byKey(out.Value())
}

// unlike leaves out of summaries what this vector does not show of them.
func unlike(v jsontext.Value) jsontext.Value {
	return splice.Walk(v, splice.Visitor{Enter: func(_ *splice.Step, v jsontext.Value) (jsontext.Value, splice.Action) {
		if _, ok := splice.Get(v, "endsWithNotice"); ok {
			return splice.Delete(v, "endsWithNotice"), splice.Keep
		}
		return nil, splice.Into
	}})
}

func persistEntry(b *sandbox) []part {
	dir := filepath.Join(b.dir, "blobs")
	store := blob.OpenDir(dir, blob.DirOptions{Typed: b.rules().Persist.Typed})
	put := func(data []byte, ext string) (string, error) {
		ref, err := store.Put(context.Background(), data, ext)
		return ref.String(), err
	}
	line, _, err := dialect.Prepare(b.input("entry"), b.rules().Persist, put)
	b.must(err)
	want, _ := splice.Get(b.v.Expected, "persisted")
	var out splice.Object
	out.Add("persisted", splice.Walk(like(want, line), splice.Visitor{Enter: func(_ *splice.Step, v jsontext.Value) (jsontext.Value, splice.Action) {
		if _, ok := splice.Get(v, "endsWithNotice"); ok {
			return splice.Delete(v, "sha256"), splice.Keep
		}
		return nil, splice.Into
	}}))
	var files splice.Array
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
